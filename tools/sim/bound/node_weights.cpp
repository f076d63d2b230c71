#include "tools/sim/bound/node_weights.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "policies/packing/exact/restricted_master.hpp"
#include "tools/sim/bound/knapsack.hpp"
#include "tools/sim/bound/weights.hpp"

namespace aliquot {
namespace {

constexpr std::int64_t kExactUnits = 100;  // of a node, where all sizes are whole numbers of units
constexpr std::int64_t kUnits = 50;        // else
constexpr std::int64_t kFewUnits = 12;     // where there would be too many shapes
constexpr std::size_t kMostShapes = 48;
constexpr int kMostRounds = 200;  // of generating configurations
constexpr double kLargestValue = 1 << 30;
constexpr std::uint64_t kEffort = 100'000'000;  // of the linear program, in all: never reached

// The size of a unit: common to all sizes if that gives no more than so many units a node.
std::int64_t unit_of(std::int64_t common, std::int64_t largest, std::int64_t units) {
  if (common > 0 && largest / common <= kExactUnits && units > kFewUnits) return common;
  return std::max<std::int64_t>(1, (largest + units - 1) / units);
}

class NodeProgram {
 public:
  NodeProgram(const BoundInstance& instance, const TimeSet& time, Stretch stretch) : instance_(instance) {
    choose_grid(kUnits);
    if (shapes_.size() > kMostShapes) choose_grid(kFewUnits);
    asked_.assign(shapes_.size(), 0);
    for (std::size_t j = 0; j < instance.jobs.size(); ++j) {
      const double left = static_cast<double>(left_for(time, instance.jobs[j], stretch));
      asked_[shape_of_[j]] += left * static_cast<double>(instance.jobs[j].tasks);
    }
    for (std::size_t s = 0; s < shapes_.size(); ++s)  // these could be served without end
      if (shapes_[s] == GridShape{}) asked_[s] = 0;
  }

  JobWeights solve() {
    std::vector<std::int64_t> values(shapes_.size());
    RestrictedMaster master(shapes_.size(), nodes_.size());
    if (start(master)) {
      std::uint64_t effort = kEffort;
      for (int round = 0; round < kMostRounds && master.minimise(effort); ++round) {
        values = values_of(master);
        if (!add_configurations(master, values)) break;
      }
    }
    JobWeights weights{"nodes", {}, capacity(values)};
    for (std::size_t j = 0; j < instance_.jobs.size(); ++j)
      weights.each.push_back(values[shape_of_[j]] * instance_.jobs[j].tasks);
    return within_range(instance_, std::move(weights));
  }

 private:
  void choose_grid(std::int64_t units) {
    std::int64_t cpu = 0;
    std::int64_t memory = 0;
    Cpu most_cpu;
    Memory most_memory;
    for (const NodeClass& c : instance_.classes) {
      cpu = std::gcd(cpu, c.capacity.raw);
      memory = std::gcd(memory, c.memory.raw);
      most_cpu = std::max(most_cpu, c.capacity);
      most_memory = std::max(most_memory, c.memory);
    }
    for (const BoundJob& job : instance_.jobs) {
      cpu = std::gcd(cpu, job.need.raw);
      memory = std::gcd(memory, job.memory.raw);
    }
    cpu = unit_of(cpu, most_cpu.raw, units);
    memory = unit_of(memory, most_memory.raw, units);
    nodes_.clear();
    for (const NodeClass& c : instance_.classes)
      nodes_.push_back({(c.capacity.raw + cpu - 1) / cpu, (c.memory.raw + memory - 1) / memory});
    cpu_unit_ = cpu;
    std::map<GridShape, std::size_t> known;
    shape_of_.clear();
    for (const BoundJob& job : instance_.jobs) {
      const GridShape shape{job.need.raw / cpu, job.memory.raw / memory};
      shape_of_.push_back(known.emplace(shape, known.size()).first->second);
    }
    shapes_.resize(known.size());
    for (const auto& [shape, number] : known) shapes_[number] = shape;
  }

