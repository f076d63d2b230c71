// The usable nodes as bins for MCB8, with the fixed jobs inside. Bin i is the i-th usable node; equal
// neighbouring nodes without tasks form one run.
#pragma once

#include <vector>

#include "policies/dfrs/packing_jobs.hpp"
#include "policies/packing/mcb8.hpp"

namespace aliquot {

class Bins {
 public:
  // The draft holds only fixed jobs while this object is in use.
  explicit Bins(const Draft& draft);

  // What is free when the fixed jobs have the yields of this level.
  const std::pmr::vector<BinRun>& at(const PackingObjective& objective, Yield level);
  // Of the bins as `at` last left them.
  [[nodiscard]] const BinVolume& volume() const { return volume_; }

  [[nodiscard]] Memory free_memory() const;
  // By bin: the number of its node.
  [[nodiscard]] const std::uint32_t* nodes() const { return node_of_bin_.data(); }
  // How many tasks of this demand or shape could be placed beside the fixed jobs alone.
  [[nodiscard]] std::int64_t slots(Demand demand) const;
  [[nodiscard]] std::int64_t slots(const TaskShape& shape) const {
    return slots({1, shape.need, shape.memory, shape.min_yield, {}});
  }
  [[nodiscard]] bool fits(const Demand& demand) const { return slots(demand) >= demand.tasks; }

 private:
  void add_one_by_one(const NodeRun& nodes);

  const Draft& draft_;
  std::pmr::vector<BinRun> runs_;
  std::pmr::vector<std::uint32_t> run_of_node_;  // only where something is fixed
  std::pmr::vector<std::uint32_t> node_of_bin_;
  std::pmr::vector<std::size_t> fixed_;
  BinVolume volume_;
};

}  // namespace aliquot
