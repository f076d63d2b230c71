#include "tools/experiments/openb/inflation.hpp"

#include <algorithm>
#include <numeric>
#include <random>

#include "manager/core/scheduler.hpp"
#include "manager/hypervisor/model/model_hypervisor.hpp"
#include "policies/fitting/free_on_node.hpp"
#include "tools/sim/stopwatch.hpp"

namespace aliquot {
namespace {

// No task ends within the experiment: one arrives each second.
constexpr Duration kForEver = seconds(1'000'000'000);

Cluster empty_cluster(const OpenbCluster& described) {
  CoreState state;
  state.view.nodes = described.nodes;
  state.view.device_models = described.device_models;
  return Cluster(std::move(state));
}

// Draws without replacement; starts again, in a new order, when all have been drawn.
class Draw {
 public:
  Draw(std::size_t count, std::uint64_t seed) : random_(seed), order_(count) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
  }
  std::size_t next() {
    if (next_ == 0)  // not std::shuffle, which differs between standard libraries
      for (std::size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[random_() % i]);
    const std::size_t drawn = order_[next_];
    next_ = (next_ + 1) % order_.size();
    return drawn;
  }

 private:
  std::mt19937_64 random_;
  std::vector<std::size_t> order_;
  std::size_t next_ = 0;
};

std::int64_t parts_of(const Demand& demand) {
  return std::int64_t{demand.devices.per_node} * demand.devices.parts;
}

// The manager's core and the model hypervisor, given one task at a time.
class World {
 public:
  World(const OpenbCluster& cluster, std::unique_ptr<Policy> policy)
      : scheduler_(empty_cluster(cluster), std::move(policy), monotonic_nanoseconds),
        hypervisor_(cluster.nodes, {}) {}

  // Whether the task was placed.
  Result<bool> submit(const Demand& demand) {
    const JobId id{++jobs_};
    Submission submission;
    submission.demand = demand;
    submission.program = ModelWork{kForEver, 0};
    const Instant now = Instant{} + seconds(static_cast<std::int64_t>(jobs_));
    std::vector<Event> events{Submitted{id, std::move(submission)}};
    while (!events.empty()) {
      const Step step = scheduler_.round(now, std::move(events));
      if (step.decision && !step.decision->adopted)
        return fail(ErrorKind::internal,
                    "the checker refused a plan: " + step.decision->violations.front().text);
      if (step.decision) nanoseconds_.push_back(step.decision->nanoseconds);
      for (const Action& action : step.actions)
        hypervisor_.perform(action, scheduler_.cluster().spec(head(action).job));
      events = hypervisor_.take_due(now);
    }
    return !scheduler_.cluster().view().jobs.at(id).placement.empty();
  }

  [[nodiscard]] const ClusterView& view() const { return scheduler_.cluster().view(); }
  [[nodiscard]] double mean_us() const {
    return static_cast<double>(std::accumulate(nanoseconds_.begin(), nanoseconds_.end(), std::int64_t{0})) /
           1e3 / static_cast<double>(nanoseconds_.size());
  }
  [[nodiscard]] double max_us() const {
    return static_cast<double>(*std::ranges::max_element(nanoseconds_)) / 1e3;
  }

 private:
  Scheduler scheduler_;
  ModelHypervisor hypervisor_;
  std::uint64_t jobs_ = 0;
  std::vector<std::int64_t> nanoseconds_;
};

// Why each kind of task cannot have a node's free devices, weighted by the number of such tasks.
Stranded stranded_on(const FreeOnNode& node, const std::vector<std::pair<Demand, double>>& kinds) {
  Stranded sum;
  const auto free = static_cast<double>(node.device_parts());
  for (const auto& [demand, weight] : kinds) {
    double offered = 0;
    std::uint32_t slots = 0;
    for (std::uint32_t slot = 0; slot < node.slots; ++slot)
      if (node.has_device(slot, demand.devices)) offered += node.parts[slot], ++slots;
    if (slots < demand.devices.per_node) offered = 0;
    sum.slice += weight * (free - offered);
    if (node.cpu < demand.need)
      sum.cpu += weight * offered;
    else if (node.memory < demand.memory)
      sum.memory += weight * offered;
    else
      sum.usable += weight * offered;
  }
  return sum;
}

Stranded stranded(const ClusterView& view, const std::vector<Demand>& tasks, double all_parts) {
  std::vector<std::pair<Demand, double>> kinds;
  double count = 0;
  for (const Demand& demand : tasks) {
    if (!demand.devices.any()) continue;
    ++count;
    const auto known = std::ranges::find(kinds, demand, &std::pair<Demand, double>::first);
    if (known == kinds.end())
      kinds.emplace_back(demand, 1);
    else
      ++known->second;
  }
  Stranded sum;
  for (const FreeOnNode& node : free_on_nodes(placing_draft(view))) {
    const Stranded here = stranded_on(node, kinds);
    sum.slice += here.slice / count / all_parts;
    sum.cpu += here.cpu / count / all_parts;
    sum.memory += here.memory / count / all_parts;
    sum.usable += here.usable / count / all_parts;
  }
  return sum;
}

}  // namespace

Result<Inflation> inflate(const OpenbCluster& cluster, const std::vector<Demand>& tasks,
                          const std::string& name, std::uint64_t seed) {
  auto policy = make_policy(name);
  if (!policy) return tl::unexpected(policy.error());
  Inflation result;
  result.policy = (*policy)->name();
  result.seed = seed;
  World world(cluster, std::move(*policy));
  Draw draw(tasks.size(), seed);
  const std::int64_t all = cluster.parts();
  std::int64_t asked = 0;
  std::int64_t given = 0;
  while (asked <= all) {
    const Demand& demand = tasks[draw.next()];
    asked += parts_of(demand);
    ++result.tasks;
    const auto placed = world.submit(demand);
    if (!placed) return tl::unexpected(placed.error());
    given += *placed ? parts_of(demand) : 0;
    result.refused += *placed ? 0 : 1;
    result.allocated = static_cast<double>(given) / static_cast<double>(all);
    const auto mark = static_cast<std::size_t>(asked * static_cast<std::int64_t>(Inflation::kMarks) / all);
    if (mark > 0) result.at[std::min(mark, Inflation::kMarks) - 1] = result.allocated;
  }
  // A task that asks for several GPUs may skip marks.
  for (std::size_t mark = 1; mark < Inflation::kMarks; ++mark)
    result.at[mark] = std::max(result.at[mark], result.at[mark - 1]);
  result.stranded = stranded(world.view(), tasks, static_cast<double>(all));
  result.decision_us_mean = world.mean_us();
  result.decision_us_max = world.max_us();
  return result;
}

}  // namespace aliquot