  // Each shape alone on a node of each class. False: there is no work to be served.
  bool start(RestrictedMaster& master) {
    const double most = *std::ranges::max_element(asked_);
    if (!(most > 0)) return false;
    std::vector<double> demand = asked_;
    std::vector<std::uint32_t> single(shapes_.size());
    for (std::size_t s = 0; s < shapes_.size(); ++s) {
      demand[s] /= most;
      double served = 0;  // by a node of the best class
      std::vector<std::int64_t> alone(shapes_.size());
      alone[s] = demand[s] > 0 ? 1'000'000 : 0;
      for (std::uint32_t c = 0; c < nodes_.size() && alone[s] > 0; ++c) {
        const NodeChoice choice = best_choice(shapes_, alone, nodes_[c]);
        if (choice.yields[s] > 0) (void)add_configuration(master, c, choice);
        if (choice.yields[s] <= served) continue;
        served = choice.yields[s];
        single[s] = master.columns() - 1;
      }
      if (served == 0) demand[s] = 0;
    }
    std::vector<double> nodes;
    for (const NodeClass& c : instance_.classes) nodes.push_back(static_cast<double>(c.count));
    master.start(demand, nodes, single);
    return true;
  }

  static std::uint32_t add_configuration(RestrictedMaster& master, std::uint32_t node_class,
                                         const NodeChoice& choice) {
    std::vector<RestrictedMaster::Part> parts;
    for (std::uint32_t s = 0; s < choice.yields.size(); ++s) {
      if (choice.yields[s] > 0) parts.push_back({s, choice.yields[s]});
    }
    return master.add(node_class, parts);
  }

  // In whole numbers, the largest of them the same each time.
  std::vector<std::int64_t> values_of(const RestrictedMaster& master) const {
    double most = 0;
    for (std::uint32_t s = 0; s < shapes_.size(); ++s) most = std::max(most, master.value_of_shape(s));
    std::vector<std::int64_t> values(shapes_.size());
    for (std::uint32_t s = 0; s < shapes_.size() && most > 0; ++s) {
      const double value = master.value_of_shape(s);
      if (asked_[s] > 0 && value > 0) values[s] = static_cast<std::int64_t>(value / most * kLargestValue);
    }
    return values;
  }

  // Of each class the node that serves most beyond what the program thinks. False: there is none.
  bool add_configurations(RestrictedMaster& master, const std::vector<std::int64_t>& values) const {
    bool added = false;
    for (std::uint32_t c = 0; c < nodes_.size(); ++c) {
      const NodeChoice choice = best_choice(shapes_, values, nodes_[c]);
      double served = 0;
      for (std::uint32_t s = 0; s < shapes_.size(); ++s)
        served += choice.yields[s] * master.value_of_shape(s);
      if (served <= master.value_of_node(c) * (1 + 1e-7) + 1e-12) continue;
      (void)add_configuration(master, c, choice);
      added = true;
    }
    return added;
  }

  // What a node may serve beyond its capacity by the rounding of caps goes where it is worth most.
  Int128 capacity(const std::vector<std::int64_t>& values) const {
    Int128 rounding = 0;
    for (std::size_t s = 0; s < shapes_.size(); ++s) {
      const Int128 need = Int128{shapes_[s].cpu} * cpu_unit_;
      if (need > 0)
        rounding = std::max(rounding, (values[s] * Int128{instance_.rounding.raw} + need - 1) / need);
    }
    Int128 sum = 0;
    for (std::size_t c = 0; c < nodes_.size(); ++c)
      sum += (best_choice(shapes_, values, nodes_[c]).value + rounding) * instance_.classes[c].count;
    return sum;
  }

  const BoundInstance& instance_;
  std::vector<GridShape> shapes_;
  std::vector<GridShape> nodes_;       // by class
  std::int64_t cpu_unit_ = 1;          // micro-cores
  std::vector<std::size_t> shape_of_;  // by job
  std::vector<double> asked_;          // by shape
};

}  // namespace

JobWeights node_weights(const BoundInstance& instance, const TimeSet& time, Stretch stretch) {
  return NodeProgram(instance, time, stretch).solve();
}

}  // namespace aliquot
