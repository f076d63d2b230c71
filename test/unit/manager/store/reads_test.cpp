// What the loop reads while the writer writes: ended jobs, events, answers, and how much of them is kept.
#include <nlohmann/json.hpp>

#include "test/unit/manager/store/fixture.hpp"
#include "test/unit/manager/store/sql.hpp"

namespace aliquot::test {
namespace {

Step ending(std::uint64_t number, std::uint64_t job) {
  Step step;
  step.number = number;
  step.now = {static_cast<std::int64_t>(number)};
  step.ended.push_back({});
  step.ended.back().job = {job};
  step.ended.back().exit_code = static_cast<int>(job);
  return step;
}

TEST(Store, FindsAnEndedJobAtOnceAndAfterARestart) {
  const TemporaryDirectory directory;
  {
    const OpenStore open(directory.file("s.db"));
    for (std::uint64_t i = 1; i <= 20; ++i) {
      open.store->append(ending(i, 100 + i));
      ASSERT_TRUE(open.store->ended({100 + i})) << i;  // durable or not
    }
    const auto newest = open.store->ended_jobs(3);
    ASSERT_EQ(newest.size(), 3U);
    EXPECT_EQ(newest[0].job, JobId{120});
    EXPECT_EQ(newest[2].job, JobId{118});
    EXPECT_EQ(open.store->ended_jobs(1000).size(), 20U);
  }
  const OpenStore again(directory.file("s.db"));
  EXPECT_EQ(again.store->ended({107})->exit_code, 107);
  EXPECT_FALSE(again.store->ended({99}));
  EXPECT_EQ(again.store->ended_jobs(2).front().job, JobId{120});
}

// Members 3 and 4 of array 7, and other jobs between them.
void end_members(const OpenStore& open) {
  const std::pair<std::uint64_t, std::optional<ArrayMember>> ends[] = {
      {8, ArrayMember{{7}, 3}}, {20, {}}, {9, ArrayMember{{7}, 4}}, {21, {}}, {10, ArrayMember{{17}, 3}}};
  std::uint64_t number = 0;
  for (const auto& [job, member] : ends) {
    Step step = ending(++number, job);
    Submission submission;
    submission.member = member;
    step.ended[0].submission = submission;
    open.store->append(step);
  }
}

std::vector<std::uint64_t> numbers(const std::vector<JobOutcome>& outcomes) {
  std::vector<std::uint64_t> jobs;
  for (const JobOutcome& outcome : outcomes) jobs.push_back(outcome.job.raw);
  return jobs;
}

void look_for_members(const OpenStore& open) {
  using Jobs = std::vector<std::uint64_t>;
  const Store& store = *open.store;
  EXPECT_EQ(numbers(store.ended_page({{}, {}, 10})), (Jobs{21, 20}));
  EXPECT_EQ(numbers(store.ended_page({{}, {}, 1})), (Jobs{21}));
  EXPECT_EQ(numbers(store.ended_page({{}, JobId{21}, 10})), (Jobs{20}));
  EXPECT_EQ(numbers(store.ended_page({{}, JobId{9}, 10})), (Jobs{20})) << "also before a member";
  EXPECT_EQ(numbers(store.ended_page({JobId{7}, {}, 10})), (Jobs{9, 8}));
  EXPECT_EQ(numbers(store.ended_page({JobId{7}, JobId{9}, 10})), (Jobs{8}));
  EXPECT_EQ(numbers(store.ended_page({JobId{7}, JobId{99}, 10})), Jobs{})
      << "it is not known when that ended";
  EXPECT_EQ(store.ended_member({{7}, 4})->job, JobId{9});
  EXPECT_EQ(store.ended_member({{17}, 3})->job, JobId{10});
  EXPECT_FALSE(store.ended_member({{17}, 4}));
}

TEST(Store, FindsTheMembersOfAnArrayDurableOrNot) {
  const TemporaryDirectory directory;
  {
    const OpenStore open(directory.file("s.db"));
    end_members(open);
    look_for_members(open);
    open.store->flush();
    look_for_members(open);
  }
  look_for_members(OpenStore(directory.file("s.db")));
}

TEST(Store, OfAnEarlierVersionHasNoMembers) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("s.db");
  {
    const OpenStore open(path);
    open.store->append(ending(1, 100));
  }
  sql(path, kWithoutMembers + std::string("PRAGMA user_version = 7"));
  const OpenStore again(path);
  ASSERT_TRUE(again.recovered) << again.recovered.error().message;
  EXPECT_EQ(numbers(again.store->ended_page({{}, {}, 10})), (std::vector<std::uint64_t>{100}));
  EXPECT_FALSE(again.store->ended_member({{7}, 3}));
}

TEST(Store, TellsAJobsStoryLineByLine) {
  const TemporaryDirectory directory;
  const OpenStore open(directory.file("s.db"));
  Step step = ending(1, 7);
  step.events = {Tick{}, Cancelled{{7}, JobResult::cancelled, "enough"},
                 NodeChanged{{0}, NodeState::down, "gone"}, Cancelled{{8}, JobResult::cancelled, ""}};
  step.decision = Decision{"FCFS", {}, {{{{7}, {{{0}, 1}}, kFullYield}}, {}, {}}, true, {}, 5};
  step.actions = {Destroy{{{1}, {7}, {0, 1}}, {{0}}}};
  open.store->append(step);
  open.store->flush();

  const auto story = open.store->events(JobId{7}, 0, 100);
  ASSERT_EQ(story.size(), 4U);
  EXPECT_EQ(nlohmann::json::parse(story[0].json)["event"], "cancelled");
  EXPECT_EQ(nlohmann::json::parse(story[0].json)["why"], "enough");
  EXPECT_EQ(nlohmann::json::parse(story[1].json)["decision"], "FCFS");
  EXPECT_EQ(nlohmann::json::parse(story[1].json)["yield"], 1'000'000);
  EXPECT_EQ(nlohmann::json::parse(story[2].json)["action"], "destroy");
  EXPECT_EQ(nlohmann::json::parse(story[3].json)["result"], "completed");

  const auto all = open.store->events(std::nullopt, 0, 100);
  EXPECT_EQ(open.store->newest_event(), all.back().sequence);
  ASSERT_EQ(all.size(), 7U);  // no tick; the node's change and the decision's summary concern all
  EXPECT_FALSE(all[1].job);
  const auto tail = open.store->events(std::nullopt, all[4].sequence, 1);
  ASSERT_EQ(tail.size(), 1U);
  EXPECT_EQ(tail[0].sequence, all[5].sequence);
  EXPECT_TRUE(open.store->events(JobId{9}, 0, 100).empty());
  const auto newest = open.store->events_before(std::nullopt, all.back().sequence, 2);
  ASSERT_EQ(newest.size(), 2U);
  EXPECT_EQ(newest[0].sequence, all[all.size() - 2].sequence) << "the newest first";
  EXPECT_EQ(newest[1].sequence, all[all.size() - 3].sequence);
  EXPECT_EQ(open.store->events_before(JobId{7}, story[1].sequence, 100).size(), 1U);
}

TEST(Store, TellsTheNewestOfAJobsChronicle) {
  const TemporaryDirectory directory;
  const OpenStore open(directory.file("s.db"));
  Step step = ending(1, 7);
  step.events = {Cancelled{{7}, JobResult::cancelled, "says \"turn\": itself"}};
  for (std::uint64_t decision = 1; decision <= 5; ++decision) {
    ChronicleEntry entry;
    entry.job = JobId{decision % 2 == 0 ? 8U : 7U};
    entry.decision = decision;
    step.chronicle.push_back(entry);
  }
  open.store->append(step);
  open.store->flush();

  const auto newest = open.store->story({7}, 2);
  ASSERT_EQ(newest.size(), 2U);
  EXPECT_EQ(nlohmann::json::parse(newest[0].json)["by"], 3);
  EXPECT_EQ(nlohmann::json::parse(newest[1].json)["by"], 5);
  EXPECT_EQ(open.store->story({7}, 100).size(), 3U) << "a quotation is no key";
  EXPECT_TRUE(open.store->story({9}, 100).empty());
}

TEST(Store, KeepsTheStoryWhenASnapshotDropsTheSteps) {
  const TemporaryDirectory directory;
  {
    const OpenStore open(directory.file("s.db"));
    Step step = ending(1, 7);
    open.store->append(step);
    open.store->snapshot(state_after(1));
  }
  const OpenStore again(directory.file("s.db"));
  EXPECT_TRUE(again.recovered->steps.empty());
  const auto story = again.store->events(JobId{7}, 0, 10);
  ASSERT_EQ(story.size(), 1U);
  again.store->append(ending(2, 8));
  again.store->flush();
  EXPECT_GT(again.store->events(JobId{8}, 0, 10).at(0).sequence, story[0].sequence);
}

TEST(Store, CutsTheOldestOffWhenItsBoundsAreReached) {
  const TemporaryDirectory directory;
  const OpenStore open(directory.file("s.db"), {.log_rows = 100, .ended_rows = 30, .answers = seconds(1)});
  for (std::uint64_t i = 1; i <= 500; ++i) open.store->append(ending(i, i));
  open.store->snapshot(state_after(500));
  open.store->flush();
  const auto log = open.store->events(std::nullopt, 0, 1000);
  ASSERT_EQ(log.size(), 100U);
  EXPECT_EQ(log.back().job, JobId{500});
  EXPECT_EQ(open.store->ended_jobs(1000).size(), 30U);
  EXPECT_FALSE(open.store->ended({470}));
  EXPECT_TRUE(open.store->ended({471}));
}

TEST(Store, RemembersTheFirstAnswerToAKey) {
  const TemporaryDirectory directory;
  const std::string odd("re\0ply\xff", 7);
  {
    const OpenStore open(directory.file("s.db"));
    open.store->remember_answer({1000, "k"}, {"hash", odd});
    EXPECT_EQ(open.store->answered({1000, "k"})->reply, odd);  // at once
    open.store->append(ending(1, 1));
    open.store->remember_answer({1000, "k"}, {"other", "second"});
    open.store->flush();
    EXPECT_EQ(open.store->answered({1000, "k"})->reply, odd);
    EXPECT_FALSE(open.store->answered({1000, "other"}));
  }
  const OpenStore again(directory.file("s.db"));
  ASSERT_TRUE(again.store->answered({1000, "k"}));
  EXPECT_EQ(again.store->answered({1000, "k"})->body_sha256, "hash");
  EXPECT_EQ(again.store->answered({1000, "k"})->reply, odd);
}

TEST(Store, AKeyOfOneUserIsNotThatOfAnother) {
  const TemporaryDirectory directory;
  const OpenStore open(directory.file("s.db"));
  open.store->remember_answer({1, "k"}, {"one", "1"});
  open.store->remember_answer({2, "k"}, {"two", "2"});
  EXPECT_EQ(open.store->answered({2, "k"})->reply, "2");
  open.store->flush();
  EXPECT_EQ(open.store->answered({1, "k"})->reply, "1");
  EXPECT_EQ(open.store->answered({2, "k"})->reply, "2");
  EXPECT_FALSE(open.store->answered({3, "k"}));
}

TEST(Store, KeysOfAStoreThatDidNotKnowUsersAreThoseOfAll) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("s.db");
  { const OpenStore made(path); }
  sql(path,
      kWithoutMembers +
          std::string(
              "DROP TABLE clocks; DROP TABLE nodes; DROP TABLE learned; DROP TABLE answers; CREATE TABLE "
              "answers(key TEXT PRIMARY KEY, "
              "at INTEGER NOT "
              "NULL, body_sha256 "
              "TEXT "
              "NOT NULL, reply TEXT NOT NULL) STRICT; CREATE INDEX answers_by_age ON answers(at); "
              "INSERT INTO answers VALUES('k', 1, 'hash', 'reply'); PRAGMA user_version = 3"));
  const OpenStore open(path);
  ASSERT_TRUE(open.recovered) << open.recovered.error().message;
  EXPECT_EQ(open.store->answered({7, "k"})->reply, "reply");
}

