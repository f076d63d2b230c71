// GREEDY-PMTN's way of letting a job in that does not fit: pausing running jobs (DFRS, III-A).
//
// Candidates are marked in increasing priority until the job would fit without them; then, from the
// highest priority down, those are spared without which it fits as well. A job that has not come forward
// yet (virtual time 0, infinite priority) is never paused: it has just begun. Nor is what is fixed.
#pragma once

#include <span>

#include "policies/draft.hpp"

namespace aliquot {

// Takes off the jobs to be paused and answers true, or leaves the draft as it was and answers false.
[[nodiscard]] bool make_room(Draft& draft, const Demand& demand);

// The same among these placed jobs only, which are not fixed: the last of them goes first.
[[nodiscard]] bool make_room(Draft& draft, const Demand& demand, std::span<const std::size_t> pausable);

// The same for whoever makes room often in one decision: what the nodes would have is counted beside the
// draft, which is changed at the end only, and the candidates are offered one by one.
//
//   maker.begin(demand);
//   while (!maker.enough() && another) maker.take_off(it);  // the lowest priority first
//   if (maker.enough()) paused = maker.finish();
class RoomMaker {
 public:
  explicit RoomMaker(Draft& draft);

  void begin(const Demand& demand);
  [[nodiscard]] bool enough() const { return missing_ <= 0; }
  // A placed job that stands as its view has it.
  void take_off(std::uint32_t entry);
  // Spares whom it can, and takes the others off the draft; the answer lives until the next begin().
  [[nodiscard]] std::span<const std::uint32_t> finish();

 private:
  // Of a node, once somebody is taken off it.
  struct Left {
    Memory free;
    Cpu spare;
    std::int64_t slots = 0;
    std::uint32_t call = 0;  // in which this was
  };
  void change(std::uint32_t entry, std::int64_t sign);
  void look_up(std::uint32_t n, Left& left) const;

  Draft& draft_;
  const NodeRun* const only_run_;  // where all nodes are alike: a node itself is far away in memory
  SlotsBeside slots_;
  std::int64_t missing_ = 0;
  std::uint32_t call_ = 0;
  std::pmr::vector<Left> left_;
  std::pmr::vector<std::uint32_t> marked_;
};

}  // namespace aliquot
