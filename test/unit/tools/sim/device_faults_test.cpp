// Jobs with devices while everything goes wrong: creations fail or take their time, outcomes are lost, VMs
// and nodes die. By seed; after every step the state is lawful, and no device is ever given twice.
#include <gtest/gtest.h>

#include <functional>

#include "monitor/record/plan_check.hpp"
#include "test/support/random_view.hpp"
#include "test/unit/tools/sim/first_fit.hpp"
#include "tools/sim/simulation.hpp"

namespace aliquot {
namespace {

using test::Dice;

ClusterShape shape() {
  ClusterShape made;
  made.kinds = {{"gpu", 3, 8, kMillion, Memory{8'000'000'000}, {{"V100", 2}, {"T4"}}},
                {"cpu", 2, 8, kMillion, Memory{8'000'000'000}}};
  made.nodes = 5;
  made.cores_per_node = 8;
  return made;
}

Workload jobs(Dice& dice) {
  Workload workload;
  for (std::uint64_t id = 1; id <= 25; ++id) {
    TraceJob job;
    job.id = {id};
    job.submitted = Instant{dice.between(0, 300'000'000)};
    job.tasks = static_cast<std::uint32_t>(dice.between(1, 6));
    job.cpu_need = {kPico / 8};
    job.memory = {kPico / 20};
    job.runtime = Duration{dice.between(1, 100'000'000)};
    WorkloadJob made = make_job(job, shape());
    Demand& demand = made.submission.demand;
    if (dice.chance(70)) {
      demand.devices = {1, static_cast<std::uint16_t>(dice.chance(50) ? 1000 : 400), kAnyModel};
      if (dice.chance(30)) demand.devices = {2, kWholeDevice, DeviceModel{0}};
      demand.movable = false;
      demand.min_yield = kFullYield;
      if (dice.chance(50) && demand.tasks % 2 == 0) demand.spread.per_node = demand.tasks / 2;
    }
    workload.jobs.push_back(made);
  }
  std::ranges::sort(workload.jobs, {}, [](const WorkloadJob& j) { return std::pair(j.submitted, j.id); });
  return workload;
}

ModelOptions random_faults(Dice& dice, std::uint64_t seed) {
  const auto of = [](ActionKind kind) { return static_cast<std::size_t>(kind); };
  ModelOptions model;
  model.seed = seed;
  model.delay[of(ActionKind::create)] = seconds(dice.between(0, 5));
  model.delay[of(ActionKind::destroy)] = seconds(dice.between(0, 5));
  model.jitter = seconds(2);
  model.fail[of(ActionKind::create)] = static_cast<std::uint32_t>(dice.between(0, 300'000));
  model.fail[of(ActionKind::release)] = static_cast<std::uint32_t>(dice.between(0, 50'000));
  model.lost = static_cast<std::uint32_t>(dice.between(0, 50'000));
  model.crash = static_cast<std::uint32_t>(dice.between(0, 100'000));
  for (std::int64_t k = dice.between(0, 3); k > 0; --k) {
    const NodeId node{static_cast<std::uint32_t>(dice.between(0, 4))};
    model.outages.push_back(
        {node, Instant{dice.between(0, 300'000'000)}, seconds(dice.between(1, 100)), dice.chance(50)});
  }
  return model;
}

struct Lawful final : Observer {
  void on_step(const Step& step, const ClusterView& after) override {
    for (const Violation& broken : check_view(after)) complaint += broken.text + "\n";
    if (step.decision)
      for (const Violation& broken : step.decision->violations) complaint += broken.text + "\n";
    for (const Action& action : step.actions)
      if (kind(action) == ActionKind::create) ++creations;
    ended += step.ended.size();
  }
  std::string complaint;
  std::size_t creations = 0;
  std::size_t ended = 0;
};

// Returns how many VMs were created.
std::size_t run_with_faults(std::uint64_t seeds, const std::function<std::unique_ptr<Policy>()>& policy) {
  std::size_t creations = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Dice dice(seed);
    const Workload workload = jobs(dice);
    Lawful lawful;
    Simulation simulation(workload, shape(), random_faults(dice, seed), policy(), lawful);
    const auto done = simulation.run();
    EXPECT_TRUE(done) << done.error().message;
    EXPECT_EQ(lawful.complaint, "");
    EXPECT_EQ(simulation.hypervisor().checker().violations(), std::vector<std::string>{});
    EXPECT_EQ(simulation.hypervisor().leftovers(), 0U);
    EXPECT_EQ(lawful.ended, workload.jobs.size());
    const FreeDevices& free = simulation.scheduler().cluster().ledger().free_devices();
    EXPECT_EQ(free, FreeDevices(shape().make_nodes()));
    if (testing::Test::HasFailure()) break;
    creations += lawful.creations;
  }
  return creations;
}

TEST(DeviceFaults, never_give_a_device_twice) {
  EXPECT_GT(run_with_faults(300, [] { return std::make_unique<test::FirstFit>(); }), 300U * 25U);
}

TEST(DeviceFaults, never_do_so_under_the_policies_that_place_devices) {
  for (const char* name : {"IPSCHED", "AUCSCHED", "BESTFIT", "IPSCHED/paper/effort=2000"}) {
    SCOPED_TRACE(name);
    EXPECT_GT(run_with_faults(60, [=] { return std::move(*make_policy(name)); }), 60U * 25U);
  }
}

}  // namespace
}  // namespace aliquot
