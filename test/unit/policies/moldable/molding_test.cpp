// The choice of the number of tasks: the three rules on small clusters, laws on random ones, and the
// searches against literal ones.
#include "policies/moldable/molding.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "test/unit/policies/small.hpp"

namespace aliquot::moldable {
namespace {

using test::on;
using test::SmallView;

SpeedupModel downey(double parallelism, double variance) {
  const auto millionths = [](double value) {
    return Millionths{static_cast<std::int64_t>(value * static_cast<double>(kMillion))};
  };
  return SpeedupModel::downey(millionths(parallelism), millionths(variance)).value();
}
// CPU and memory of a task in percent of a node of SmallView.
MoldableOffer offer_of(TaskRange range, const SpeedupModel& model, std::int64_t cpu = 100,
                       std::int64_t memory = 10, std::int64_t divided = 0) {
  return MoldableOffer::of(range, model, {cpu * 10'000}, mebibytes(memory), mebibytes(divided)).value();
}

std::uint32_t below(std::mt19937_64& random, std::uint32_t most) {
  return static_cast<std::uint32_t>(random() % most);
}

// --- Literal versions ---

struct LiteralNode {
  double load = 0;
  std::int64_t free = 0;
  double capacity = 0;
  bool used = false;
};

std::vector<LiteralNode> literal_nodes(const ClusterView& view) {
  std::vector<LiteralNode> nodes;
  for (const Node& node : view.nodes) {
    LiteralNode made{0, node.memory.raw, static_cast<double>(node.capacity.raw)};
    for (const auto& [id, job] : view.jobs)
      for (const Share& share : job.placement)
        if (share.node == node.id) {
          made.load += static_cast<double>(job.demand.need.raw) * share.units;
          made.free -= job.demand.memory.raw * share.units;
        }
    if (node.usable()) nodes.push_back(made);
  }
  return nodes;
}

// Each task looks at all nodes. None: no memory.
std::optional<ClusterLoad::LoadFactors> literal_place(const ClusterView& view, const TaskSet& tasks) {
  std::vector<LiteralNode> nodes = literal_nodes(view);
  for (std::uint32_t task = 0; task < tasks.count; ++task) {
    LiteralNode* chosen = nullptr;
    for (LiteralNode& node : nodes)
      if (node.free >= tasks.memory.raw &&
          (!chosen || node.load / node.capacity < chosen->load / chosen->capacity))
        chosen = &node;
    if (!chosen) return std::nullopt;
    chosen->load += static_cast<double>(tasks.need.raw);
    chosen->free -= tasks.memory.raw;
    chosen->used = true;
  }
  ClusterLoad::LoadFactors factors{1e9, 0};
  for (const LiteralNode& node : nodes) {
    if (!node.used) continue;
    factors.least = std::min(factors.least, node.load / node.capacity);
    factors.most = std::max(factors.most, node.load / node.capacity);
  }
  return factors;
}

double literal_load(const ClusterView& view, const TaskSet& tasks) {
  double needed = static_cast<double>(tasks.need.raw) * tasks.count;
  double capacity = 0;
  for (const auto& [id, job] : view.jobs)
    needed += static_cast<double>(job.demand.need.raw) * job.demand.tasks;
  for (const Node& node : view.nodes)
    if (node.usable()) capacity += static_cast<double>(node.capacity.raw);
  return needed / capacity;
}

// The definition of LeastStretch in molding.hpp, for offers that all nodes can hold.
double literal_larger(const ClusterView& view, const MoldableOffer& offer, std::uint32_t n, double a) {
  const auto placed = literal_place(view, offer.on(n));
  const double load = literal_load(view, offer.on(n));
  const double slowdown = to_ratio(offer.model().at(offer.range().most)) / to_ratio(offer.model().at(n));
  const double own = slowdown * std::max(1.0, placed ? placed->most : load);
  const double others = load < 1 ? 1 + (a - 1) * load : a * load;
  return slowdown <= a ? std::max(own, others) : 1e9;
}

// Up to 12 nodes, up to 10 jobs that run, some nodes that take nothing new.
SmallView random_cluster(std::mt19937_64& random) {
  const auto nodes = static_cast<std::uint32_t>(1 + below(random, 12));
  SmallView made(nodes);
  for (Node& node : made.view.nodes) {
    if (below(random, 3) == 0) node.capacity = cores(2);
    if (below(random, 8) == 0 && node.id.raw > 0) node.service = NodeService::draining;
  }
  std::vector<std::int64_t> free(nodes, 100);
  for (std::uint64_t id = 1; id <= below(random, 11); ++id) {
    const auto memory = static_cast<std::int64_t>(10 * (1 + below(random, 5)));
    Placement where;
    for (std::uint32_t n = 0; n < nodes; ++n)
      if (below(random, 2) == 0 && free[n] >= memory) {
        where.push_back(on(n));
        free[n] -= memory;
      }
    const auto cpu = static_cast<std::int64_t>(25 * (1 + below(random, 4)));
    if (where.empty())
      made.waiting(id, 1 + below(random, 3), cpu, memory);
    else
      made.running(id, where, cpu, memory);
  }
  return made;
}

MoldableOffer random_offer(std::mt19937_64& random, std::uint32_t most) {
  const double parallelism = 1 + static_cast<double>(below(random, 300)) / 10;
  const double variance = static_cast<double>(below(random, 25)) / 10;
  const auto least = static_cast<std::uint32_t>(1 + below(random, most));
  return offer_of({least, most}, downey(parallelism, variance), 25 * (1 + below(random, 4)),
                  5 * (1 + below(random, 4)));
}

TEST(Molding, tasks_stand_where_greedy_places_them) {
  std::mt19937_64 random(1);
  int placed = 0;
  for (int k = 0; k < 2'000; ++k) {
    const SmallView small = random_cluster(random);
    const ClusterLoad cluster(small.view);
    const TaskSet tasks{static_cast<std::uint32_t>(1 + below(random, 30)),
                        {static_cast<std::int64_t>(250'000 * (1 + below(random, 4)))},
                        mebibytes(static_cast<std::int64_t>(5 + below(random, 60)))};
    const auto found = cluster.place(tasks);
    const auto literal = literal_place(small.view, tasks);
    ASSERT_EQ(found.has_value(), literal.has_value());
    EXPECT_NEAR(cluster.load_with(tasks), literal_load(small.view, tasks), 1e-9);
    if (!found) continue;
    ++placed;
    EXPECT_NEAR(found->least, literal->least, 1e-9);
    EXPECT_NEAR(found->most, literal->most, 1e-9);
    EXPECT_TRUE(cluster.could_hold(tasks));
  }
  EXPECT_GT(placed, 500);
}

TEST(Molding, least_stretch_is_the_least_of_all_numbers) {
  std::mt19937_64 random(2);
  for (int k = 0; k < 1'000; ++k) {
    const SmallView small = random_cluster(random);
    const auto nodes = static_cast<std::uint32_t>(literal_nodes(small.view).size());
    const MoldableOffer offer = random_offer(random, 2 * nodes);  // a task has a fifth of a node at most
    const double acceptable = 1 + static_cast<double>(below(random, 40)) / 10;
    const MoldingChoice choice = mold(small.view, offer, LeastStretch{acceptable});
    double least = 1e9;
    std::uint32_t first = 0;
    for (std::uint32_t n = offer.range().least; n <= offer.range().most; ++n) {
      const double larger = literal_larger(small.view, offer, n, acceptable);
      if (larger < least * (1 - 1e-12)) {
        least = larger;
        first = n;
      }
    }
    EXPECT_EQ(choice.tasks, first);
    EXPECT_NEAR(std::max(choice.own, choice.others), least, 1e-9);
    EXPECT_LE(choice.slowdown, acceptable);
  }
}

TEST(Molding, every_rule_stays_in_the_range_and_depends_on_the_view_alone) {
  std::mt19937_64 random(3);
  for (int k = 0; k < 500; ++k) {
    const SmallView small = random_cluster(random);
    const MoldableOffer offer = random_offer(random, 1 + below(random, 200));
    for (const MoldingRule& rule : std::initializer_list<MoldingRule>{
             Fixed{}, Fixed{1 + below(random, 300)}, LoadBalance{}, LoadBalance{0.1, 7}, LeastStretch{}}) {
      const MoldingChoice choice = mold(small.view, offer, rule);
      EXPECT_GE(choice.tasks, offer.range().least);
      EXPECT_LE(choice.tasks, offer.range().most);
      EXPECT_EQ(choice.tasks, mold(small.view, offer, rule).tasks);
      EXPECT_FALSE(explain(choice).empty());
    }
  }
}

TEST(Molding, an_idle_cluster_gives_the_best_number_and_a_full_one_the_fewest_acceptable) {
  SmallView idle(100);
  const MoldableOffer offer = offer_of({1, 16}, downey(16, 0));
  const MoldingChoice alone = mold(idle.view, offer, LeastStretch{});
  EXPECT_GE(alone.tasks, 13);  // sixteen of a hundred nodes are a load of 0.16
  EXPECT_EQ(alone.reason, MoldingReason::least_stretch);
  SmallView huge(10'000);
  EXPECT_EQ(mold(huge.view, offer, LeastStretch{}).reason, MoldingReason::best_number);
  EXPECT_EQ(mold(huge.view, offer, LeastStretch{}).tasks, 16);
  SmallView full(2);
  for (std::uint64_t id = 1; id <= 4; ++id) full.running(id, {on(0), on(1)}, 100, 5);
  const MoldingChoice crowded = mold(full.view, offer, LeastStretch{});
  EXPECT_EQ(crowded.tasks, 7);  // 16 / 7 = 2.29, 16 / 6 = 2.67
  EXPECT_EQ(crowded.reason, MoldingReason::fewest_acceptable);
}

// Of four nodes two are in use. Three tasks would share one of them: 2 x 4/3 is more than 4/2 = 2, and so
// is what four tasks come to, 2 x 1 against the others' 1 + 1.5 x 1.
TEST(Molding, a_job_rather_takes_fewer_tasks_than_share_a_node) {
  SmallView small(4);
  small.running(1, {on(0), on(1)}, 100, 10);
  const MoldingChoice choice = mold(small.view, offer_of({1, 4}, SpeedupModel::perfect()), LeastStretch{});
  EXPECT_EQ(choice.tasks, 2);
  EXPECT_DOUBLE_EQ(choice.own, 2);
  EXPECT_DOUBLE_EQ(choice.others, 2.5);
}

TEST(Molding, jobs_that_wait_count_as_load) {
  SmallView small(10);
  const MoldableOffer offer = offer_of({1, 10}, SpeedupModel::perfect());
  const std::uint32_t before = mold(small.view, offer, LeastStretch{}).tasks;
  small.waiting(1, 10, 100, 10);
  EXPECT_LT(mold(small.view, offer, LeastStretch{}).tasks, before);
}

TEST(Molding, load_balance_takes_fewer_tasks_until_the_nodes_are_alike) {
  SmallView small(4);
  small.running(1, {on(2)}, 50, 10);
  small.running(2, {on(3)}, 100, 10);
  const MoldableOffer offer = offer_of({1, 4}, SpeedupModel::perfect());
  const auto chosen = [&](const LoadBalance& rule) { return mold(small.view, offer, rule); };
  EXPECT_EQ(chosen({2.0, {}}).tasks, 4);
  EXPECT_EQ(chosen({0.6, {}}).tasks, 3);  // 1, 1, 1.5
  EXPECT_EQ(chosen({0.5, {}}).tasks, 2);
  EXPECT_EQ(chosen({0.5, {}}).reason, MoldingReason::balanced);
  EXPECT_EQ(chosen({0.5, 1}).tasks, 1);  // from the knowledge base
  EXPECT_EQ(chosen({0, {}}).tasks, 1);
  EXPECT_EQ(chosen({0, {}}).reason, MoldingReason::least_of_range);
}

TEST(Molding, load_balance_ends_where_fewer_tasks_have_no_memory) {
  SmallView small(4);
  small.running(1, {on(3)}, 100, 10);
  // 240 % of a node are divided: two tasks would have 120 % each.
  const MoldableOffer offer = offer_of({1, 4}, SpeedupModel::perfect(), 100, 0, 240);
  const MoldingChoice choice = mold(small.view, offer, LoadBalance{0, {}});
  EXPECT_EQ(choice.tasks, 3);
  EXPECT_EQ(choice.reason, MoldingReason::memory);
}

TEST(Molding, least_stretch_leaves_out_what_no_node_could_hold) {
  SmallView full(2);
  for (std::uint64_t id = 1; id <= 4; ++id) full.running(id, {on(0), on(1)}, 100, 5);
  // 150 % are divided: one task cannot have it, and two could.
  EXPECT_EQ(mold(full.view, offer_of({1, 2}, SpeedupModel::perfect(), 100, 0, 150), LeastStretch{}).tasks,
            2);
  // Three tasks at most fit on each of two nodes: the best number is six, and half is too slow.
  const MoldingChoice choice =
      mold(full.view, offer_of({1, 100}, SpeedupModel::perfect(), 100, 30), LeastStretch{2});
  EXPECT_EQ(choice.tasks, 3);
  EXPECT_DOUBLE_EQ(choice.slowdown, 2);
  const MoldingChoice none =
      mold(full.view, offer_of({2, 9}, SpeedupModel::perfect(), 100, 101), LeastStretch{});
  EXPECT_EQ(none.tasks, 2);
  EXPECT_EQ(none.reason, MoldingReason::never_fits);
}

TEST(Molding, wide_ranges_are_searched_in_steps_that_lose_little) {
  std::mt19937_64 random(4);
  for (int k = 0; k < 5; ++k) {
    const SmallView small = random_cluster(random);
    const MoldableOffer offer = offer_of({1, 400}, downey(100 * (k + 1), 0.5 * k), 1, 0);
    double least = 1e9;
    for (std::uint32_t n = 1; n <= 400; ++n)
      least = std::min(least, literal_larger(small.view, offer, n, 2.5));
    const MoldingChoice choice = mold(small.view, offer, LeastStretch{});
    EXPECT_LE(std::max(choice.own, choice.others), least * (1 + 1 / 16.0));
  }
  const SmallView small(2);
  EXPECT_EQ(mold(small.view, offer_of({1, kMostTasks}, SpeedupModel::perfect(), 1, 0), Fixed{}).tasks,
            kMostTasks);
}

TEST(Molding, a_fixed_number_is_brought_into_the_range) {
  const SmallView small(2);
  const MoldableOffer offer = offer_of({2, 6}, SpeedupModel::perfect());
  EXPECT_EQ(mold(small.view, offer, Fixed{1}).tasks, 2);
  EXPECT_EQ(mold(small.view, offer, Fixed{1}).reason, MoldingReason::outside);
  EXPECT_EQ(mold(small.view, offer, Fixed{4}).reason, MoldingReason::given);
  EXPECT_EQ(mold(small.view, offer, Fixed{9}).tasks, 6);
  EXPECT_EQ(mold(small.view, offer, Fixed{}).tasks, 6);
}

TEST(Molding, a_choice_says_why) {
  SmallView small(4);
  small.running(1, {on(0), on(1)}, 100, 10);
  const MoldableOffer offer = offer_of({1, 4}, SpeedupModel::perfect());
  EXPECT_EQ(
      explain(mold(small.view, offer, LeastStretch{})),
      "2 tasks: fewer tasks would make it too slow, or need too much memory each; a stretch of 2.00 is "
      "foreseen for it, and of 2.50 for the others, on a cluster with a load of 1.00.");
  EXPECT_EQ(explain(mold(small.view, offer, LoadBalance{0.5, {}})),
            "2 tasks: the load factors of their nodes are 1.00 to 1.00, which is less apart than the "
            "threshold.");
  EXPECT_EQ(explain(mold(small.view, offer, Fixed{1})), "1 task: this number was asked for.");
}

TEST(Molding, an_offer_out_of_bounds_is_refused) {
  const auto made = [](TaskRange range, Memory memory) {
    return MoldableOffer::of(range, SpeedupModel::perfect(), cores(1), memory).has_value();
  };
  EXPECT_TRUE(made({1, kMostTasks}, {}));
  EXPECT_FALSE(made({0, 1}, {}));
  EXPECT_FALSE(made({3, 2}, {}));
  EXPECT_FALSE(made({1, kMostTasks + 1}, {}));
  EXPECT_FALSE(made({1, 1}, {-1}));
}

}  // namespace
}  // namespace aliquot::moldable
