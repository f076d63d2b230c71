// Whole runs: under every policy every job finishes, also when the policy is changed while jobs run, wait
// and are paused. A failure prints its seed.
#include <gtest/gtest.h>

#include <algorithm>

#include "test/support/policy_specs.hpp"
#include "test/support/random_view.hpp"
#include "test/support/toy_cluster.hpp"
#include "test/support/tpds2012_names.hpp"

namespace aliquot {
namespace {

using test::Dice;
using test::ToyCluster;
using test::ToyJob;
using test::ToyResult;

std::vector<std::string> specs() {
  std::vector<std::string> specs = test::policy_specs("60");
  for (const char* name : test::kMoreTpds2012Names) specs.push_back(name);
  return specs;
}

std::vector<Node> random_nodes(Dice& dice) {
  std::vector<Node> nodes(static_cast<std::size_t>(dice.between(2, 6)));
  const bool unlike = dice.chance(40);
  for (std::uint32_t n = 0; n < nodes.size(); ++n) {
    nodes[n].id = {n};
    nodes[n].capacity = cores(unlike ? dice.between(1, 4) : 2);
    nodes[n].memory = mebibytes(unlike ? dice.between(5, 10) * 100 : 1000);
  }
  return nodes;
}

// Of two hypervisor kinds, with two nodes of each at least: under a batch policy a job of two tasks needs
// as many of the kind to which it is bound.
void mix(std::vector<Node>& nodes) {
  if (nodes.size() < 4) return;
  for (Node& node : nodes)
    if (node.id.raw % 2 == 1) node.hypervisor = HypervisorKind::xen;
}

// All but one keep the VMs that are saved on them.
void keep_saves(std::vector<Node>& nodes) {
  for (Node& node : nodes) node.keeps_saves = node.id.raw > 0;
}

std::vector<ToyJob> random_jobs(Dice& dice, const std::vector<Node>& nodes) {
  std::vector<ToyJob> jobs;
  std::int64_t submit = 0;
  for (std::uint64_t id = 1; id <= 30; ++id) {
    submit += dice.between(0, 40) * kMillion;
    ToyJob job{{id}, {submit}, {}, Duration{dice.between(1, 200'000'000)}};
    job.demand.tasks = static_cast<std::uint32_t>(dice.between(1, 2));
    job.demand.need = {dice.between(1, 1'000'000)};  // each node can hold it whole, for the batch policies
    job.demand.memory = mebibytes(dice.between(1, 50) * 10);
    if (dice.chance(70)) job.demand.estimate = Duration{dice.between(1, 300'000'000)};
    if (dice.chance(20)) job.demand.min_yield = {dice.between(1, kMillion)};
    job.demand.tasks = std::min(job.demand.tasks, static_cast<std::uint32_t>(nodes.size()));
    jobs.push_back(job);
  }
  return jobs;
}

TEST(Liveness, everybody_finishes_under_every_policy) {
  for (const std::string& spec : specs()) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      Dice dice(seed);
      auto nodes = random_nodes(dice);
      if (seed % 2 == 1) mix(nodes);
      if (seed % 3 == 2) keep_saves(nodes);
      const auto jobs = random_jobs(dice, nodes);
      const ToyResult result = ToyCluster(nodes, jobs, seconds(dice.between(0, 20))).run(spec, 20'000);
      ASSERT_EQ("", result.complaint) << spec << ", seed " << seed;
      ASSERT_EQ(jobs.size(), result.end.size()) << spec << ", seed " << seed;
      for (const ToyJob& job : jobs) {
        ASSERT_GE(result.end.at(job.id) - job.submit, job.alone) << spec << ", seed " << seed;
      }
    }
  }
}

TEST(Liveness, nobody_is_forgotten_when_the_policy_changes) {
  const std::vector<std::string> all = specs();
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Dice dice(seed);
    auto nodes = random_nodes(dice);
    if (seed % 2 == 1) mix(nodes);
    if (seed % 3 == 2) keep_saves(nodes);
    ToyCluster cluster(nodes, random_jobs(dice, nodes), seconds(dice.between(0, 20)));
    const auto any = [&] {
      return all[static_cast<std::size_t>(dice.between(0, static_cast<std::int64_t>(all.size()) - 1))];
    };
    for (int k = 0; k < 8; ++k) cluster.switch_policy(Instant{dice.between(1, 900'000'000)}, any());
    const ToyResult result = cluster.run(any(), 20'000);
    ASSERT_EQ("", result.complaint) << "seed " << seed;
    ASSERT_EQ(30U, result.end.size()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace aliquot
