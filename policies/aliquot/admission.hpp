// Who waits or is paused is let in: ALIQUOT's first answer to every event.
//
// A new job is placed where it fits. Where it does not, it may pause jobs that can bear it: those that,
// were they paused now and resumed a while later, would still end at no more than twice the stretch that
// the new job has so far. It tries again at every completion and after each eighth of its flow time. A
// paused job comes back as soon as it fits; at instants of its own, first 15 s after the pause, then every
// 16th part of its flow time, it may pause others, but these have to be better off than itself.
#pragma once

#include "policies/aliquot/board.hpp"

namespace aliquot {

class Admission {
 public:
  Admission(Board& board, PolicyMemory& memory);

  void admit();   // those that wait
  void resume();  // those that are paused

  // Jobs that were paused for others in this decision.
  [[nodiscard]] std::int32_t pauses() const { return pauses_; }

 private:
  [[nodiscard]] const Retry* retry_of(JobId job) const;
  [[nodiscard]] bool due(const Job& job) const;
  [[nodiscard]] std::vector<std::size_t> pausable(double at_most, double factor, bool spare_stalled) const;
  bool place_instead(std::size_t i, const std::vector<std::size_t>& pausable, Displaced::By by);
  void try_to_resume(std::size_t i, bool any_event);

  Board& board_;
  PolicyMemory& memory_;
  bool any_event_;  // what may have made room, or changed what is urgent
  std::int32_t pauses_ = 0;
};

}  // namespace aliquot
