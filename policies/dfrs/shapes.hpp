// Jobs by what their tasks need: tasks of equal size are one class to MCB8, whichever job they belong to.
#pragma once

#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "policies/dfrs/bins.hpp"

namespace aliquot {

// A packing, and which class of it the jobs of each shape became.
struct ShapesPacked {
  Packing packing;
  std::vector<std::uint32_t> class_of_shape;
};

class Shapes {
 public:
  Shapes(const Draft& draft, const LevelRule& rule) : draft_(draft), rule_(rule) {}

  void add(std::size_t entry);
  void drop(std::size_t entry);
  // What all their tasks hold together.
  [[nodiscard]] Memory memory() const { return memory_; }

  [[nodiscard]] std::optional<ShapesPacked> pack(Bins& bins, Yield level) const;

  // The entries of each class in the order in which MCB8 takes them: decreasing id.
  [[nodiscard]] std::vector<std::vector<std::size_t>> entries_by_class(const ShapesPacked& packed) const;

 private:
  // Jobs that need the same at every level.
  struct Shape {
    const Job* sample = nullptr;
    std::int64_t tasks = 0;
    std::vector<std::size_t> entries;
  };

  const Draft& draft_;
  const LevelRule& rule_;
  std::vector<Shape> shapes_;
  Memory memory_;
  std::map<std::tuple<Cpu, Memory, Yield, std::size_t>, std::size_t> index_;
  std::vector<std::size_t> shape_of_;  // by entry
};

}  // namespace aliquot
