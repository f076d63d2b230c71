// The weights of users change: their jobs have them, the policy is asked, and nothing else happens.
#include <gtest/gtest.h>

#include "manager/core/fair_share_watch.hpp"
#include "manager/core/recorded.hpp"
#include "manager/store/state_codec.hpp"
#include "test/support/scripted_world.hpp"

namespace aliquot {
namespace {

using fairness::AccountTree;
using fairness::FairShare;
using test::ScriptedWorld;
using test::submission;

constexpr Weight kHalf{kMillion / 2};

struct job_weight : testing::Test {
  [[nodiscard]] static Submitted submitted_by(std::uint64_t id, std::uint32_t uid) {
    Submission job = submission(1, 1000, 100);
    job.uid = uid;
    job.account = "lab";
    return {{id}, std::move(job)};
  }
  void start(std::uint64_t id, std::uint32_t uid, std::uint32_t node) {
    world.will_decide({{{id}, {{{node}, 1}}, kFullYield}});
    (void)world.complete(world.at(0, {submitted_by(id, uid)}));
    ASSERT_EQ(world.job(id).phase, Phase::running);
  }
  void let_wait(std::uint64_t id, std::uint32_t uid) { (void)world.at(0, {submitted_by(id, uid)}); }
  [[nodiscard]] const Cluster& cluster() const { return world.scheduler().cluster(); }
  [[nodiscard]] const Submission& submitted(std::uint64_t id) const {
    return *cluster().record({id})->submission;
  }
  // What is told now; none: nothing.
  [[nodiscard]] std::vector<UserWeight> told(FairShareWatch& watch, std::int64_t second) const {
    std::vector<Event> events;
    watch.observe(Instant{} + seconds(second), cluster(), events);
    if (events.empty()) return {};
    EXPECT_EQ(events.size(), 1U);
    return std::get<WeightsChanged>(events.front()).weights;
  }

