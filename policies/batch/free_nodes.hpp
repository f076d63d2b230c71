// How many nodes are free, as a function of time: the profile of conservative backfilling.
//
// A step function: from the instant of a step on, until the next step, so many nodes are free. It knows
// neither jobs nor policies; counts may become negative where the caller lets them.
#pragma once

#include <cstdint>
#include <vector>

#include "policies/model/time.hpp"

namespace aliquot {

class FreeNodes {
 public:
  // Before `origin` nothing may be asked or changed. So many are free from then on, for good.
  FreeNodes(Instant origin, std::int64_t free) : steps_{{origin, free}} {}

  // In [from, to), for good if `to` is kNever.
  void add(Instant from, Instant to, std::int64_t nodes);

  [[nodiscard]] std::int64_t least(Instant from, Instant to) const;
  // The first instant from there on with fewer than, or at least, so many free; kNever: there is none.
  [[nodiscard]] Instant first_below(Instant from, std::int64_t nodes) const;
  [[nodiscard]] Instant first_at_least(Instant from, std::int64_t nodes) const;
  // The first step later than `after`; kNever: there is none.
  [[nodiscard]] Instant next_step(Instant after) const;

 private:
  struct Step {
    Instant at;
    std::int64_t free;
  };
  using Steps = std::vector<Step>;
  [[nodiscard]] Steps::const_iterator step_at(Instant instant) const;  // in force then
  std::size_t cut(Instant instant);                                    // makes a step begin there
  template <class Hit>
  [[nodiscard]] Instant first(Instant from, Hit&& hit) const;

  Steps steps_;  // in increasing instants
};

}  // namespace aliquot
