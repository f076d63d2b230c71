#include <gtest/gtest.h>

#include "policies/batch/free_nodes.hpp"
#include "test/support/random_view.hpp"
#include "test/support/toy_cluster.hpp"
#include "test/unit/policies/reference_conservative.hpp"
#include "test/unit/policies/small.hpp"

namespace aliquot {
namespace {

using test::Dice;
using test::NaiveConservative;
using test::NaiveJob;
using test::on;
using test::placed;
using test::SmallView;
using test::ToyCluster;
using test::ToyJob;

void busy(SmallView& small, std::uint64_t id, Placement placement, std::int64_t left_s) {
  small.running(id, std::move(placement), 100, 10, 100, 100).demand.estimate = seconds(100 + left_s);
}
void queued(SmallView& small, std::uint64_t id, std::uint32_t tasks, std::int64_t estimate_s,
            std::int64_t flow_s) {
  small.waiting(id, tasks, 100, 10, flow_s).demand.estimate = seconds(estimate_s);
}
Instant in(const SmallView& small, std::int64_t s) { return small.view.now + seconds(s); }

TEST(Conservative, a_later_job_fills_a_gap_that_nobody_is_promised) {
  SmallView small(3);
  busy(small, 1, {on(0), on(1)}, 50);
  queued(small, 2, 3, 10, 9);  // at 50
  queued(small, 3, 1, 50, 8);  // ends at 50: now
  queued(small, 4, 1, 51, 7);  // would not: after 2, at 60
  const Plan plan = small.decide("CONSERVATIVE");
  EXPECT_EQ((Placement{on(2)}), placed(plan, 3));
  EXPECT_EQ(in(small, 50), plan.memory.reservations.at({2}).at);
  EXPECT_EQ(in(small, 60), plan.memory.reservations.at({4}).at);
  EXPECT_EQ(in(small, 50), plan.wake_at);
}

TEST(Conservative, goes_by_predictions_if_it_is_told_to) {
  SmallView small(3);
  busy(small, 1, {on(0), on(1)}, 50);
  queued(small, 2, 3, 10, 9);
  queued(small, 3, 1, 500, 8);
  EXPECT_TRUE(small.decide("CONSERVATIVE").changes.empty());
  EXPECT_TRUE(small.decide("CONSERVATIVE/predict").changes.empty());
  small.view.jobs.at({3}).demand.predicted = seconds(50);
  EXPECT_EQ((Placement{on(2)}), placed(small.decide("CONSERVATIVE/predict"), 3));
  small.view.jobs.at({1}).demand.predicted = seconds(105);  // it has run for 100 s: the reservation is at 5
  const Plan plan = small.decide("CONSERVATIVE/predict");
  EXPECT_EQ(in(small, 5), plan.memory.reservations.at({2}).at);
  EXPECT_EQ(in(small, 15), plan.memory.reservations.at({3}).at);
}

TEST(Conservative, unlike_easy_it_delays_no_reservation_at_all) {
  SmallView small(4);
  busy(small, 1, {on(0), on(1), on(2)}, 50);
  queued(small, 2, 2, 10, 9);   // two nodes at 50, until 60
  queued(small, 3, 4, 10, 8);   // all at 60
  queued(small, 4, 1, 100, 7);  // the idle node is of no use to 2, but is promised to 3
  EXPECT_EQ((Placement{on(3)}), placed(small.decide("EASY"), 4));
  const Plan plan = small.decide("CONSERVATIVE");
  EXPECT_TRUE(plan.changes.empty());
  EXPECT_EQ(in(small, 70), plan.memory.reservations.at({4}).at);
  EXPECT_EQ(Reason::reserved, small.explain("CONSERVATIVE", 4).reason);
  EXPECT_EQ(in(small, 70), small.explain("CONSERVATIVE", 4).retry_at);
  EXPECT_EQ(Reason::nodes_busy, small.explain("CONSERVATIVE", 3).reason);
}

TEST(Conservative, a_promise_is_kept_where_planning_from_scratch_would_break_it) {
  SmallView small(2);
  busy(small, 1, {on(0)}, 4);   // its neighbour on n1 has just ended early
  queued(small, 2, 2, 100, 9);  // promised 100
  queued(small, 3, 1, 40, 8);   // promised 50, in the gap before
  small.view.cause.completed = true;
  small.view.memory.reservations[{2}] = {in(small, 100), {}};
  small.view.memory.reservations[{3}] = {in(small, 50), {}};
  const Plan plan = small.decide("CONSERVATIVE");
  // Planned from scratch, 2 would start at 4 and 3 at 104. But 3 is promised 50 to 90, so 2 comes forward
  // to 90 only; then 3 can start now.
  EXPECT_EQ(in(small, 90), plan.memory.reservations.at({2}).at);
  EXPECT_EQ((Placement{on(1)}), placed(plan, 3));
}

TEST(Conservative, jobs_without_an_estimate_count_as_a_year_and_those_past_theirs_as_twice_as_long) {
  SmallView small(1);
  busy(small, 1, {on(0)}, -10);  // estimated 90 s, has run 100
  queued(small, 2, 1, 10, 9);
  EXPECT_EQ(in(small, 80), small.decide("CONSERVATIVE").memory.reservations.at({2}).at);
  small.view.jobs.at({1}).demand.estimate.reset();
  EXPECT_EQ(in(small, 366 * 86'400 - 100), small.decide("CONSERVATIVE").memory.reservations.at({2}).at);
}

TEST(FreeNodes, equals_a_plain_array_under_random_changes) {
  constexpr std::int64_t span = 2000;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Dice dice(seed);
    FreeNodes fast({0}, 50);
    std::vector<std::int64_t> plain(span, 50);
    std::int64_t for_good = 50;
    for (int turn = 0; turn < 1500; ++turn) {
      const std::int64_t from = dice.between(0, span - 1);
      const bool ends = dice.chance(95);
      const std::int64_t to = ends ? dice.between(from, span - 1) : span;
      const std::int64_t delta = dice.between(-3, 3);
      fast.add({from}, ends ? Instant{to} : kNever, delta);
      for (std::int64_t t = from; t < to; ++t) plain[static_cast<std::size_t>(t)] += delta;
      if (!ends) for_good += delta;
      const std::int64_t a = dice.between(0, span - 2);
      const std::int64_t b = dice.between(a + 1, span - 1);
      const std::int64_t level = dice.between(30, 70);
      ASSERT_EQ(*std::min_element(plain.begin() + a, plain.begin() + b), fast.least({a}, {b})) << seed;
      const auto first = [&](auto&& hit, bool at_the_end) {
        const auto found = std::find_if(plain.begin() + a, plain.end(), hit);
        return found != plain.end() ? Instant{found - plain.begin()} : at_the_end ? Instant{span} : kNever;
      };
      const Instant below = first([=](std::int64_t f) { return f < level; }, for_good < level);
      if (below.raw != span) {
        ASSERT_EQ(below, fast.first_below({a}, level)) << seed;
      }
      const Instant enough = first([=](std::int64_t f) { return f >= level; }, for_good >= level);
      if (enough.raw != span) {
        ASSERT_EQ(enough, fast.first_at_least({a}, level)) << seed;
      }
    }
  }
}

std::vector<NaiveJob> random_jobs(Dice& dice, std::int64_t nodes) {
  std::vector<NaiveJob> jobs;
  std::int64_t submit = 0;
  const std::int64_t gap = dice.between(5, 60);
  for (std::int64_t id = 1; id <= 60; ++id) {
    submit += dice.between(0, gap);
    NaiveJob job{id, submit, dice.between(1, dice.chance(20) ? nodes : nodes / 3 + 1), 0,
                 dice.between(1, 200)};
    job.estimate = job.runtime + (dice.chance(60) ? dice.between(0, 300) : 0);
    jobs.push_back(job);
  }
  return jobs;
}

ToyJob toy_of(const NaiveJob& job) {
  ToyJob toy{{static_cast<std::uint64_t>(job.id)}, {seconds(job.submit).raw}, {}, seconds(job.runtime)};
  toy.demand.tasks = static_cast<std::uint32_t>(job.nodes);
  toy.demand.need = cores(1);
  toy.demand.memory = mebibytes(10);
  toy.demand.estimate = seconds(job.estimate);
  return toy;
}

std::vector<Node> some_nodes(std::int64_t count) {
  std::vector<Node> nodes(static_cast<std::size_t>(count));
  for (std::uint32_t n = 0; n < nodes.size(); ++n) {
    nodes[n].id = {n};
    nodes[n].capacity = cores(1);
    nodes[n].memory = mebibytes(100);
  }
  return nodes;
}

TEST(Conservative, equals_the_reference_start_by_start) {
  for (std::uint64_t seed = 0; seed < 25; ++seed) {
    Dice dice(seed);
    const std::int64_t nodes = dice.between(2, 16);
    const auto jobs = random_jobs(dice, nodes);
    std::vector<ToyJob> toys;
    for (const NaiveJob& job : jobs) toys.push_back(toy_of(job));
    const auto result = ToyCluster(some_nodes(nodes), toys, {}).run("CONSERVATIVE");
    ASSERT_EQ("", result.complaint) << "seed " << seed;
    for (const auto& [id, start] : NaiveConservative(nodes, jobs).run()) {
      ASSERT_EQ(seconds(start).raw, result.start.at({static_cast<std::uint64_t>(id)}).raw)
          << "seed " << seed << ", job " << id;
    }
  }
}

TEST(Conservative, no_job_starts_later_than_it_was_first_promised) {
  std::size_t earlier = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    Dice dice(seed);
    const std::int64_t count = dice.between(2, 16);
    std::vector<Node> nodes = some_nodes(count);
    std::vector<ToyJob> toys;
    for (const NaiveJob& job : random_jobs(dice, count)) toys.push_back(toy_of(job));
    if (dice.chance(60)) {  // unlike nodes: some jobs need the larger ones
      std::int64_t large = 0;
      for (Node& node : nodes) {
        if (dice.chance(40)) ++large, node.capacity = cores(2);
      }
      for (ToyJob& job : toys) {
        if (job.demand.tasks <= large && dice.chance(30)) job.demand.need = cores(2);
      }
    }
    const auto result = ToyCluster(nodes, toys, {}).run("CONSERVATIVE");
    ASSERT_EQ("", result.complaint) << "seed " << seed;
    for (const auto& [job, promise] : result.promised) {
      ASSERT_LE(result.start.at(job), promise) << "seed " << seed << ", job " << job.raw;
      if (result.start.at(job) < promise) ++earlier;
    }
  }
  EXPECT_GT(earlier, 500U);  // compression is at work
}

}  // namespace
}  // namespace aliquot