TEST(Store, KeepsTheNewestAnswersOfEachUser) {
  const TemporaryDirectory directory;
  const OpenStore open(directory.file("s.db"), {.answers_of_user = 10});
  open.store->remember_answer({2, "of another"}, {"hash", "reply"});
  for (int i = 1; i <= 100; ++i) open.store->remember_answer({1, std::to_string(i)}, {"hash", "reply"});
  open.store->append(ending(1, 1));
  open.store->snapshot(state_after(1));
  open.store->flush();
  EXPECT_FALSE(open.store->answered({1, "90"}));
  EXPECT_TRUE(open.store->answered({1, "91"}));
  EXPECT_TRUE(open.store->answered({2, "of another"}));
}

TEST(Store, ForgetsAnswersAfterTheirTimeAndNotBefore) {
  const TemporaryDirectory directory;
  const OpenStore open(directory.file("s.db"));
  const Retention usual;
  ASSERT_GE(usual.answers, seconds(24 * 3600));
  Step step = ending(1, 1);
  open.store->append(step);
  open.store->flush();
  open.store->remember_answer({1000, "k"}, {"hash", "reply"});
  step = ending(2, 2);
  step.now = Instant{1} + usual.answers;
  open.store->append(step);
  open.store->snapshot(state_after(2));
  open.store->flush();
  EXPECT_TRUE(open.store->answered({1000, "k"}));
  step = ending(3, 3);
  step.now = Instant{2} + usual.answers;
  open.store->append(step);
  open.store->snapshot(state_after(3));
  open.store->flush();
  EXPECT_FALSE(open.store->answered({1000, "k"}));
}

}  // namespace
}  // namespace aliquot::test
