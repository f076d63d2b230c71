// Whole runs on nodes that go off when they are idle: every job ends once under every policy, a node that
// is off holds nothing, a woken node stays on for its minimum time, and energy is what the nodes drew.
#include <gtest/gtest.h>

#include <map>

#include "monitor/record/plan_check.hpp"
#include "test/support/policy_specs.hpp"
#include "test/unit/tools/sim/small_workload.hpp"

namespace aliquot {
namespace {

using power::PowerRule;
using power::watts;

ClusterShape shape(std::uint32_t nodes = 6) {
  ClusterShape made;
  made.nodes = nodes;
  return made;
}

struct Sleeps final : Observer {
  explicit Sleeps(power::PowerSettings given) : settings(given) {}
  void on_step(const Step& step, const ClusterView& after) override {
    for (const Violation& broken : check_view(after)) complaint += broken.text + "\n";
    if (step.decision)
      for (const Violation& broken : step.decision->violations) complaint += broken.text + "\n";
    for (const Node& node : after.nodes) {
      const NodePower before = std::exchange(powers[node.id], node.power);
      if (before == node.power) continue;
      if (node.power == NodePower::on) on_since[node.id] = after.now;
      if (node.power != NodePower::going_off) continue;
      ++offs;
      const auto since = on_since.find(node.id);
      if (since != on_since.end() && after.now - since->second < settings.minimum_on)
        complaint += node.name + " goes off too early\n";
    }
    for (const auto& [id, job] : after.jobs)
      for (const Share& share : job.placement)
        if (after.nodes[share.node.raw].power == NodePower::off ||
            after.nodes[share.node.raw].power == NodePower::going_off)
          complaint += "job " + std::to_string(id.raw) + " stands on a node that is off\n";
    for (const JobOutcome& outcome : step.ended) {
      ++ended[outcome.job];
      last_end = after.now;
      if (outcome.result != JobResult::completed) complaint += "a job did not complete\n";
    }
  }
  power::PowerSettings settings;
  std::map<NodeId, NodePower> powers;
  std::map<NodeId, Instant> on_since;
  std::map<JobId, int> ended;
  std::size_t offs = 0;
  Instant last_end;
  std::string complaint;
};

power::PowerSettings settings_of(PowerRule rule, std::uint64_t seed) {
  power::PowerSettings settings;
  settings.rule = rule;
  settings.boot = seconds(seed % 2 == 0 ? 15 : 200);
  settings.minimum_on = seconds(seed % 3 == 0 ? 0 : 60);
  settings.reserve = static_cast<std::uint32_t>(seed % 3);
  return settings;
}

class PowerRuns : public testing::TestWithParam<std::string> {};

TEST_P(PowerRuns, no_job_is_stranded_and_no_node_goes_off_too_early) {
  std::size_t offs = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    for (const PowerRule rule : {PowerRule::cape_rm, PowerRule::aliquot}) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", " + std::string(power::name_of(rule)));
      Sleeps seen(settings_of(rule, seed));
      Workload jobs = test::small_workload(seed, shape());
      for (WorkloadJob& job : jobs.jobs) job.submitted.raw *= 10;  // nodes are idle now and then
      ModelOptions model;
      model.penalty = seconds(seed % 2 == 0 ? 0 : 60);
      Simulation simulation(jobs, shape(), model, *make_policy(GetParam()), seen);
      simulation.set_power(seen.settings);
      const auto done = simulation.run();
      ASSERT_TRUE(done) << done.error().message;
      ASSERT_EQ("", seen.complaint);
      ASSERT_EQ(jobs.jobs.size(), seen.ended.size());
      for (const auto& [job, times] : seen.ended) ASSERT_EQ(1, times) << job.raw;
      offs += seen.offs;
    }
  }
  EXPECT_GT(offs, 0U);
}

INSTANTIATE_TEST_SUITE_P(Policies, PowerRuns, testing::ValuesIn(test::policy_specs("60")),
                         [](const auto& param) {
                           std::string word = param.param;
                           for (char& c : word)
                             if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
                           return word + "_" + std::to_string(param.index);
                         });

// Two nodes of 100 W idle, 200 W full, 10 W asleep. A job of one task that needs half a node for 100 s,
// from 1000 s on; one node in reserve, so that nothing has to be woken.
TEST(PowerEnergyOfRuns, is_what_the_nodes_drew) {
  Workload jobs;
  TraceJob job;
  job.id = {1};
  job.tasks = 1;
  job.cpu_need = {kPico / 2};
  job.memory = {kPico / 10};
  job.runtime = seconds(100);
  for (const std::int64_t second : {0, 1000}) {
    job.submitted = Instant{} + seconds(second);
    jobs.jobs.push_back(make_job(job, shape(2)));
    job.id = {2};
  }
  power::PowerSettings settings;
  settings.draw = {watts(100), watts(200), watts(10)};
  settings.reserve = 1;
  settings.caution = 0;
  settings.boot = seconds(90);
  settings.switch_off = seconds(20);
  const auto energy = [&](PowerRule rule) {
    settings.rule = rule;
    Observer none;
    Simulation simulation(jobs, shape(2), {}, *make_policy("EASY"), none);
    simulation.set_power(settings);
    EXPECT_TRUE(simulation.run());
    EXPECT_EQ(simulation.power_figures()->time, seconds(1100));
    return simulation.power_figures()->energy;
  };
  // 2 nodes for 1100 s at 100 W, and 50 W more for 200 s.
  EXPECT_EQ(energy(PowerRule::always_on), watts(200) * seconds(1100) + watts(50) * seconds(200));
  // While the first job runs, the other node is the reserve. After that the first one is. The other, idle
  // from the beginning, goes off after the break-even time (190 W x 90 s / 90 W = 190 s) and is off 20 s
  // later, until the second job comes and it boots to be the reserve again.
  const Duration off = seconds(1000 - 190 - 20);
  EXPECT_EQ(energy(PowerRule::aliquot), watts(200) * (seconds(1100) - off - seconds(90)) +
                                            watts(110) * off + watts(300) * seconds(90) +
                                            watts(50) * seconds(200));
}

}  // namespace
}  // namespace aliquot
