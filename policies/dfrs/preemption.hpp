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
[[nodiscard]] bool preempt_for(Draft& draft, const Demand& demand);

// The same among these placed jobs only, which are not fixed: the last of them goes first.
[[nodiscard]] bool preempt_for(Draft& draft, const Demand& demand, std::span<const std::size_t> pausable);

// The same for whoever makes room often in one decision: the candidates are offered one by one. What would
// be free is kept beside the draft, from one demand to the next, and the draft is changed only when it is
// known who goes; room is counted only where that can matter, on nodes that have the memory for a task.
//
//   maker.begin(demand);
//   while (!maker.enough() && another) maker.take_off(it);  // the lowest priority first
//   if (maker.enough()) paused = maker.finish();
//   maker.changed(where);                                   // on other changes of the draft there
class PreemptionSearch {
 public:
  // A placed job that stands as its view has it, with what is far away in memory.
  struct Candidate {
    Shares shares;
    Charge each;
    std::uint32_t entry = 0;
  };
  explicit PreemptionSearch(Draft& draft);

  void begin(const Demand& demand);
  [[nodiscard]] bool enough() const { return missing_ <= 0; }
  void take_off(const Candidate& candidate);  // lives until the end
  // Spares whom it can; the others are off the draft. The answer lives until the next begin().
  [[nodiscard]] std::span<const std::uint32_t> finish();
  // Somebody else has been placed on these nodes of the draft, or taken off.
  void changed(Shares where);

 private:
  // What a node would have without those that are marked.
  struct Thought {
    Memory free;
    Cpu guaranteed;
  };
  [[nodiscard]] static Thought without(const Thought& node, const Candidate& candidate, const Share& share);
  [[nodiscard]] std::int64_t gain(std::uint32_t n, const Thought& before, const Thought& after) const;
  void leave_out(const Candidate& candidate);
  [[nodiscard]] bool put_back(const Candidate& candidate);
  void put_back_all();

  Draft& draft_;
  const NodeRun* only_run_;  // where all nodes are alike: a node itself is far away in memory
  SlotsBeside slots_;
  Memory memory_;  // of a task
  std::int64_t missing_ = 0;
  std::pmr::vector<Thought> thoughts_;  // by node
  std::pmr::vector<const Candidate*> marked_;
  std::pmr::vector<std::uint32_t> paused_;
};

}  // namespace aliquot
