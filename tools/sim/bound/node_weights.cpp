#include "tools/sim/bound/node_weights.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "tools/sim/bound/knapsack.hpp"
#include "tools/sim/bound/simplex.hpp"
#include "tools/sim/bound/weights.hpp"

namespace aliquot {
namespace {

constexpr std::int64_t kExactUnits = 100;  // of a node, where all sizes are whole numbers of units
constexpr std::int64_t kUnits = 50;        // else
constexpr std::int64_t kFewUnits = 12;     // where there would be too many shapes
constexpr std::size_t kMostShapes = 48;
constexpr int kMostRounds = 200;  // of generating configurations
constexpr double kLargestWorth = 1 << 30;

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
    start();
    std::vector<std::int64_t> worths(shapes_.size());
    for (int round = 0; round < kMostRounds; ++round) {
      const std::vector<double> x = maximize(lp_);
      worths = worths_of(x);
      if (!add_configurations(worths, x)) break;
    }
    JobWeights weights{"nodes", {}, capacity(worths)};
    for (std::size_t j = 0; j < instance_.jobs.size(); ++j)
      weights.each.push_back(worths[shape_of_[j]] * instance_.jobs[j].tasks);
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

  // Variables: the worth of each shape, then what one node of each class serves at most. The nodes of all
  // classes together serve 1.
  void start() {
    const double most = *std::ranges::max_element(asked_);
    lp_.gain = asked_;
    for (double& gain : lp_.gain) gain /= std::max(most, 1.0);
    lp_.gain.resize(shapes_.size() + nodes_.size());
    std::vector<double> all(lp_.gain.size());
    for (std::size_t c = 0; c < nodes_.size(); ++c)
      all[shapes_.size() + c] = static_cast<double>(instance_.classes[c].count);
    lp_.rows.push_back(all);
    lp_.limits.push_back(1);
    for (std::size_t s = 0; s < shapes_.size(); ++s) {
      std::vector<std::int64_t> alone(shapes_.size());
      alone[s] = asked_[s] > 0 ? 1'000'000 : 0;
      for (std::size_t c = 0; c < nodes_.size() && alone[s] > 0; ++c)
        add_row(c, best_choice(shapes_, alone, nodes_[c]).yields);
    }
  }

  void add_row(std::size_t node_class, std::vector<double> yields) {
    yields.resize(lp_.gain.size());
    yields[shapes_.size() + node_class] = -1;
    lp_.rows.push_back(std::move(yields));
    lp_.limits.push_back(0);
  }

  std::vector<std::int64_t> worths_of(const std::vector<double>& x) const {
    double most = 0;
    for (std::size_t s = 0; s < shapes_.size(); ++s) most = std::max(most, x[s]);
    std::vector<std::int64_t> worths(shapes_.size());
    for (std::size_t s = 0; s < shapes_.size() && most > 0; ++s) {
      if (asked_[s] > 0 && x[s] > 0) worths[s] = static_cast<std::int64_t>(x[s] / most * kLargestWorth);
    }
    return worths;
  }

  // Of each class the node that is served most beyond what the program thinks. False: there is none.
  bool add_configurations(const std::vector<std::int64_t>& worths, const std::vector<double>& x) {
    bool added = false;
    for (std::size_t c = 0; c < nodes_.size(); ++c) {
      const NodeChoice choice = best_choice(shapes_, worths, nodes_[c]);
      double served = 0;
      for (std::size_t s = 0; s < shapes_.size(); ++s) served += choice.yields[s] * x[s];
      if (served <= x[shapes_.size() + c] * (1 + 1e-7) + 1e-12) continue;
      add_row(c, choice.yields);
      added = true;
    }
    return added;
  }

  // What a node may serve beyond its capacity by the rounding of caps goes where it is worth most.
  Int128 capacity(const std::vector<std::int64_t>& worths) const {
    Int128 rounding = 0;
    for (std::size_t s = 0; s < shapes_.size(); ++s) {
      const Int128 need = Int128{shapes_[s].cpu} * cpu_unit_;
      if (need > 0)
        rounding = std::max(rounding, (worths[s] * Int128{instance_.rounding.raw} + need - 1) / need);
    }
    Int128 sum = 0;
    for (std::size_t c = 0; c < nodes_.size(); ++c)
      sum += (best_choice(shapes_, worths, nodes_[c]).worth + rounding) * instance_.classes[c].count;
    return sum;
  }

  const BoundInstance& instance_;
  std::vector<GridShape> shapes_;
  std::vector<GridShape> nodes_;       // by class
  std::int64_t cpu_unit_ = 1;          // micro-cores
  std::vector<std::size_t> shape_of_;  // by job
  std::vector<double> asked_;          // by shape
  SmallLp lp_;
};

}  // namespace

JobWeights node_weights(const BoundInstance& instance, const TimeSet& time, Stretch stretch) {
  return NodeProgram(instance, time, stretch).solve();
}

}  // namespace aliquot
