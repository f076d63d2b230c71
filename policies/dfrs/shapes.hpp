// Jobs by what their tasks need: tasks of equal size are one class to MCB8, whichever job they belong to.
//
// A shape is what jobs have in common that need the same at every level. It counts the tasks that are to
// be packed. Which shapes there are is settled once; the counts go up and down while a search tries which
// jobs to leave out.
#pragma once

#include <span>
#include <vector>

#include "policies/dfrs/level.hpp"

namespace aliquot {

struct Shape {
  Cpu need;
  Memory memory;
  Yield min_yield;
  YieldLine line;
  std::int64_t tasks = 0;
};

class Shapes {
 public:
  explicit Shapes(const LevelRule& rule) : rule_(rule) {}

  // The shape of this job: one that is known, or a new one without tasks.
  std::uint32_t shape_of(const Job& job);
  void add(std::uint32_t shape, std::int64_t tasks) { shapes_[shape].tasks += tasks; }

  [[nodiscard]] std::size_t size() const { return shapes_.size(); }
  [[nodiscard]] const Shape& operator[](std::uint32_t shape) const { return shapes_[shape]; }
  [[nodiscard]] const LevelRule& rule() const { return rule_; }

 private:
  [[nodiscard]] std::size_t slot_of(const Demand& demand) const;
  void grow();

  LevelRule rule_;
  std::vector<Shape> shapes_;
  std::vector<std::uint32_t> slots_;  // open addressing, a power of two; shape + 1, 0: free
};

}  // namespace aliquot
