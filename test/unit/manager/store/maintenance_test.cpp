// `db check` and `db export`, on a store at rest and on one in use.
#include "manager/store/maintenance.hpp"

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "manager/store/state_codec.hpp"
#include "monitor/codec_step.hpp"
#include "test/unit/manager/store/fixture.hpp"

namespace aliquot::test {
namespace {

TEST(Maintenance, ASoundStoreHasNoProblemsEvenInUse) {
  const TemporaryDirectory directory;
  const OpenStore open(directory.file("s.db"));
  open.append(1, 30);
  open.store->snapshot(state_after(10));
  open.append(31, 40);
  open.store->flush();
  const auto check = check_store(directory.file("s.db"));
  ASSERT_TRUE(check) << check.error().message;
  EXPECT_EQ(check->problems, std::vector<std::string>{});
  EXPECT_EQ(check->cluster_id, open.recovered->cluster_id);
  EXPECT_EQ(check->epoch, 1U);
  EXPECT_EQ(check->snapshot_step, 10U);
  EXPECT_EQ(check->last_step, 40U);
  EXPECT_EQ(check->steps, 30U);
  EXPECT_EQ(check->log_lines, open.store->events(std::nullopt, 0, 100'000).size());
  EXPECT_EQ(check->ended_jobs, open.store->ended_jobs(100'000).size());
}

TEST(Maintenance, AFlippedPageIsAProblem) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("s.db");
  {
    const OpenStore open(path);
    open.append(1, 300);
  }
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  const auto middle = static_cast<std::streamoff>(std::filesystem::file_size(path) / 2 / 4096 * 4096);
  file.seekp(middle);
  file << std::string(4096, '\x5a');
  file.close();
  const auto check = check_store(path);
  ASSERT_TRUE(check) << check.error().message;
  EXPECT_FALSE(check->problems.empty());
}

TEST(Maintenance, WhatIsNotThereIsNotFound) {
  const TemporaryDirectory directory;
  EXPECT_EQ(check_store(directory.file("none.db")).error().kind, ErrorKind::not_found);
  std::ostringstream out;
  EXPECT_EQ(export_store(directory.file("none.db"), out).error().kind, ErrorKind::not_found);
}

TEST(Maintenance, TheExportHoldsIdentitySnapshotAndSteps) {
  const TemporaryDirectory directory;
  const OpenStore open(directory.file("s.db"));
  open.append(1, 5);
  open.store->snapshot(state_after(3));
  open.store->flush();
  std::stringstream out;
  ASSERT_EQ(export_store(directory.file("s.db"), out).value(), 2U);
  std::string line;
  ASSERT_TRUE(std::getline(out, line));
  EXPECT_EQ(nlohmann::json::parse(line)["store"]["cluster_id"], open.recovered->cluster_id);
  ASSERT_TRUE(std::getline(out, line));
  const auto state = decode_state(nlohmann::json::parse(line)["snapshot"].dump());
  ASSERT_TRUE(state);
  EXPECT_TRUE(same(*state, state_after(3)));
  for (std::uint64_t number = 4; number <= 5; ++number) {
    ASSERT_TRUE(std::getline(out, line));
    EXPECT_TRUE(same(decode_step(line).value(), step_numbered(number)));
  }
  EXPECT_FALSE(std::getline(out, line));
}

TEST(Maintenance, TheExportOfJobsHasOneLineForEach) {
  const TemporaryDirectory directory;
  const OpenStore open(directory.file("s.db"));
  Step step = step_numbered(1);
  step.events.clear();
  step.ended.clear();
  Random random(7);
  for (const std::uint64_t job : {1, 2})
    step.events.emplace_back(Submitted{{job}, Shared<Submission>(random.make<Submission>())});
  step.ended.push_back(random.make<JobOutcome>());
  step.ended.back().job = {2};
  open.store->append(step);
  open.store->flush();
  std::stringstream out;
  ASSERT_EQ(export_jobs(directory.file("s.db"), out).value(), 2U);
  std::string line;
  for (const std::string state : {"open", "ended"}) {
    ASSERT_TRUE(std::getline(out, line));
    EXPECT_EQ(nlohmann::json::parse(line)["state"], state) << line;
  }
}

TEST(Maintenance, AnExportThatCannotBeWrittenSaysSo) {
  const TemporaryDirectory directory;
  const OpenStore open(directory.file("s.db"));
  std::ofstream nowhere("/dev/full");
  EXPECT_EQ(export_store(directory.file("s.db"), nowhere).error().kind, ErrorKind::unavailable);
}

}  // namespace
}  // namespace aliquot::test
