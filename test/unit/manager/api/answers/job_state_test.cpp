// One word for each way a job can stand.
#include "manager/api/answers/job_state.hpp"

#include <gtest/gtest.h>

#include <set>

#include "test/unit/manager/api/answers/small_state.hpp"

namespace aliquot {
namespace {

class JobStates : public testing::Test {
 protected:
  Job& job() { return small_.state.view.jobs.at({1}); }
  JobRecord& record() { return small_.state.records.at({1}); }
  Vm& vm(std::size_t task) { return record().vms[task]; }
  std::string now() { return std::string(word(job_state(job(), record()))); }
  void fly(std::size_t task, ActionKind kind) { vm(task).flight = Flight{{1}, kind, {0}, {}, {}}; }
  void phase(Phase phase, VmState state) {
    job().phase = phase;
    for (Vm& each : record().vms) each.state = state;
  }

 private:
  test::SmallState small_;
};

TEST_F(JobStates, RunningWhenAllItsVmsRunWhereTheyShould) {
  EXPECT_EQ(now(), "running");
  fly(0, ActionKind::cap);
  EXPECT_EQ(now(), "running");
  vm(0).state = VmState::ended;
  vm(0).flight.reset();
  EXPECT_EQ(now(), "running");
}

TEST_F(JobStates, MigratingWhenOneIsOrShouldBeOnItsWay) {
  fly(1, ActionKind::migrate);
  EXPECT_EQ(now(), "migrating");
  vm(1).flight.reset();
  vm(1).wanted = {0};
  EXPECT_EQ(now(), "migrating");
}

TEST_F(JobStates, StartingBeforeItsFirstReleaseAndResumingAfter) {
  phase(Phase::running, VmState::ready);
  EXPECT_EQ(now(), "resuming");
  record().started.reset();
  EXPECT_EQ(now(), "starting");
}

TEST_F(JobStates, PausingUntilAllIsSavedThenPaused) {
  phase(Phase::paused, VmState::running);
  EXPECT_EQ(now(), "pausing");
  phase(Phase::paused, VmState::saved);
  fly(0, ActionKind::save);
  EXPECT_EQ(now(), "pausing");
  vm(0).flight.reset();
  EXPECT_EQ(now(), "paused");
  job().held = true;
  EXPECT_EQ(now(), "held");
  record().deferral.begin = Instant{} + seconds(60);
  EXPECT_EQ(now(), "deferred");
  record().deferral = {};
  record().array.emplace();
  EXPECT_EQ(now(), "array");
  record().array->held = true;
  EXPECT_EQ(now(), "held");
  record().array->stopped = true;
  EXPECT_EQ(now(), "ending");
  record().array.reset();
}

TEST_F(JobStates, PendingOrHeldBeforeAnything) {
  phase(Phase::waiting, VmState::absent);
  EXPECT_EQ(now(), "pending");
  job().held = true;
  EXPECT_EQ(now(), "held");
}

TEST_F(JobStates, EndingWhileItsVmsAreDestroyed) {
  record().leaving = job();
  EXPECT_EQ(now(), "ending");
}

TEST(JobStateWords, AreDistinctAndComplete) {
  std::set<std::string_view> words;
  for (const JobState state : all_job_states()) words.insert(word(state));
  EXPECT_EQ(words.size(), all_job_states().size());
  EXPECT_EQ(words.size(), static_cast<std::size_t>(JobState::timed_out) + 1);
  EXPECT_EQ(word(job_state(JobResult::timed_out)), "timed_out");
  EXPECT_EQ(word(job_state(JobResult::completed)), "completed");
}

}  // namespace
}  // namespace aliquot
