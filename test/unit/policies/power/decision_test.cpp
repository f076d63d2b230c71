// Which nodes go off and which are woken, by each rule, and the laws that all rules keep.
#include "policies/power/decision.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>

#include "test/support/random_view.hpp"
#include "test/support/small_view.hpp"

namespace aliquot::power {
namespace {

using test::node;
using test::running;
using test::submission;
using test::waiting;

constexpr Instant at(std::int64_t second) { return Instant{} + seconds(second); }

// Four nodes of four cores, and a policy without a reserve.
class PowerDecisions : public testing::Test {
 protected:
  PowerDecisions() {
    for (std::uint32_t n = 0; n < 4; ++n) view.nodes.push_back(node(n, 4, 8000));
    settings.rule = PowerRule::aliquot;
    settings.reserve = 0;
    settings.caution = 0;
  }
  void add(Job job) {
    const JobId id = job.id;
    view.jobs.emplace(id, std::move(job));
  }
  void sleep(std::uint32_t n) { view.nodes[n].power = NodePower::off; }
  void see(Instant now) {
    view.now = now;
    view.index.rebuild(view);
    observe(memory, view);
  }
  PowerDecision decide(std::int64_t second, std::vector<Demand> arriving = {}) {
    see(at(second));
    return decide_power(view, settings, memory, arriving);
  }
  // "on off waking ...": what is to become of each node.
  std::vector<NodePower> next(const PowerDecision& decision) {
    std::vector<NodePower> all;
    for (const NodeVerdict& verdict : decision.verdicts) all.push_back(verdict.next);
    return all;
  }

