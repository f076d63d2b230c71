// GREEDY-PMTN's way to admit a job that does not fit: it pauses running jobs (DFRS, III-A).
//
// Running jobs are marked in increasing priority until the job would fit without them. Then, from the
// highest priority down, a marked job is spared if the new job fits beside it as well. A job that has made
// no progress yet (virtual time 0, infinite priority) has just begun and is never paused; nor is a fixed
// job.
#pragma once

#include <span>

#include "policies/draft.hpp"

namespace aliquot {

// Removes the jobs to be paused from the draft and returns true, or leaves the draft as it was and returns
// false.
[[nodiscard]] bool preempt_for(Draft& draft, const Demand& demand);

// The same for several demands in one decision and for candidates that the caller chooses, one by one. What
// nodes would have free is kept beside the draft, which changes only when it is known which jobs are
// paused. Slots are counted only on nodes that have the memory for a task.
//
//   search.begin(demand);
//   while (!search.enough() && another) search.take_off(it);  // the lowest priority first
//   if (search.enough()) paused = search.finish();
//   search.changed(where);                                    // after other changes of the draft there
class PreemptionSearch {
 public:
  // A placed job that stands where its view has it.
  struct Candidate {
    Shares shares;
    Charge each;  // of a task
    std::uint32_t entry = 0;
  };
  explicit PreemptionSearch(Draft& draft);

  void begin(const Demand& demand);
  // Would all tasks fit without the candidates taken so far?
  [[nodiscard]] bool enough() const { return missing_ <= 0; }
  void take_off(const Candidate& candidate);  // lives until the end
  // Spares candidates where it can and removes the others from the draft. The result lives until the next
  // begin().
  [[nodiscard]] std::span<const std::uint32_t> finish();
  // Another job has been placed on these nodes of the draft, or removed from them.
  void changed(Shares where);

 private:
  // What a node would have without the candidates taken.
  struct Remaining {
    Memory free;
    Cpu guaranteed;
  };
  [[nodiscard]] std::int64_t slots_on(NodeId node) const;
  void read(Shares where);  // what the draft has there
  void leave_out(const Candidate& candidate, std::int64_t sign);
  void put_back_all();

  Draft& draft_;
  SlotsBeside slots_;
  Memory memory_;                          // of a task
  std::int64_t missing_ = 0;               // tasks that do not fit yet
  std::pmr::vector<Remaining> remaining_;  // by node
  std::pmr::vector<const Candidate*> taken_;
  std::pmr::vector<std::uint32_t> paused_;
};

}  // namespace aliquot
