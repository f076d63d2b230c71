// What `show` and `why` say of a job's memory: by what its guests told, and only by that.
#include "manager/api/answers/memory_answers.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "manager/api/answers/job_answers.hpp"
#include "manager/api/explain/why_answer.hpp"
#include "test/support/json_form.hpp"
#include "test/unit/manager/api/answers/small_state.hpp"

namespace aliquot {
namespace {

using nlohmann::json;
using test::SmallState;

GuestMemory told(std::int64_t given, std::int64_t used) {
  return {mebibytes(given), mebibytes(given - used), 5};
}

RunUse run(std::uint32_t task, std::uint32_t incarnation, NodeId node, std::optional<GuestMemory> memory) {
  RunUse out{task, incarnation, 7, node, {90'000'000}, seconds(20), {seconds(18), {}, {}}};
  out.memory = memory;
  if (memory) out.memory_told = Instant{97'000'000};
  return out;
}

// Task 1 uses more now, and task 0 once did.
JobUse some_use() {
  JobUse use;
  use.runs = {run(0, 1, {0}, told(128, 60)), run(1, 1, {1}, told(128, 70))};
  use.largest_memory = LargestMemory{0, {40'000'000}, told(128, 90)};
  return use;
}

json shown(const SmallState& small, const JobUse& use, JobId job = {1}) {
  return test::in_form("show", *show_answer(small.state, job, use, small.clock));
}

TEST(MemoryAnswer, TellsWhatIsUsedNowAndAtMost) {
  const SmallState small;
  const json answer = shown(small, some_use());
  const json& memory = answer["memory"];
  EXPECT_EQ(memory["declared_bytes"], mebibytes(128).raw);
  EXPECT_EQ(memory["counted_bytes"], mebibytes(128).raw);
  EXPECT_EQ(memory["used_bytes"], mebibytes(70).raw);
  EXPECT_EQ(memory["used_by_task"], 1);
  EXPECT_EQ(memory["used_s_ago"], 3.0);
  EXPECT_EQ(memory["largest_bytes"], mebibytes(90).raw);
  EXPECT_EQ(memory["largest_of_task"], 0);
  EXPECT_TRUE(memory["unknown"].is_null());
  EXPECT_TRUE(memory["to_declare_bytes"].is_null());
  EXPECT_EQ(answer["vms"][0]["memory_used_bytes"], mebibytes(60).raw);
}

TEST(MemoryAnswer, TellsWhatIsCountedAndDoesNotMistakeABalloonForUse) {
  SmallState small;
  Shared<Submission>& job = small.state.records.at({1}).submission;
  job = with_counted_memory(*job, job->demand.memory - mebibytes(28));
  JobUse use = some_use();
  use.runs[1] = run(1, 1, {1}, told(100, 70));
  const json memory = shown(small, use)["memory"];
  EXPECT_EQ(memory["declared_bytes"], mebibytes(128).raw);
  EXPECT_EQ(memory["counted_bytes"], mebibytes(100).raw);
  EXPECT_EQ(memory["used_bytes"], mebibytes(70).raw);
}

TEST(MemoryAnswer, OfAnotherIncarnationOrNodeIsNotOfNow) {
  const SmallState small;
  JobUse use = some_use();
  use.runs[0] = run(0, 2, {0}, told(128, 60));
  use.runs[1].node = {0};
  json memory = shown(small, use)["memory"];
  EXPECT_TRUE(memory["used_bytes"].is_null());
  EXPECT_EQ(memory["largest_bytes"], mebibytes(90).raw);
  use = some_use();
  use.runs.push_back(run(1, 1, {1}, std::nullopt));
  EXPECT_EQ(shown(small, use)["memory"]["used_by_task"], 0) << "restored, and it has said nothing yet";
}

TEST(MemoryAnswer, SaysWhyItIsNotKnown) {
  const SmallState small;
  EXPECT_EQ(shown(small, JobUse{})["memory"]["unknown"], "the hash-chain guest does not tell");
  EXPECT_EQ(shown(small, JobUse{}, {2})["memory"]["unknown"], "no counter of its VMs has been read yet");
  JobUse use;
  use.runs = {run(0, 1, {0}, std::nullopt)};
  const json memory = shown(small, use, {2})["memory"];
  EXPECT_NE(memory["unknown"].get<std::string>().find("virtio_balloon"), std::string::npos);
  EXPECT_TRUE(memory["largest_bytes"].is_null());
}

TEST(MemoryAnswer, TellsWhatToDeclareOnceTheJobHasRunForAMinuteOrHasEnded) {
  Submission job = test::submission(1, 1000, 4096);
  job.guest_memory = mebibytes(4096);
  JobUse use;
  use.largest_memory = LargestMemory{0, {}, told(4096, 300)};
  const VirtualTime minute{60 * kMillion};
  EXPECT_EQ(memory_advice(job, use, false, {59 * kMillion}), "");
  EXPECT_EQ(memory_advice(job, use, false, minute),
            "A task declares 4096 MiB and has used at most 300 MiB: --mem 384MiB is enough.");
  EXPECT_EQ(memory_advice(job, use, true, {}),
            "A task declares 4096 MiB and used at most 300 MiB: --mem 384MiB is enough.");
  use.largest_memory->memory = told(4096, 4090);
  EXPECT_EQ(memory_advice(job, use, true, {}),
            "A task declares 4096 MiB and used at most 4090 MiB: --mem 5120MiB is safer.");
  use.largest_memory.reset();
  EXPECT_EQ(memory_advice(job, use, true, minute), "");
}

TEST(MemoryAnswer, OfAVmOfSeveralTasksIsThatOfOne) {
  Submission job = test::submission(1, 1000, 4096);
  job.guest_memory = mebibytes(1000);
  job.demand.devices.per_node = 1;  // its tasks on a node have one VM
  JobUse use;
  use.largest_memory = LargestMemory{0, {}, told(4000, 800)};
  EXPECT_EQ(memory_advice(job, use, true, {}),
            "A task declares 1000 MiB and used at most 200 MiB: --mem 256MiB is enough.");
}

TEST(MemoryAnswer, IsInTheAnswerToWhyAndStaysWithAJobThatHasEnded) {
  const SmallState small;
  JobOutcome ended = small.ended();
  JobUse use;
  use.runs = {run(0, 1, {0}, told(128, 10))};
  use.largest_memory = LargestMemory{0, {}, told(128, 126)};
  const json why = test::in_form("why", why_answer(ended, small.clock, small.state.view, {}, {}, use));
  EXPECT_EQ(why["memory"], memory_advice(ended.submission, use, true, {}));
  EXPECT_NE(why["memory"], "");
  const json memory =
      test::in_form("show", show_answer(small.state.view, ended, use, small.clock))["memory"];
  EXPECT_TRUE(memory["used_bytes"].is_null()) << "there is no now";
  EXPECT_EQ(memory["largest_bytes"], mebibytes(126).raw);
  EXPECT_EQ(memory["to_declare_bytes"], mebibytes(160).raw);
  EXPECT_EQ(test::in_form("why", why_answer(ended, small.clock))["memory"], "");
}

}  // namespace
}  // namespace aliquot
