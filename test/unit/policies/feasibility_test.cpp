// What no cluster could place, and what this one could not: against trying every set of nodes.
#include "policies/feasibility.hpp"

#include <gtest/gtest.h>

#include <bit>

#include "policies/draft.hpp"
#include "policies/policy.hpp"
#include "test/support/random_view.hpp"
#include "test/support/small_view.hpp"

namespace aliquot {
namespace {

using test::Dice;
using test::node;
using test::submission;
using test::waiting;

constexpr DeviceModel kV100{0};
constexpr DeviceModel kT4{1};
const std::vector<std::string> kModels{"V100", "T4"};

Demand asks(std::uint32_t tasks, DeviceDemand devices, Spread spread = {}) {
  Demand demand = submission(tasks, 1000, 100).demand;
  demand.devices = devices;
  demand.spread = spread;
  demand.movable = !devices.any();
  return demand;
}

TEST(contradiction, is_told_in_one_clause) {
  const auto says = [](const Demand& demand) { return contradiction(demand).value_or("nothing"); };
  EXPECT_EQ(says(asks(8, {2})), "nothing");
  EXPECT_EQ(says(asks(8, {1, 250, kV100}, {2, 4, 2, true})), "nothing");
  EXPECT_EQ(says(asks(8, {0, kWholeDevice, kV100})), "names a model of a device and asks for no device");
  EXPECT_EQ(says(asks(8, {0, 500})), "names parts of a device and asks for no device");
  EXPECT_EQ(says(asks(8, {1, 0})), "asks for 0 parts of a device; it may be from 1 to 1000");
  EXPECT_EQ(says(asks(8, {2, 500})),
            "asks for a slice of each of 2 devices; a slice is of one device: ask "
            "for one, or for whole devices");
  EXPECT_EQ(says(asks(8, {65})), "asks for 65 devices on each node; a node has at most 64");
  EXPECT_EQ(says(asks(8, {}, {4, 2})), "asks for at least 4 nodes and at most 2");
  EXPECT_EQ(says(asks(3, {}, {4})),
            "asks for at least 4 nodes and has 3 tasks: each node gets at least one");
  EXPECT_EQ(says(asks(3, {}, {0, 0, 4})), "asks for 4 tasks on each node and has 3 tasks");
  EXPECT_EQ(says(asks(9, {}, {0, 2, 4})), "has 9 tasks, 4 on each node: 3 nodes, and asks for at most 2");
  EXPECT_EQ(says(asks(8, {}, {3, 0, 4})), "has 8 tasks, 4 on each node: 2 nodes, and asks for at least 3");
}

std::vector<Node> gpu_nodes() {
  std::vector<Node> nodes{node(0, 4), node(1, 4), node(2, 4), node(3, 4)};
  nodes[0].devices = nodes[2].devices = {{kV100}, {kV100}};
  nodes[3].devices = {{kT4}};
  return nodes;
}

TEST(impossible, says_what_there_is) {
  const auto says = [](const Demand& demand) {
    return impossible(gpu_nodes(), kModels, demand).value_or("nothing");
  };
  EXPECT_EQ(says(asks(4, {2, kWholeDevice, kV100})), "nothing");
  EXPECT_EQ(says(asks(4, {3, kWholeDevice, kV100})),
            "asks for 3 V100 on each node; the cluster has 2 V100 on each of 2 nodes, 1 T4 on node n3");
  EXPECT_EQ(says(asks(4, {3})),
            "asks for 3 devices on each node; the cluster has 2 V100 on each of 2 nodes, 1 T4 on node n3");
  DeviceModels either = kT4;
  either.add(kV100);
  EXPECT_EQ(says(asks(4, {1, kWholeDevice, either}, {3, 3})), "nothing");
  EXPECT_EQ(
      says(asks(4, {3, kWholeDevice, either})),
      "asks for 3 V100 or T4 on each node; the cluster has 2 V100 on each of 2 nodes, 1 T4 on node n3");
  EXPECT_EQ(says(asks(4, {1, 300, kV100}, {3})),
            "asks for 4 tasks on at least 3 nodes, with 300 parts of 1 V100 on each node; even empty, 2 "
            "nodes would do, for 8 tasks in all");
  EXPECT_EQ(says(asks(4, {1, kWholeDevice, kV100}, {2, 2, 0, true})),
            "asks for 4 tasks on exactly 2 nodes, side by side, with 1 V100 on each node; even empty, 2 "
            "nodes would do, for 8 tasks in all");
  EXPECT_EQ(impossible({node(0)}, {}, asks(1, {1})).value_or("nothing"),
            "asks for 1 device on each node; the cluster has no devices");
}

// Every set of nodes, every way to put tasks on it that could matter: as many as fit.
bool some_set_does(const std::vector<Node>& nodes, const Demand& demand) {
  const Spread& spread = demand.spread;
  for (unsigned set = 1; set < 1U << nodes.size(); ++set) {
    const auto count = static_cast<std::uint32_t>(std::popcount(set));
    if (count < spread.min_nodes || (spread.max_nodes > 0 && count > spread.max_nodes)) continue;
    if (count > demand.tasks) continue;
    if (spread.contiguous && std::popcount(set + (set & -set)) > 1) continue;
    std::int64_t room = 0;
    std::int64_t rests = 0;
    bool does = true;
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      if ((set >> n & 1) == 0) continue;
      std::int64_t here = slots_beside(nodes[n], NodeLedger{nodes[n].memory, {}, {}, 0}, demand);
      std::int64_t devices = 0;
      for (const Device& device : nodes[n].devices) devices += demand.devices.suits(device) ? 1 : 0;
      if (devices < demand.devices.per_node) here = 0;
      if (spread.per_node > 0) {
        rests += here < spread.per_node ? 1 : 0;
        here = std::min<std::int64_t>(here, spread.per_node);
      }
      does = does && here > 0;
      room += here;
    }
    if (spread.per_node > 0 && (demand.tasks + spread.per_node - 1) / spread.per_node != count) continue;
    if (does && rests <= 1 && room >= demand.tasks) return true;
  }
  return false;
}

TEST(impossible, is_what_no_set_of_nodes_can_do) {
  int can = 0;
  int cannot = 0;
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    Dice dice(seed);
    std::vector<Node> nodes;
    for (std::uint32_t n = 0; n < 6; ++n) {
      nodes.push_back(node(n, 4, dice.between(0, 4) * 100));
      for (std::int64_t d = dice.between(0, 3); d > 0; --d)
        nodes.back().devices.push_back({{static_cast<std::uint16_t>(dice.between(0, 1))}});
    }
    Demand demand = asks(static_cast<std::uint32_t>(dice.between(1, 12)), {});
    if (dice.chance(60)) demand.devices.per_node = static_cast<std::uint16_t>(dice.between(1, 2));
    if (demand.devices.any() && dice.chance(50)) demand.devices.models = kT4;
    demand.spread.min_nodes = static_cast<std::uint32_t>(dice.between(0, 4));
    demand.spread.max_nodes = static_cast<std::uint32_t>(dice.between(0, 6));
    demand.spread.per_node = static_cast<std::uint32_t>(std::max<std::int64_t>(0, dice.between(-3, 4)));
    demand.spread.contiguous = dice.chance(50);
    if (contradiction(demand)) continue;
    const bool does = some_set_does(nodes, demand);
    ASSERT_EQ(!impossible(nodes, kModels, demand), does) << "seed " << seed;
    ++(does ? can : cannot);
  }
  EXPECT_GT(can, 1'000);
  EXPECT_GT(cannot, 1'000);
}

TEST(constrained_jobs, wait_for_another_policy_and_are_told_so) {
  ClusterView view;
  view.nodes = gpu_nodes();
  view.device_models = kModels;
  view.cause.arrived = {{1}, {2}, {3}};
  view.jobs[{1}] = waiting(1, submission(1, 1000, 100));
  view.jobs[{1}].demand = asks(1, {1, kWholeDevice, kT4});
  view.jobs[{2}] = waiting(2, submission(1, 1000, 100));
  view.jobs[{3}] = waiting(3, submission(1, 1000, 100));
  view.jobs[{3}].demand = asks(1, {8});
  for (const char* spec : {"FCFS", "EASY", "CONSERVATIVE", "GREEDY", "GREEDY-PMTN-MIGR", "DYNMCB8",
                           "DYNMCB8-ASAP-PER-600", "GreedyPM*/per=600"}) {
    const auto policy = *make_policy(spec);
    for (const bool indexed : {false, true}) {
      if (indexed)
        view.index.rebuild(view);
      else
        view.index.drop();
      const Plan plan = policy->decide(view);
      ASSERT_EQ(plan.changes.size(), 1U) << spec;
      EXPECT_EQ(plan.changes[0].job, JobId{2}) << spec;
      EXPECT_EQ(policy->explain(view, {1}).reason, Reason::other_policy) << spec;
      EXPECT_EQ(policy->explain(view, {3}).reason, Reason::never_fits) << spec;
    }
  }
  EXPECT_EQ((*make_policy("EASY"))->explain(view, {1}).text,
            "asks for 1 T4 on each node: this policy places no devices; HYBRID(IPSCHED,...), IPSCHED and "
            "AUCSCHED do");
}

}  // namespace
}  // namespace aliquot
