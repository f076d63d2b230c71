// The last tasks of a packing on nodes of one kind, placed exactly.
//
// When all but two or three nodes are filled, lists mostly fail by a little: the tasks left would fit in
// sum. All ways to place them are tried, node after node, the largest task first, as long as the nodes
// closed so far leave no more unused than all of them may. Where that finds none, the same is tried with
// one or two of the filled nodes opened again, those that leave most unused first: another few tasks, and
// many more ways. Each try is a few dozen steps.
#pragma once

#include <span>

#include "policies/packing/exact/pattern.hpp"

namespace aliquot {

class LastNodes {
 public:
  // Refers to the sizes as long as it lives.
  LastNodes(std::span<const TaskSize> sizes, const NodeRoom& room) : sizes_(sizes), room_(room) {}

  // Of the tasks `left` by shape, on so many nodes beside those that are `packed`: true, and it is
  // complete. False: not found within the effort, none was left, or the same was asked before; then it is
  // as it was.
  [[nodiscard]] bool pack(std::span<const std::int64_t> left, std::int64_t nodes, PatternPacking& packed);
  // Of all that was asked so far.
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

 private:
  static constexpr std::int64_t kMostNodes = 3;
  static constexpr std::uint64_t kStepsOfAll = 20'000;
  static constexpr std::uint64_t kStepsOfARest = 1'000;
  static constexpr std::uint64_t kStepsOfATry = 500;
  static constexpr std::uint64_t kStepsToBegin = 10;
  struct Task {
    TaskSize size;
    std::int64_t left = 0;
    std::uint32_t shape = 0;
  };
  // What nodes leave unused.
  struct Unused {
    Int128 cpu = 0;
    Int128 memory = 0;
    [[nodiscard]] bool possible() const { return cpu >= 0 && memory >= 0; }
  };
  struct Filled {
    Unused unused;
    std::size_t which = 0;  // in what is packed
  };

  [[nodiscard]] bool is_new(std::span<const std::int64_t> left);
  [[nodiscard]] Unused unused_by(std::span<const std::int64_t> left, std::int64_t nodes) const;
  void look_at_filled(const PatternPacking& packed, const Unused& spare);
  // With these of what is packed opened again.
  [[nodiscard]] bool try_with(std::span<const std::size_t> opened, PatternPacking& packed);
  void list_tasks();
  [[nodiscard]] bool place(std::int64_t nodes);
  [[nodiscard]] bool fill(std::size_t from, std::int64_t cpu, std::int64_t memory, std::int64_t nodes);
  void take(std::size_t task);
  void put_back(std::size_t task);

  std::span<const TaskSize> sizes_;
  NodeRoom room_;
  std::uint64_t steps_ = 0;
  std::uint64_t limit_ = 0;             // of this try
  std::vector<std::uint64_t> asked_;    // marks
  std::span<const std::int64_t> left_;  // by shape
  std::int64_t nodes_ = 0;
  std::vector<Filled> filled_;       // the most unused first
  std::vector<std::int64_t> count_;  // by shape, with what is opened
  std::vector<Task> tasks_;          // the largest first
  std::int64_t to_place_ = 0;
  Unused spare_;  // that is left to nodes not closed yet
  Pattern open_;  // by place in `tasks_`
  std::vector<Pattern> closed_;
};

}  // namespace aliquot
