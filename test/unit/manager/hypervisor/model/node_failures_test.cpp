// Nodes that fail and are repaired by seed, and actions whose cost depends on memory.
#include "manager/hypervisor/model/node_failures.hpp"

#include <gtest/gtest.h>

#include "test/unit/manager/hypervisor/model/one_job.hpp"

namespace aliquot {
namespace {

ModelOptions fragile(std::uint64_t seed) {
  ModelOptions options;
  options.seed = seed;
  options.mtbf = seconds(1000);
  options.mttr = seconds(100);
  return options;
}

struct Edge {
  Instant at;
  std::uint32_t node;
  NodeState state;
  friend bool operator==(const Edge&, const Edge&) = default;
};

std::vector<Edge> edges_of(ModelOptions options, Instant until) {
  ModelHypervisor model(two_nodes(), std::move(options));
  std::vector<Edge> edges;
  while (model.next() <= until) {
    const Instant at = model.next();
    for (const Event& event : model.take_due(at)) {
      const auto& change = std::get<NodeChanged>(event);
      edges.push_back({at, change.node.raw, change.state});
    }
  }
  return edges;
}

TEST(ModelRenewal, TheSameSeedBreaksTheSameNodesAtTheSameInstants) {
  const Instant until{seconds(100'000).raw};
  EXPECT_EQ(edges_of(fragile(1), until), edges_of(fragile(1), until));
  EXPECT_NE(edges_of(fragile(1), until), edges_of(fragile(2), until));
}

TEST(ModelRenewal, ANodeIsUpAndDownForTheMeanTimes) {
  const Instant until{seconds(10'000'000).raw};
  double down = 0;
  std::size_t failures = 0;
  std::vector<Instant> since(2);
  for (const Edge& edge : edges_of(fragile(3), until)) {
    if (edge.state == NodeState::down) {
      ++failures;
      since[edge.node] = edge.at;
    } else {
      EXPECT_EQ(edge.state, NodeState::up);
      down += to_seconds(edge.at - since[edge.node]);
    }
  }
  // Two nodes, 10^7 s, one failure in 1,100 s: 18,182; four standard deviations are about 3 %.
  EXPECT_NEAR(static_cast<double>(failures), 18'182, 550);
  EXPECT_NEAR(down / static_cast<double>(failures), 100, 3);
}

TEST(ModelRenewal, IsNoReasonToGoOn) {
  ModelHypervisor model(two_nodes(), fragile(1));
  EXPECT_FALSE(model.busy());
  EXPECT_NE(model.next(), kNever);
  (void)model.take_due(model.next());
  EXPECT_FALSE(model.busy());
}

TEST(ModelRenewal, TakesTheVirtualMachinesWithIt) {
  ModelOptions options = fragile(1);
  options.mtbf = seconds(10);
  OneJob job(options);
  job.start();
  EXPECT_TRUE(job.model.busy());
  bool down = false;
  while (!down) {
    for (const Event& event : job.wait()) {
      const auto* change = std::get_if<NodeChanged>(&event);
      down = down || (change && change->node.raw == 0);
      EXPECT_FALSE(std::holds_alternative<TaskEnded>(event) && !down) << "it needs 100 s, and node 0 fails";
    }
    if (job.now > Instant{seconds(100).raw}) GTEST_FAIL() << "with this seed node 0 fails before 100 s";
  }
  EXPECT_TRUE(job.model.killed({7}));
}

TEST(ModelCosts, AnActionTakesItsDelayAndTheTransferOfItsMemory) {
  ModelOptions options;
  options.delay[static_cast<std::size_t>(ActionKind::save)] = seconds(2);
  options.bandwidth[static_cast<std::size_t>(ActionKind::save)] = 100;  // bytes a second
  OneJob job(options);
  job.start();
  EXPECT_TRUE(job.tell(Save{{}, {{0}}}).empty());
  const auto events = job.wait();
  ASSERT_TRUE(outcome(events));
  EXPECT_EQ(job.now, Instant{seconds(6).raw}) << "2 s, and 400 bytes at 100 a second";
  EXPECT_EQ(options.time_of(ActionKind::save, Memory{1}), seconds(2) + Duration{10'000});
  EXPECT_EQ(options.time_of(ActionKind::restore, Memory{1}), Duration{});
}

TEST(ModelCosts, AMoveMayCostAnotherPenaltyThanAResume) {
  ModelOptions options;
  options.penalty = seconds(30);
  options.migration_penalty = seconds(1);
  OneJob job(options);
  job.start();
  EXPECT_EQ(outcome(job.tell(Migrate{{}, {{0}}, {{1}}}))->stall, seconds(1));
  (void)job.tell(Save{{}, {{1}}});
  (void)job.tell(Restore{{}, {{1}}, kFullYield});
  EXPECT_EQ(outcome(job.tell(Release{}))->stall, seconds(30));
}

}  // namespace
}  // namespace aliquot
