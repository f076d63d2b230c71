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
  std::uint32_t widest = 0;  // the most tasks of one job
};

class Shapes {
 public:
  Shapes(const LevelRule& rule, std::pmr::memory_resource* memory);

  // The shape of this job: one that is known, or a new one without tasks.
  std::uint32_t shape_of(const Job& job);
  void add(std::uint32_t shape, std::int64_t tasks) { shapes_[shape].tasks += tasks; }
  void add_job(std::uint32_t shape, std::uint32_t tasks) {
    shapes_[shape].tasks += tasks;
    shapes_[shape].widest = std::max(shapes_[shape].widest, tasks);
  }
  void clear_counts() {
    for (Shape& shape : shapes_) shape.tasks = 0;
  }

  [[nodiscard]] std::size_t size() const { return shapes_.size(); }
  [[nodiscard]] const Shape& operator[](std::uint32_t shape) const { return shapes_[shape]; }
  [[nodiscard]] const LevelRule& rule() const { return rule_; }

 private:
  // One of the places of the hash: a power of two of them, open addressing.
  struct Slot {
    Cpu need;
    Memory memory;
    Yield min_yield;
    std::uint32_t next = 0;  // shape + 1; 0: free
    [[nodiscard]] bool is(const Demand& demand) const {
      return need == demand.need && memory == demand.memory && min_yield == demand.min_yield;
    }
  };
  [[nodiscard]] std::size_t home(Cpu need, Memory memory) const;
  std::uint32_t add_new(const Job& job);
  void grow();

  LevelRule rule_;
  std::pmr::vector<Shape> shapes_;
  std::pmr::vector<Slot> slots_;
};

// Called for every job of every packing.
inline std::size_t Shapes::home(Cpu need, Memory memory) const {
  const std::uint64_t mixed = static_cast<std::uint64_t>(need.raw) * 0x9e3779b97f4a7c15ULL +
                              static_cast<std::uint64_t>(memory.raw) * 0xbf58476d1ce4e5b9ULL;
  return (mixed ^ (mixed >> 32)) & (slots_.size() - 1);
}

inline std::uint32_t Shapes::shape_of(const Job& job) {
  const Demand& demand = job.demand;
  std::size_t at = home(demand.need, demand.memory);
  while (slots_[at].next != 0 && !slots_[at].is(demand)) at = (at + 1) & (slots_.size() - 1);
  return slots_[at].next != 0 ? slots_[at].next - 1 : add_new(job);
}

}  // namespace aliquot
