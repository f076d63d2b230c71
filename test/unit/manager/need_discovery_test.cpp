// From the counters of VMs to the event that another need was learned.
#include "manager/need_discovery.hpp"

#include <gtest/gtest.h>

#include "test/support/scripted_world.hpp"

namespace aliquot {
namespace {

using test::ScriptedWorld;
using test::submission;

constexpr JobId kJob{1};

Instant at(std::int64_t second) { return Instant{} + seconds(second); }

class need_discovery : public testing::Test {
 protected:
  void start(Submission job) {
    world_.will_decide({{kJob, {{{0}, job.demand.tasks}}, kFullYield}});
    (void)world_.complete(world_.at(0, {Submitted{kJob, std::move(job)}}));
  }
  // Each second the VM of a task uses so many hundredths of a core of its node, and is never held back.
  void watch(std::int64_t from, std::int64_t to, std::int64_t percent, std::int64_t run = 1) {
    for (std::int64_t second = from; second < to; ++second) {
      used_ += Duration{percent * 10'000};
      discovery_.every_second();
      discovery_.read({{kJob, 0, 1, run, {0}, 1, {used_, Duration{}, Duration{}}}}, at(second));
      take_step(second);
    }
  }
  void take_step(std::int64_t second) {
    for (Event& event : std::exchange(input_.events, {})) {
      learned_.push_back(std::get<NeedLearned>(event));
      (void)world_.complete(world_.at(second, {std::move(event)}));
    }
  }
  static Submission learning(std::int64_t milli_cores) {
    Submission job = submission(1, milli_cores, 100);
    job.need_mode = needs::NeedMode::learned;
    return job;
  }

  ScriptedWorld world_{{test::node(0, 4, 4000)}};
  std::vector<std::int64_t> speeds_{kMillion};
  NeedSettings settings_;
  StepInput input_;
  NeedDiscovery discovery_{{world_.scheduler(), speeds_, settings_, input_}};
  Duration used_;
  std::vector<NeedLearned> learned_;
};

TEST_F(need_discovery, finds_what_a_job_uses) {
  start(learning(1000));
  watch(1, 61, 30);
  ASSERT_FALSE(learned_.empty());
  EXPECT_EQ(learned_.back().job, kJob);
  EXPECT_NEAR(static_cast<double>(world_.job(1).demand.need.raw), 330'000, 50'000);
  EXPECT_EQ(learned_.back().used, Cpu{300'000});
  EXPECT_EQ(learned_.back().why, "a task of it uses 0.3 cores of the 1 that it declares");
}

TEST_F(need_discovery, counts_in_reference_cores) {
  speeds_[0] = 2 * kMillion;
  start(learning(1000));
  watch(1, 61, 10);
  ASSERT_FALSE(learned_.empty());
  EXPECT_EQ(learned_.back().used, Cpu{200'000});
}

TEST_F(need_discovery, leaves_alone_what_is_to_be_counted_as_declared) {
  start(submission(1, 1000, 100));
  watch(1, 61, 30);
  EXPECT_FALSE(discovery_.watches());
  EXPECT_TRUE(learned_.empty());
}

TEST_F(need_discovery, does_not_reach_across_the_runs_of_a_vm) {
  start(learning(1000));
  for (std::int64_t k = 0; k < 6; ++k) watch(1 + 10 * k, 11 + 10 * k, 30, k);
  EXPECT_TRUE(learned_.empty()) << "no run was watched for a whole window";
}

TEST_F(need_discovery, says_nothing_while_no_step_can_be_stored) {
  start(learning(1000));
  input_.blocked = Error{ErrorKind::no_space, "the disk is full"};
  watch(1, 61, 30);
  EXPECT_TRUE(learned_.empty());
}

TEST_F(need_discovery, says_nothing_while_the_manager_only_advises) {
  start(learning(1000));
  (void)world_.at(0, {ModeChanged{Mode::advise}});
  watch(1, 61, 30);
  EXPECT_TRUE(learned_.empty());
}

TEST_F(need_discovery, forgets_a_job_that_has_ended) {
  start(learning(1000));
  watch(1, 5, 30);
  EXPECT_TRUE(discovery_.watches());
  (void)world_.complete(world_.at(5, {Cancelled{kJob, JobResult::cancelled, "its user"}}));
  discovery_.every_second();
  EXPECT_FALSE(discovery_.watches());
}

TEST_F(need_discovery, begins_anew_from_another_declaration) {
  start(learning(1000));
  watch(1, 61, 30);
  const std::size_t before = learned_.size();
  (void)world_.complete(world_.at(61, {NeedChanged{kJob, Cpu{800'000}, "its user"}}));
  watch(61, 70, 30);
  EXPECT_EQ(learned_.size(), before) << "what was seen before counts no more";
  watch(70, 121, 30);
  ASSERT_GT(learned_.size(), before);
  EXPECT_EQ(learned_.back().why, "a task of it uses 0.3 cores of the 0.8 that it declares");
}

TEST_F(need_discovery, probes_no_more_jobs_than_it_may) {
  Submission job = learning(100);
  job.need_mode = needs::NeedMode::learned_up;
  settings_.most_probed = 0;
  start(job);
  for (std::int64_t second = 1; second < 61; ++second) {
    used_ += Duration{100'000};
    discovery_.every_second();
    discovery_.read({{kJob, 0, 1, 1, {0}, 1, {used_, seconds(second), seconds(second)}}}, at(second));
    take_step(second);
    if (second == 40) {
      EXPECT_TRUE(learned_.empty());
      settings_.most_probed = 1;
    }
  }
  EXPECT_FALSE(learned_.empty()) << "one job may be probed whatever the share";
}

}  // namespace
}  // namespace aliquot
