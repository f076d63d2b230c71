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

// The same for whoever makes room often in one decision: the candidates are offered one by one, and each of
// their nodes is looked at once for each change.
//
//   maker.begin(demand);
//   while (!maker.enough() && another) maker.take_off(it);  // the lowest priority first
//   if (maker.enough()) paused = maker.finish(); else maker.undo();
class RoomMaker {
 public:
  // A placed job that stands as its view has it, with what is far away in memory.
  struct Candidate {
    Shares shares;
    Charge each;
    std::uint32_t entry = 0;
  };
  explicit RoomMaker(Draft& draft)
      : draft_(draft), slots_(Demand{}), marked_(draft.memory()), paused_(draft.memory()) {}

  void begin(const Demand& demand);
  [[nodiscard]] bool enough() const { return missing_ <= 0; }
  void take_off(const Candidate& candidate);  // lives until the end
  // Spares whom it can; the others are off the draft. The answer lives until the next begin().
  [[nodiscard]] std::span<const std::uint32_t> finish();
  void undo();

 private:
  void change(const Candidate& candidate, std::int64_t sign);

  Draft& draft_;
  SlotsBeside slots_;
  std::int64_t missing_ = 0;
  std::pmr::vector<const Candidate*> marked_;
  std::pmr::vector<std::uint32_t> paused_;
};

}  // namespace aliquot