  ClusterView view;
  PowerSettings settings;
  PowerMemory memory;
};

using enum NodePower;

TEST_F(PowerDecisions, an_idle_node_goes_off_when_it_was_idle_for_the_break_even_time) {
  add(running(1, submission(1, 4000, 100), {{{0}, 1}}));
  const PowerDecision early = decide(0);
  EXPECT_EQ(next(early), (std::vector{on, on, on, on}));
  EXPECT_EQ(early.verdicts[1].reason, PowerReason::break_even);
  const Instant due = at(0) + break_even(settings.draw, settings.boot);
  EXPECT_EQ(early.ask_again, due);
  see(due);
  const PowerDecision late = decide_power(view, settings, memory);
  EXPECT_EQ(next(late), (std::vector{on, going_off, going_off, going_off}));
  EXPECT_EQ(text_of(late.verdicts[1], on, due),
            "goes off: the other nodes carry the load, and the reserve is complete");
  EXPECT_EQ(text_of(late.verdicts[0], on, due), "stays on: it holds jobs");
}

TEST_F(PowerDecisions, a_node_that_draws_more_when_idle_goes_off_sooner) {
  settings.draws.assign(4, settings.draw);
  settings.draws[2].idle = settings.draw.full;
  decide(0);
  const Instant due = at(0) + break_even(settings.draws[2], settings.boot);
  see(due);
  const PowerDecision decision = decide_power(view, settings, memory);
  EXPECT_EQ(next(decision), (std::vector{on, on, going_off, on}));
  EXPECT_EQ(decision.ask_again, at(0) + break_even(settings.draw, settings.boot));
}

TEST_F(PowerDecisions, a_woken_node_stays_on_for_the_minimum_time) {
  sleep(3);
  settings.boot = seconds(1);
  decide(0);
  view.nodes[3].power = waking;
  decide(10);
  view.nodes[3].power = on;
  decide(20);
  const PowerDecision early = decide(139);
  EXPECT_EQ(early.verdicts[3].next, on);
  EXPECT_EQ(early.verdicts[3].reason, PowerReason::minimum_on);
  EXPECT_EQ(early.ask_again, at(140));
  EXPECT_EQ(text_of(early.verdicts[3], on, at(139)), "stays on: minimum on-time, 1 s more");
  EXPECT_EQ(decide(140).verdicts[3].next, going_off);
}

TEST_F(PowerDecisions, the_reserve_stays_on) {
  settings.reserve = 2;
  add(running(1, submission(1, 4000, 100), {{{0}, 1}}));
  decide(0);
  const PowerDecision decision = decide(3600);
  EXPECT_EQ(next(decision), (std::vector{on, on, on, going_off}));
  EXPECT_EQ(text_of(decision.verdicts[1], on, at(3600)), "stays on: a reserve of 2 idle nodes");
}

TEST_F(PowerDecisions, a_fifth_of_the_nodes_is_in_reserve_while_no_job_waits_for_others) {
  for (std::uint32_t n = 4; n < 10; ++n) view.nodes.push_back(node(n, 4, 8000));
  decide(0);
  EXPECT_EQ(decide(3600).verdicts[1].reason, PowerReason::reserve);
  EXPECT_EQ(decide(3600).verdicts[2].reason, PowerReason::surplus);
  memory.stretch.see(at(3600), seconds(165), seconds(90) * kFullYield, settings.boot);
  EXPECT_EQ(decide(3600).verdicts[1].reason, PowerReason::reserve)
      << "less than a boot does to a short job";
  memory.stretch.see(at(3600), seconds(180), seconds(90) * kFullYield, settings.boot);
  EXPECT_EQ(decide(3600).verdicts[1].reason, PowerReason::surplus);
}

TEST_F(PowerDecisions, a_reserve_that_is_missing_is_woken) {
  settings.reserve = 2;
  for (const std::uint32_t n : {1, 2, 3}) sleep(n);
  EXPECT_EQ(next(decide(0)), (std::vector{on, waking, off, off}));
}

TEST_F(PowerDecisions, before_an_hour_with_arrivals_nodes_are_woken_in_time) {
  settings.boot = seconds(100);
  for (std::int64_t week = 0; week < 3; ++week) {
    memory.arrivals.advance(at(3600 * 168 * week + 3600 * 9));
    for (int k = 0; k < 36; ++k) memory.arrivals.add(at(3600 * 168 * week + 3600 * 9), whole_nodes(3));
  }
  for (const std::uint32_t n : {0, 1, 2, 3}) sleep(n);
  const std::int64_t nine = 3600 * 168 * 3 + 3600 * 9;
  const PowerDecision before = decide(nine - 201);
  EXPECT_EQ(next(before), (std::vector{off, off, off, off}));
  EXPECT_EQ(before.ask_again, at(nine - 100));
  // 36 jobs of 3 nodes in an hour are 3 nodes in the time of a boot.
  EXPECT_EQ(next(decide(nine - 100)), (std::vector{waking, waking, waking, off}));
}

TEST_F(PowerDecisions, a_job_that_waits_wakes_as_many_nodes_as_it_has_tasks) {
  for (const std::uint32_t n : {1, 2, 3}) sleep(n);
  add(running(1, submission(1, 4000, 8000), {{{0}, 1}}));
  add(waiting(17, submission(2, 4000, 8000)));
  const PowerDecision decision = decide(0);
  EXPECT_EQ(next(decision), (std::vector{on, waking, waking, off}));
  EXPECT_EQ(text_of(decision.verdicts[1], off, at(0)), "is woken: job 17 waits for it");
}

TEST_F(PowerDecisions, only_nodes_that_may_be_of_use_are_woken) {
  for (const std::uint32_t n : {1, 2, 3}) sleep(n);
  view.nodes[1].memory = mebibytes(1000);
  view.nodes[2].hypervisor = HypervisorKind::xen;
  add(waiting(17, submission(1, 4000, 4000)));
  view.jobs.at({17}).bound = HypervisorKind::libvirt;
  add(running(1, submission(1, 4000, 8000), {{{0}, 1}}));
  EXPECT_EQ(next(decide(0)), (std::vector{on, off, off, waking}));
}

TEST_F(PowerDecisions, a_job_is_not_taken_for_one_that_only_asks_for_as_much) {
  for (const std::uint32_t n : {1, 2, 3}) sleep(n);
  add(running(1, submission(1, 4000, 8000), {{{0}, 1}}));
  add(waiting(17, submission(1, 4000, 8000)));
  view.jobs.at({17}).bound = HypervisorKind::xen;
  add(waiting(18, submission(1, 4000, 8000)));
  const PowerDecision decision = decide(0);
  EXPECT_EQ(next(decision), (std::vector{on, waking, off, off}));
  EXPECT_EQ(decision.verdicts[1].job, JobId{18});
}

// No rule reads priorities, and jobs whose priorities differ are not alike: the reference looks at all
// nodes for each of them.
TEST_F(PowerDecisions, are_the_same_whether_jobs_that_wait_are_alike_or_not) {
  std::mt19937 random(1);
  const auto draw = [&random](int most) { return std::uniform_int_distribution<int>(0, most)(random); };
  for (int turn = 0; turn < 300; ++turn) {
    for (Node& each : view.nodes) {
      each.power = std::array{on, waking, off}[static_cast<std::size_t>(draw(2))];
      each.service = draw(3) == 0 ? NodeService::removed : NodeService::in_service;
      each.hypervisor = draw(1) == 0 ? HypervisorKind::xen : HypervisorKind::libvirt;
    }
    view.jobs.clear();
    for (std::uint64_t id = 1; id <= 12; ++id) {
      add(waiting(id, submission(static_cast<std::uint32_t>(1 + draw(4)), 4000, 4000 + 3000 * draw(2))));
      if (draw(1) == 0) view.jobs.at({id}).bound = HypervisorKind::xen;
    }
    const PowerDecision alike = decide(turn * 60);
    for (auto& [id, job] : view.jobs) job.demand.priority = static_cast<std::int64_t>(id.raw);
    const PowerDecision reference = decide_power(view, settings, memory);
    EXPECT_EQ(alike.verdicts, reference.verdicts) << turn;
    EXPECT_EQ(alike.ask_again, reference.ask_again) << turn;
  }
}

TEST_F(PowerDecisions, a_job_wakes_the_node_that_keeps_its_saved_vms) {
  sleep(2);
  sleep(3);
  add(waiting(17, submission(1, 4000, 4000)));
  view.jobs.at({17}).tied_to = {{{3}, 1}};
  EXPECT_EQ(decide(0).verdicts[3].next, waking);
  EXPECT_EQ(decide(0).verdicts[2].next, off);
}

TEST_F(PowerDecisions, a_job_that_no_node_can_hold_wakes_none) {
  for (const std::uint32_t n : {0, 1, 2, 3}) sleep(n);
  add(waiting(17, submission(1, 4000, 9000)));
  add(waiting(18, submission(5, 4000, 8000)));
  EXPECT_EQ(next(decide(0)), (std::vector{off, off, off, off}));
}

TEST_F(PowerDecisions, a_held_job_wakes_none) {
  for (const std::uint32_t n : {0, 1, 2, 3}) sleep(n);
  add(waiting(17, submission(1, 4000, 100)));
  view.jobs.at({17}).held = true;
  EXPECT_EQ(next(decide(0)), (std::vector{off, off, off, off}));
}

// It waits for something that is not known here: for a neighbour of the node, for example.
TEST_F(PowerDecisions, a_job_that_waits_although_it_has_nodes_wakes_all_after_a_while) {
  sleep(2);
  sleep(3);
  add(waiting(17, submission(1, 4000, 100)));
  decide(0);
  const PowerDecision decision = decide(899);
  EXPECT_EQ(decision.verdicts[2].next, off);
  EXPECT_EQ(decision.ask_again, at(900));
  const PowerDecision later = decide(900);
  EXPECT_EQ(later.verdicts[2].next, waking);
  EXPECT_EQ(later.verdicts[3].next, waking);
}

TEST_F(PowerDecisions, arriving_jobs_wake_what_does_not_fit_beside_the_others) {
  for (const std::uint32_t n : {1, 2, 3}) sleep(n);
  add(running(1, submission(1, 2000, 100), {{{0}, 1}}));
  decide(0);
  EXPECT_EQ(next(decide(0, {submission(2, 1000, 100).demand})), (std::vector{on, off, off, off}));
  EXPECT_EQ(next(decide(0, {submission(6, 1000, 100).demand})), (std::vector{on, waking, off, off}));
  EXPECT_EQ(next(decide(0, {submission(2, 4000, 100).demand})), (std::vector{on, waking, waking, off}));
}

TEST_F(PowerDecisions, crowded_jobs_wake_further_nodes) {
  for (const std::uint32_t n : {1, 2, 3}) sleep(n);
  add(running(1, submission(3, 4000, 100), {{{0}, 3}}, kMillion / 3));
  const PowerDecision decision = decide(0);
  EXPECT_EQ(next(decision), (std::vector{on, waking, waking, off}));
  EXPECT_EQ(text_of(decision.verdicts[1], off, at(0)), "is woken: the load needs 3 nodes");
}

TEST_F(PowerDecisions, cape_rm_keeps_what_the_load_fills) {
  settings.rule = PowerRule::cape_rm;
  add(running(1, submission(2, 4000, 100), {{{0}, 2}}, kMillion / 2));
  EXPECT_EQ(next(decide(0)), (std::vector{on, on, going_off, going_off}));
}

TEST_F(PowerDecisions, cape_rm_keeps_the_average_of_the_time_of_day) {
  settings.rule = PowerRule::cape_rm;
  memory.daily.add(at(0), at(3600), whole_nodes(3));
  memory.observed = at(86'400);
  EXPECT_EQ(next(decide(86'400)), (std::vector{on, on, on, going_off}));
  EXPECT_EQ(decide(86'400).ask_again, at(86'400 + 3600));
}

TEST_F(PowerDecisions, always_on_wakes_what_is_asleep) {
  settings.rule = PowerRule::always_on;
  sleep(2);
  view.nodes[3].service = NodeService::draining;
  sleep(3);
  EXPECT_EQ(next(decide(0)), (std::vector{on, on, waking, off}));
  EXPECT_EQ(decide(0).ask_again, kNever);
}

// On random views with nodes in every state, for every rule.
TEST(PowerLaws, hold_on_random_views) {
  for (std::uint64_t seed = 1; seed <= 2'000; ++seed) {
    ClusterView view = test::random_view(seed);
    test::Dice dice(seed);
    std::vector<bool> held(view.nodes.size(), false);
    for (const auto& [id, job] : view.jobs)
      for (const Share& share : job.placement) held[share.node.raw] = true;
    for (Node& each : view.nodes)
      if (!held[each.id.raw] && dice.chance(50)) each.power = static_cast<NodePower>(dice.between(0, 3));
    view.index.rebuild(view);
    PowerMemory memory;
    observe(memory, view);
    view.now = view.now + seconds(dice.between(0, 7'200));
    observe(memory, view);
    for (const PowerRule rule : {PowerRule::always_on, PowerRule::cape_rm, PowerRule::aliquot}) {
      PowerSettings settings;
      settings.rule = rule;
      settings.reserve = static_cast<std::uint32_t>(dice.between(0, 3));
      const PowerDecision decision = decide_power(view, settings, memory);
      ASSERT_EQ(decision.verdicts.size(), view.nodes.size());
      EXPECT_GT(decision.ask_again, view.now);
      bool all_awake = true;
      for (const Node& each : view.nodes) {
        const NodeVerdict& verdict = decision.verdicts[each.id.raw];
        const bool available = each.state == NodeState::up && each.service == NodeService::in_service;
        if (verdict.next == going_off && each.power == on) {
          EXPECT_TRUE(!held[each.id.raw] && available) << "seed " << seed;
        } else if (verdict.next == waking && each.power == off) {
          EXPECT_TRUE(available) << "seed " << seed;
        } else {
          EXPECT_EQ(verdict.next, each.power) << "seed " << seed;
        }
        all_awake = all_awake && !(available && each.power == off && verdict.next == off);
        EXPECT_FALSE(text_of(verdict, each.power, view.now).empty());
      }
      if (rule == PowerRule::always_on) {
        EXPECT_TRUE(all_awake) << "seed " << seed;
      }
    }
  }
}

// --- how long nodes boot ---

TEST(BootTimes, expect_the_longest_of_the_last_within_bounds) {
  BootTimes boots;
  EXPECT_EQ(boots.expected(seconds(20)), seconds(20)) << "as the setting says";
  for (const std::int64_t boot : {30, 12, 15}) boots.see(seconds(boot));
  EXPECT_EQ(boots.expected(seconds(20)), seconds(30));
  boots.see(seconds(11));
  EXPECT_EQ(boots.expected(seconds(20)), seconds(15)) << "the one of 30 s is forgotten";
  EXPECT_EQ(boots.expected(seconds(5)), seconds(10)) << "twice the setting at most";
  EXPECT_EQ(boots.expected(seconds(40)), seconds(20)) << "half of it at least";
}

TEST_F(PowerDecisions, a_boot_is_learned_from_the_wish_to_wake_a_node_until_it_is_on) {
  sleep(1);
  see(at(0));
  view.nodes[1].power = waking;
  see(at(100));
  see(at(110));
  view.nodes[1].power = on;
  see(at(113));
  EXPECT_EQ(boot_time(settings, memory, {1}), seconds(13));
  EXPECT_EQ(boot_time(settings, memory, {2}), settings.boot) << "it has not been seen to boot";
  settings.boots = {seconds(20), seconds(8), seconds(9)};
  EXPECT_EQ(boot_time(settings, memory, {1}), seconds(13)) << "within twice what is said of the node";
  EXPECT_EQ(boot_time(settings, memory, {2}), seconds(9));
}

TEST_F(PowerDecisions, a_boot_that_was_under_way_or_was_given_up_teaches_nothing) {
  view.nodes[1].power = waking;
  see(at(0));
  view.nodes[1].power = on;
  see(at(1));
  sleep(2);
  see(at(2));
  view.nodes[2].power = waking;
  see(at(3));
  sleep(2);
  see(at(4));
  for (const std::uint32_t n : {1U, 2U}) EXPECT_EQ(boot_time(settings, memory, {n}), settings.boot);
  view.nodes[2].power = waking;
  see(at(4));
  view.nodes[2].power = on;
  view.nodes[2].state = NodeState::down;
  see(at(4));
  EXPECT_EQ(boot_time(settings, memory, {2}), settings.boot) << "it has not booted";
  sleep(2);
  see(at(5));
  view.nodes[2].power = waking;
  see(at(5));
  resume(memory, at(6));
  view.nodes[2].power = on;
  see(at(7));
  EXPECT_EQ(boot_time(settings, memory, {2}), settings.boot) << "nothing was observed meanwhile";
}

TEST_F(PowerDecisions, a_node_that_boots_fast_goes_off_sooner) {
  settings.boots.assign(4, settings.boot);
  settings.boots[2] = seconds(5);
  decide(0);
  const PowerDecision decision = decide_power(view, settings, memory);
  EXPECT_EQ(decision.ask_again, at(0) + break_even(settings.draw, seconds(5)));
  see(decision.ask_again);
  const std::vector<NodePower> then = next(decide_power(view, settings, memory));
  EXPECT_EQ(then, (std::vector{on, on, going_off, on}));
}

}  // namespace
}  // namespace aliquot::power
