// What the policies make of weights.
#include <gtest/gtest.h>

#include "policies/aliquot/prediction.hpp"
#include "test/unit/policies/small.hpp"

namespace aliquot {
namespace {

constexpr Weight kHalf{kMillion / 2}, kDouble{kMillion * 2};

const Change* change_of(const Plan& plan, std::uint64_t job) {
  for (const Change& change : plan.changes)
    if (change.job == JobId{job}) return &change;
  return nullptr;
}

// A node for one of two jobs, the later of which has the larger weight.
bool later_is_first(const char* policy, Weight weight) {
  test::SmallView small(1);
  small.arrived(1, 1, 60, 60).submitted = Instant{};
  small.arrived(2, 1, 60, 60).demand.weight = weight;
  for (auto&& [id, job] : small.view.jobs) job.demand.estimate = seconds(100);
  small.view.cause.tick = true;
  const Plan plan = small.decide(policy);
  EXPECT_EQ(plan.changes.size(), 1U) << policy;
  return change_of(plan, 2) != nullptr;
}

TEST(weights, put_waiting_jobs_in_order) {
  for (const char* policy : {"FCFS", "EASY", "CONSERVATIVE", "DYNMCB8", "DYNMCB8-ASAP-PER-600"}) {
    EXPECT_FALSE(later_is_first(policy, Weight{})) << policy;
    EXPECT_TRUE(later_is_first(policy, kDouble)) << policy;
    EXPECT_FALSE(later_is_first(policy, kHalf)) << policy;
  }
}

// The index has the queue of the core, which hands the jobs out without a draft.
TEST(weights, order_the_queue_of_the_index) {
  for (const bool is_kept : {false, true}) {
    test::SmallView small(1);
    small.waiting(1, 1, 60, 60, 300);
    small.waiting(2, 1, 60, 60, 200).demand.weight = kDouble;
    small.waiting(3, 1, 60, 60, 400);
    small.view.cause.woken = true;
    if (is_kept) small.view.index.rebuild(small.view);
    const Plan plan = small.decide("EASY");
    ASSERT_EQ(plan.changes.size(), 1U);
    EXPECT_EQ(plan.changes[0].job, JobId{2});
  }
}

TEST(weights, multiply_priorities) {
  test::SmallView small(1);
  Job& job = small.paused(1, 1, 50, 50, 400, 100);
  const double plain = priority(job, small.view.now);
  job.demand.weight = kDouble;
  EXPECT_DOUBLE_EQ(priority(job, small.view.now), 2 * plain);
  Job& fresh = small.waiting(2, 1, 50, 50);
  const std::uint64_t of_fresh = key_of_priority(fresh, small.view.now);
  EXPECT_LT(of_fresh, key_of_priority(job, small.view.now)) << "infinite comes before finite";
  fresh.demand.weight = kLeastWeight;
  EXPECT_GT(key_of_priority(fresh, small.view.now), of_fresh);
  EXPECT_LT(key_of_priority(fresh, small.view.now), key_of_priority(job, small.view.now));
}

TEST(weights, multiply_predicted_stretches) {
  test::SmallView small(1);
  Job& job = small.running(1, {{{0}, 1}}, 50, 50, 400, 100);
  const Prediction plain = predict(job, small.view.now, small.view.now, seconds(30));
  job.demand.weight = kDouble;
  const Prediction weighted = predict(job, small.view.now, small.view.now, seconds(30));
  EXPECT_DOUBLE_EQ(weighted.at_full_speed, 2 * plain.at_full_speed);
  EXPECT_DOUBLE_EQ(weighted.pred(50), 2 * plain.pred(50));
  EXPECT_DOUBLE_EQ(weighted.share(2 * 7.0), plain.share(7.0));
}

// Two jobs that are alike share a node.
TEST(weights, divide_contended_cpu_under_aliquot) {
  const auto yields = [](Weight of_first) {
    test::SmallView small(1);
    small.running(1, {{{0}, 1}}, 100, 40, 400, 100).demand.weight = of_first;
    small.running(2, {{{0}, 1}}, 100, 40, 400, 100);
    for (auto&& [id, job] : small.view.jobs) job.yield = job.progress.rate = Yield{kMillion / 4};
    small.view.cause.completed = true;
    const Plan plan = small.decide("ALIQUOT:local=off");
    return std::pair{change_of(plan, 1)->yield, change_of(plan, 2)->yield};
  };
  const auto [first, second] = yields(Weight{});
  EXPECT_NEAR(static_cast<double>(first.raw), static_cast<double>(second.raw), 10);
  const auto [less, more] = yields(kHalf);
  EXPECT_LT(less.raw * 3, more.raw * 2);
  // The floor of a job of a small weight is as much smaller: 0.3 of its fair share of one half.
  const auto [least, rest] = yields({kMillion / 100});
  EXPECT_NEAR(static_cast<double>(least.raw), 1'500, 50);
  EXPECT_GT(rest.raw, 990'000);
}

// The job that waits has come to the stretch (300 + 30) / 30 = 11, the running one comes to 2.3, of which
// half counts.
TEST(weights, decide_who_is_paused_for_whom) {
  const auto is_paused = [](Weight of_waiting, Weight of_running) {
    test::SmallView small(1);
    small.view.costs.restart = seconds(0);
    small.running(1, {{{0}, 1}}, 50, 90, 200, 100).demand.weight = of_running;
    small.waiting(2, 1, 50, 90, 300).demand.weight = of_waiting;
    small.view.cause.woken = true;
    return test::pauses(small.decide("ALIQUOT"), 1);
  };
  EXPECT_TRUE(is_paused({}, {}));
  EXPECT_FALSE(is_paused({kMillion / 20}, {}));
  EXPECT_FALSE(is_paused({}, {kMillion * 20}));
  EXPECT_TRUE(is_paused({kMillion / 8}, {kMillion / 8}));
}

}  // namespace
}  // namespace aliquot
