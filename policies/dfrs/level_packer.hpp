// MCB8 at one level after the other, over the same shapes and bins: what a yield search asks (DFRS, III-B).
//
// The volume alone tells a level at which the tasks ask for more than the bins have. The last packing that
// was found is kept.
#pragma once

#include <span>
#include <vector>

#include "policies/dfrs/bins.hpp"
#include "policies/dfrs/packing_jobs.hpp"

namespace aliquot {

class LevelPacker {
 public:
  // Refers to both. From now on there are no new shapes; their counts may change.
  LevelPacker(const TaskShapes& shapes, Bins& bins, std::pmr::memory_resource* memory);

  [[nodiscard]] bool pack(Yield level);

  // Replaces the packing that was found by another one, which has classes of its own.
  void adopt(Packing packing, std::span<const std::uint32_t> class_of_shape, std::size_t classes);

  // Of the last packing that was found. A shape without tasks has no class.
  [[nodiscard]] const Packing& packing() const { return found_.packing; }
  [[nodiscard]] std::uint32_t class_of(std::uint32_t shape) const { return found_.class_of_shape[shape]; }
  [[nodiscard]] std::uint32_t classes() const { return found_.classes; }

 private:
  struct Attempt {
    explicit Attempt(std::pmr::memory_resource* memory) : packing(memory), class_of_shape(memory) {}
    Packing packing;
    std::pmr::vector<std::uint32_t> class_of_shape;
    std::uint32_t classes = 0;
  };
  void unite(ClassList& list);

  const TaskShapes& shapes_;
  Bins& bins_;
  Mcb8 mcb8_;
  Attempt trial_;
  Attempt found_;
};

// Leaves out jobs of lowest priority until the rest can be packed at this level, which is then the packing
// that the packer holds. Returns whether any job is left.
bool leave_out_lowest_priority(PackingJobs& jobs, LevelPacker& packer, Yield level);

}  // namespace aliquot
