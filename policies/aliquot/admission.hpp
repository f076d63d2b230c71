// ALIQUOT's rules 1 and 2: pending jobs are admitted, and preempted jobs are resumed.
//
// A job is placed where it fits. A pending job that does not fit may preempt others: those that would, if
// they were paused now and resumed a while later, still end at no more than twice the stretch that the
// pending job has reached; and of those that serve a penalty, and so lose no progress by a pause, those
// whose stretch grows by no larger a factor than the pending job's has. It tries again at every completion
// and arrival, and after each eighth of its flow time. Jobs of far smaller weights make way for it where it
// would be crowded otherwise (make_way.hpp).
//
// A preempted job is resumed as soon as it fits. At instants of its own, first P after it was paused and
// then after every 16th part of its flow time, it may preempt others in turn, but only those that stay
// better off than itself, and of those that have run for less than P only those that stay much better off.
#pragma once

#include <optional>
#include <vector>

#include "policies/aliquot/planning_state.hpp"
#include "policies/aliquot/refusals.hpp"
#include "policies/dfrs/preemption.hpp"

namespace aliquot {

class Admission {
 public:
  explicit Admission(PlanningState& planning);

  void admit();   // rule 1
  void resume();  // rule 2

  // How many jobs this decision has paused for others.
  [[nodiscard]] std::int32_t preemptions() const { return preemptions_; }
  // A job that was refused before might fit by now: others have been paused, or placed once more.
  [[nodiscard]] bool has_freed_memory() const { return has_freed_memory_; }

 private:
  using Entries = std::vector<std::size_t>;
  // Up to which stretch a running job may come by a pause so that others may preempt it.
  struct PreemptionThreshold {
    double stretch;          // of the job for which it is paused
    double factor;           // times the stretch of the paused job must not be more
    double factor_of_young;  // the same of jobs that have run for less than P
    bool spare_penalized;    // jobs that serve a penalty must not be paused
    Displacement::By by;
  };
  // A running job that may be paused, and what becomes of it then.
  struct PreemptionCandidate {
    PreemptionSearch::Candidate job;
    double stretch;  // the predicted one after a pause
    double growth;   // times the prediction without a pause
    bool serves_penalty;
    bool young;
    [[nodiscard]] bool may_be_paused(const PreemptionThreshold& threshold) const;
  };

  // Its instant to preempt others has come, or it has none.
  [[nodiscard]] bool is_due(std::size_t i) const;
  [[nodiscard]] const std::vector<PreemptionCandidate>& candidates();  // gathered by the first call
  bool place(std::size_t i);
  bool preempt_for(std::size_t i, const PreemptionThreshold& threshold);
  void pause(std::span<const std::uint32_t> paused, std::size_t beneficiary, Displacement::By by);
  void note_pauses(std::span<const std::uint32_t> paused, const Displacement& why);
  void let_lighter_make_way(std::size_t i, const PreemptionThreshold& threshold);
  bool try_to_admit(std::size_t i);
  bool try_to_resume(std::size_t i);

  PlanningState& planning_;
  bool any_event_;       // every job is tried
  Weight least_weight_;  // of the jobs that stand somewhere
  std::int32_t preemptions_ = 0;
  bool has_freed_memory_ = false;
  Entries pending_;
  Entries preempted_;                                           // before this decision, or by rule 1
  std::optional<std::vector<PreemptionCandidate>> candidates_;  // the highest priority first
  std::optional<PreemptionSearch> preemption_search_;           // once the candidates have been gathered
  Refusals refusals_;                                           // does not fit as things stand
  Refusals no_preemption_;  // nor after every pause that the current rule allows
};

// How long after a pause the preempted job may preempt others.
[[nodiscard]] Duration first_resume(const PlanningState& planning);

}  // namespace aliquot
