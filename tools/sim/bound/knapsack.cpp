#include "tools/sim/bound/knapsack.hpp"

#include <algorithm>

#include "policies/model/units.hpp"

namespace aliquot {
namespace {

constexpr std::size_t kNone = SIZE_MAX;

class Table {
 public:
  Table(const std::vector<GridShape>& shapes, const std::vector<std::int64_t>& values, GridShape node)
      : shapes_(shapes), values_(values), node_(node), width_(static_cast<std::size_t>(node.cpu) + 1) {
    const std::size_t cells = width_ * (static_cast<std::size_t>(node.memory) + 1);
    value_.assign(cells, 0);
    last_.assign(cells, kNone);
    for (std::size_t s = 0; s < shapes.size(); ++s)
      if (values[s] > 0) add(s);
  }

  NodeChoice best() const {
    NodeChoice choice{at(node_.memory, node_.cpu), std::vector<double>(shapes_.size())};
    std::int64_t memory = node_.memory;
    std::int64_t cpu = node_.cpu;
    std::size_t partly = kNone;
    double part = 0;
    for (std::size_t s = 0; s < shapes_.size(); ++s) {
      if (values_[s] == 0 || shapes_[s].cpu == 0) continue;
      for (std::int64_t left = 1; left < std::min(shapes_[s].cpu, node_.cpu + 1); ++left) {
        if (shapes_[s].memory > node_.memory) break;
        const Int128 more = (Int128{values_[s]} * left + shapes_[s].cpu - 1) / shapes_[s].cpu;
        const std::int64_t value =
            at(node_.memory - shapes_[s].memory, node_.cpu - left) + static_cast<std::int64_t>(more);
        if (value <= choice.value) continue;
        choice.value = value;
        memory = node_.memory - shapes_[s].memory;
        cpu = node_.cpu - left;
        partly = s;
        part = static_cast<double>(left) / static_cast<double>(shapes_[s].cpu);
      }
    }
    if (partly != kNone) choice.yields[partly] += part;
    for (std::size_t s = last(memory, cpu); s != kNone; s = last(memory, cpu)) {
      choice.yields[s] += 1;
      memory -= shapes_[s].memory;
      cpu -= shapes_[s].cpu;
    }
    return choice;
  }

 private:
  [[nodiscard]] std::size_t cell(std::int64_t memory, std::int64_t cpu) const {
    return static_cast<std::size_t>(memory) * width_ + static_cast<std::size_t>(cpu);
  }
  [[nodiscard]] std::int64_t at(std::int64_t memory, std::int64_t cpu) const {
    return value_[cell(memory, cpu)];
  }
  [[nodiscard]] std::size_t last(std::int64_t memory, std::int64_t cpu) const {
    return last_[cell(memory, cpu)];
  }
  // As many tasks of this shape as fit, each at its full need.
  void add(std::size_t s) {
    for (std::int64_t memory = shapes_[s].memory; memory <= node_.memory; ++memory) {
      for (std::int64_t cpu = shapes_[s].cpu; cpu <= node_.cpu; ++cpu) {
        const std::int64_t value = at(memory - shapes_[s].memory, cpu - shapes_[s].cpu) + values_[s];
        if (value <= at(memory, cpu)) continue;
        value_[cell(memory, cpu)] = value;
        last_[cell(memory, cpu)] = s;
      }
    }
  }

  const std::vector<GridShape>& shapes_;
  const std::vector<std::int64_t>& values_;
  GridShape node_;
  std::size_t width_;
  std::vector<std::int64_t> value_;
  std::vector<std::size_t> last_;  // the shape added last to get it
};

}  // namespace

NodeChoice best_choice(const std::vector<GridShape>& shapes, const std::vector<std::int64_t>& values,
                       GridShape node) {
  return Table(shapes, values, node).best();
}

}  // namespace aliquot
