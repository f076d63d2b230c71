// IPSCHED, AUCSCHED and BESTFIT in a small world: what they start, when, and what they say.
#include <gtest/gtest.h>

#include "monitor/record/plan_check.hpp"
#include "policies/policy.hpp"
#include "test/support/toy_cluster.hpp"

namespace aliquot {
namespace {

using test::ToyCluster;
using test::ToyJob;
using test::ToyResult;

constexpr DeviceModel kGpu{0};

std::vector<Node> machine(std::uint32_t count, std::uint32_t gpus = 2) {
  std::vector<Node> nodes(count);
  for (std::uint32_t n = 0; n < count; ++n) {
    nodes[n].id = {n};
    nodes[n].name = "n" + std::to_string(n);
    nodes[n].capacity = cores(8);
    nodes[n].cores = 8;
    nodes[n].memory = mebibytes(16'384);
    nodes[n].devices.assign(gpus, {kGpu});
  }
  return nodes;
}

Demand one_core_tasks(std::uint32_t tasks) {
  Demand demand;
  demand.tasks = tasks;
  demand.need = cores(1);
  demand.memory = mebibytes(512);
  return demand;
}

Demand with_gpus(std::uint32_t tasks, std::uint32_t nodes, std::uint16_t gpus) {
  Demand demand = one_core_tasks(tasks);
  demand.spread.min_nodes = demand.spread.max_nodes = nodes;
  demand.devices.per_node = gpus;
  demand.min_yield = kFullYield;
  demand.movable = false;
  return demand;
}

// Table 1 of both papers.
ToyResult table_1(const std::string& policy) {
  const std::vector<ToyJob> jobs = {{{1}, {}, one_core_tasks(4096), seconds(1000)},
                                    {{2}, {}, with_gpus(2048, 512, 2), seconds(1000)},
                                    {{3}, {}, with_gpus(2048, 512, 2), seconds(1000)}};
  return ToyCluster(machine(1024), jobs, {}).run(policy);
}

Duration makespan(const ToyResult& result) {
  Instant first = kNever;
  Instant last;
  for (const auto& [job, start] : result.start) first = std::min(first, start);
  for (const auto& [job, end] : result.end) last = std::max(last, end);
  return last - first;
}

TEST(Table1, all_three_jobs_start_at_once_under_both_policies) {
  for (const char* policy : {"IPSCHED", "AUCSCHED", "IPSCHED/objective=pr", "IPSCHED/paper"}) {
    const ToyResult result = table_1(policy);
    EXPECT_EQ("", result.complaint) << policy;
    ASSERT_EQ(3U, result.start.size()) << policy;
    EXPECT_EQ(result.start.at({1}), result.start.at({3})) << policy;
    EXPECT_EQ(seconds(1000), makespan(result)) << policy;
  }
}

TEST(Table1, one_at_a_time_the_third_waits_for_the_first) {
  const ToyResult result = table_1("BESTFIT");
  EXPECT_EQ("", result.complaint);
  EXPECT_EQ(seconds(2000), makespan(result));
}

ClusterView view_of(std::vector<Node> nodes, const std::vector<Demand>& demands) {
  ClusterView view;
  view.now = {seconds(30).raw};
  view.cause.tick = true;
  view.next_tick = view.now + seconds(3);
  view.nodes = std::move(nodes);
  view.device_models = {"GPU", "TPU"};
  std::uint64_t id = 0;
  for (const Demand& demand : demands) {
    Job job;
    job.id = {++id};
    job.demand = demand;
    job.submitted = {static_cast<std::int64_t>(id)};
    view.jobs.emplace(job.id, job);
  }
  return view;
}

std::unique_ptr<Policy> policy(const std::string& name) { return std::move(*make_policy(name)); }

const Change* change_of(const Plan& plan, std::uint64_t job) {
  for (const Change& change : plan.changes) {
    if (change.job.raw == job) return &change;
  }
  return nullptr;
}

TEST(Collective, nobody_starts_between_two_intervals) {
  ClusterView view = view_of(machine(2), {one_core_tasks(4)});
  view.cause = {};
  view.cause.arrived = {{1}};
  EXPECT_TRUE(policy("IPSCHED")->decide(view).changes.empty());
  EXPECT_EQ(Reason::waiting_for_tick, policy("IPSCHED")->explain(view, {1}).reason);
  EXPECT_EQ(seconds(3), *policy("IPSCHED")->period());
}

TEST(Collective, gives_each_node_the_devices_of_the_model_asked_for) {
  std::vector<Node> nodes = machine(3);
  nodes[1].devices = {{{1}}, {{0}}, {{1}}};
  Demand demand = with_gpus(2, 1, 2);
  demand.devices.models = DeviceModel{1};
  const ClusterView view = view_of(nodes, {demand});
  const Plan plan = policy("IPSCHED")->decide(view);
  ASSERT_EQ(1U, plan.changes.size());
  EXPECT_EQ((Placement{{{1}, 2}}), plan.changes[0].placement);
  EXPECT_EQ(std::vector<DeviceSet>{0b101}, plan.changes[0].devices);
  EXPECT_TRUE(check_plan(view, plan).empty());
}

TEST(Collective, each_node_gives_devices_of_one_of_the_models_asked_for) {
  std::vector<Node> nodes = machine(4);
  for (std::uint16_t n = 0; n < 4; ++n) nodes[n].devices = {{{n}}, {{n}}};
  nodes[1].devices = {{{1}}, {{3}}};  // two that would do, of different models
  Demand demand = with_gpus(4, 2, 2);
  demand.devices.models = DeviceModel{1};
  demand.devices.models.add({3});
  for (const char* name : {"IPSCHED", "AUCSCHED"}) {
    demand.spread = {2, 2};
    EXPECT_TRUE(policy(name)->decide(view_of(nodes, {demand})).changes.empty()) << name;
    demand.spread = {};
    const ClusterView view = view_of(nodes, {demand});
    const Plan plan = policy(name)->decide(view);
    ASSERT_EQ(1U, plan.changes.size()) << name;
    EXPECT_EQ((Placement{{{3}, 4}}), plan.changes[0].placement) << name;
    EXPECT_TRUE(check_plan(view, plan).empty()) << name;
  }
}

TEST(Collective, contiguous_jobs_stand_side_by_side_or_wait) {
  std::vector<Node> nodes = machine(7);
  nodes[3].state = NodeState::down;
  Demand demand = one_core_tasks(24);
  demand.spread.contiguous = true;
  ClusterView view = view_of(nodes, {demand, demand, demand});
  for (const char* name : {"IPSCHED", "AUCSCHED"}) {
    const Plan plan = policy(name)->decide(view);
    EXPECT_TRUE(check_plan(view, plan).empty()) << name;
    EXPECT_EQ(2U, plan.changes.size()) << name;
  }
  demand.tasks = 32;  // no four nodes side by side are up
  view = view_of(nodes, {demand});
  EXPECT_TRUE(policy("AUCSCHED")->decide(view).changes.empty());
  EXPECT_EQ(Reason::spread, policy("AUCSCHED")->explain(view, {1}).reason);
}

TEST(Collective, slices_go_where_a_device_is_cut_already) {
  Demand slice = with_gpus(1, 0, 1);
  slice.devices.parts = 300;
  const ClusterView view = view_of(machine(4), {slice, slice, slice, slice});
  const Plan plan = policy("IPSCHED")->decide(view);
  ASSERT_EQ(4U, plan.changes.size());
  EXPECT_TRUE(check_plan(view, plan).empty());
  for (std::size_t k = 1; k < 3; ++k) EXPECT_EQ(plan.changes[0].devices, plan.changes[k].devices);
  for (std::size_t k = 1; k < 3; ++k) EXPECT_EQ(plan.changes[0].placement, plan.changes[k].placement);
}

TEST(Collective, the_papers_throw_an_answer_away_and_halve_the_window) {
  std::vector<Demand> demands;
  for (std::uint32_t j = 0; j < 40; ++j) demands.push_back(with_gpus(3 + 2 * j % 17, 0, 1 + j % 2));
  for (Demand& demand : demands) demand.spread = {};
  ClusterView view = view_of(machine(16), demands);
  const auto paper = policy("IPSCHED/window=40/effort=1000/paper");
  const Plan plan = paper->decide(view);
  EXPECT_TRUE(plan.changes.empty());
  EXPECT_TRUE(encode_policy_state(plan.memory.state).starts_with("window=20 at="));
  EXPECT_FALSE(policy("IPSCHED/window=40/effort=1000")->decide(view).changes.empty());
  view.memory.state = decode_policy_state("window=1");  // a single job needs no proof
  EXPECT_EQ(1U, paper->decide(view).changes.size());
  EXPECT_TRUE(
      encode_policy_state(paper->decide(view).memory.state).starts_with("window=2 at="));  // 39 wait
  view.memory.state = decode_policy_state("window=2000000000000");
  EXPECT_TRUE(encode_policy_state(paper->decide(view).memory.state).starts_with("window=20 at="));
}

TEST(Collective, the_bound_is_never_below_what_was_decided) {
  const ClusterView view = view_of(machine(4), {one_core_tasks(20), one_core_tasks(20), one_core_tasks(9)});
  for (const char* name : {"IPSCHED", "AUCSCHED"}) {
    const auto proven = policy(name)->proven_gap(view);
    ASSERT_TRUE(proven.has_value());
    EXPECT_LE(proven->incumbent, proven->bound);
    EXPECT_EQ(3U, proven->jobs);
    EXPECT_EQ(1U, proven->classes);
    EXPECT_GT(proven->work, 0U);
  }
  EXPECT_FALSE(policy("BESTFIT")->proven_gap(view).has_value());
}

TEST(Collective, says_why_a_job_waits) {
  ClusterView view = view_of(machine(2), {one_core_tasks(16), with_gpus(2, 2, 2), with_gpus(2, 1, 3)});
  const auto ipsched = policy("IPSCHED");
  EXPECT_EQ(Reason::never_fits, ipsched->explain(view, {3}).reason);
  Demand wide = one_core_tasks(1);
  wide.need = cores(9);
  view = view_of(machine(2), {wide, with_gpus(4, 2, 2), with_gpus(4, 2, 2)});
  EXPECT_EQ(Reason::never_fits, ipsched->explain(view, {1}).reason);
  Plan plan = ipsched->decide(view);
  ASSERT_NE(nullptr, change_of(plan, 2));
  EXPECT_EQ(nullptr, change_of(plan, 3));
  EXPECT_EQ(Reason::waiting_for_tick, ipsched->explain(view, {3}).reason);
  view.memory = plan.memory;  // it has been passed over
  EXPECT_EQ(Reason::lower_priority, ipsched->explain(view, {3}).reason);
  EXPECT_EQ(Reason::behind_in_queue, policy("IPSCHED/window=1")->explain(view, {3}).reason);
  EXPECT_EQ(Reason::reserved, policy("BACKFILL")->explain(view, {3}).reason);
  view.jobs.at({2}).placement = change_of(plan, 2)->placement;
  view.jobs.at({2}).devices = change_of(plan, 2)->devices;
  view.jobs.at({2}).yield = kFullYield;
  view.jobs.at({2}).phase = Phase::running;
  EXPECT_EQ(Reason::devices, ipsched->explain(view, {3}).reason);
  EXPECT_EQ((std::vector<JobId>{{2}}), ipsched->explain(view, {3}).held_by);
}

TEST(Collective, a_users_priority_goes_before_the_order_of_submission) {
  Demand urgent = one_core_tasks(16);
  urgent.priority = 5;
  const ClusterView view = view_of(machine(2), {one_core_tasks(16), urgent});
  for (const char* name : {"IPSCHED", "AUCSCHED", "IPSCHED/priority=multifactor", "BESTFIT"}) {
    const Plan plan = policy(name)->decide(view);
    EXPECT_NE(nullptr, change_of(plan, 2)) << name;
    EXPECT_EQ(nullptr, change_of(plan, 1)) << name;
  }
}

}  // namespace
}  // namespace aliquot