  ScriptedWorld world{{test::node(0, 1, 1000), test::node(1, 1, 1000), test::node(2, 1, 1000)}};
};

TEST_F(job_weight, is_that_of_its_user_in_its_account) {
  start(1, 7, 0);
  start(2, 8, 1);
  const Step step = world.round({WeightsChanged{{{"lab", 7, kHalf}, {"other", 8, kHalf}}}});
  EXPECT_TRUE(step.actions.empty());
  ASSERT_TRUE(step.decision) << "the policy is asked";
  EXPECT_TRUE(step.decision->cause.disturbed);
  EXPECT_EQ(world.job(1).demand.weight, kHalf);
  EXPECT_EQ(submitted(1).demand.weight, kHalf) << "it is stored with the job";
  EXPECT_EQ(world.job(2).demand.weight, Weight{});
  EXPECT_EQ(world.violations(), 0U);
}

TEST_F(job_weight, that_it_has_already_is_no_reason_to_decide) {
  start(1, 7, 0);
  EXPECT_FALSE(world.round({WeightsChanged{{{"lab", 7, Weight{}}}}}).decision);
  EXPECT_FALSE(world.round({WeightsChanged{}}).decision);
}

TEST_F(job_weight, of_a_recorded_event_is_within_bounds) {
  for (const Weight wrong : {Weight{0}, Weight{-1}, Weight{kMostWeight.raw + 1}}) {
    const std::vector<Event> events{WeightsChanged{{{"lab", 7, wrong}}}};
    EXPECT_FALSE(check_recorded(events));
  }
  const std::vector<Event> events{WeightsChanged{{{"lab", 7, kLeastWeight}}}};
  EXPECT_TRUE(check_recorded(events));
}

TEST_F(job_weight, is_told_when_users_have_been_granted_unlike_amounts) {
  start(1, 7, 0);
  FairShareWatch watch(FairShare(AccountTree{}, seconds(1'000)), cluster());
  watch.follow(cluster(), Instant{});
  EXPECT_TRUE(told(watch, 10).empty()) << "alone it is entitled to all";
  start(2, 7, 1);
  for (const std::uint32_t uid : {8U, 9U, 10U}) let_wait(uid, uid);
  watch.follow(cluster(), Instant{});
  // Two of three cores, and it is entitled to a quarter of them.
  const std::vector<UserWeight> unlike = told(watch, 5'001);
  ASSERT_EQ(unlike.size(), 1U) << "the others have used nothing";
  EXPECT_EQ(unlike[0].uid, 7U);
  EXPECT_LT(unlike[0].weight, Weight{});
  EXPECT_EQ(watch.weight_of({"lab", 7}, cluster(), Instant{}), unlike[0].weight)
      << "a new job has the same";
  EXPECT_TRUE(told(watch, 5'002).empty()) << "not so soon again";
}

TEST_F(job_weight, is_told_when_a_user_has_many_jobs) {
  FairShareWatch watch(FairShare(AccountTree{}, seconds(1'000)), cluster());
  let_wait(1, 7);
  for (std::uint64_t id = 2; id <= 19; ++id) let_wait(id, 8);
  watch.follow(cluster(), Instant{});
  const std::vector<UserWeight> told_weights = told(watch, 10);
  ASSERT_EQ(told_weights.size(), 1U);
  EXPECT_EQ(told_weights[0].uid, 8U);
  EXPECT_EQ(told_weights[0].weight, Weight{kMillion / 4}) << "nine of eighteen, squared";
}

TEST_F(job_weight, is_told_when_many_jobs_of_a_user_have_run_and_ended) {
  FairShareWatch watch(FairShare(AccountTree{}, seconds(1'000)), cluster());
  let_wait(1, 7);
  let_wait(2, 8);
  Step step;
  for (std::uint64_t id = 3; id <= 33; ++id) {
    JobOutcome outcome;
    outcome.submission = submitted_by(id, 8).submission;
    if (id > 3) outcome.started = Instant{};
    step.ended.push_back(std::move(outcome));
  }
  watch.count_ended(step);
  watch.follow(cluster(), Instant{});
  const std::vector<UserWeight> told_weights = told(watch, 0);
  EXPECT_DOUBLE_EQ(watch.fair_share().ended({"lab", 8}, Instant{}), 30) << "one has never run";
  ASSERT_TRUE(told_weights.empty()) << "it is not yet time to look";
  const std::vector<UserWeight> later = told(watch, 10);
  ASSERT_EQ(later.size(), 1U);
  EXPECT_EQ(later[0].uid, 8U);
  EXPECT_LT(later[0].weight, kHalf);
}

TEST_F(job_weight, of_a_new_user_is_as_if_it_were_active) {
  start(1, 7, 0);
  FairShareWatch watch(FairShare(AccountTree{}, seconds(1'000)), cluster());
  watch.follow(cluster(), Instant{});
  EXPECT_EQ(watch.weight_of({"lab", 9}, cluster(), Instant{} + seconds(5'000)), Weight{});
}

TEST_F(job_weight, is_taken_from_the_jobs_after_a_restart) {
  start(1, 7, 0);
  (void)world.round({WeightsChanged{{{"lab", 7, kHalf}}}});
  FairShareWatch watch(FairShare(AccountTree{}, seconds(1'000)), cluster());
  EXPECT_EQ(watch.weight_of({"lab", 7}, cluster(), Instant{}), kHalf);
  const std::vector<UserWeight> alone = told(watch, 0);
  ASSERT_EQ(alone.size(), 1U) << "it is looked at at once";
  EXPECT_EQ(alone[0].weight, Weight{});
}

TEST_F(job_weight, is_not_looked_at_while_no_user_has_jobs) {
  FairShareWatch watch(FairShare(AccountTree{}, seconds(1'000)), cluster());
  watch.follow(cluster(), Instant{});
  EXPECT_EQ(watch.next_due(), kNever);
  start(1, 7, 0);
  watch.follow(cluster(), Instant{});
  EXPECT_EQ(watch.next_due(), Instant{} + seconds(10)) << "a hundredth of the half-life";
}

}  // namespace
}  // namespace aliquot
