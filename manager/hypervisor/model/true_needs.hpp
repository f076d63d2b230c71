// What the program of a job really needs, where its user has declared something else: phases by virtual
// time, each to the next one's beginning. A job of which nothing is said here needs what it declares.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "policies/model/time.hpp"
#include "policies/model/units.hpp"

namespace aliquot {

struct NeedPhase {
  Duration from;  // virtual time; 0 of the first phase, then increasing
  Cpu need;       // of each task, positive
  friend bool operator==(const NeedPhase&, const NeedPhase&) = default;
};

// Not empty.
using TrueNeeds = std::vector<NeedPhase>;

[[nodiscard]] inline const NeedPhase& phase_at(const TrueNeeds& needs, VirtualTime done) {
  const NeedPhase* present = &needs.front();
  for (const NeedPhase& phase : needs)
    if (phase.from * kFullYield <= done) present = &phase;
  return *present;
}
// When the next phase begins; none: this is the last.
[[nodiscard]] inline std::optional<VirtualTime> next_phase(const TrueNeeds& needs, VirtualTime done) {
  for (const NeedPhase& phase : needs)
    if (phase.from * kFullYield > done) return phase.from * kFullYield;
  return std::nullopt;
}
// The CPU of a reference core that a task has used when its virtual time is `done`: need x virtual time.
[[nodiscard]] inline VirtualTime cpu_used(const TrueNeeds& needs, VirtualTime done) {
  VirtualTime used;
  for (std::size_t k = 0; k < needs.size(); ++k) {
    const VirtualTime from = needs[k].from * kFullYield;
    if (from >= done) break;
    const bool is_last = k + 1 == needs.size();
    const VirtualTime until = is_last ? done : std::min(done, needs[k + 1].from * kFullYield);
    used = used + VirtualTime{(until - from).raw / kMillion * needs[k].need.raw};
  }
  return used;
}
[[nodiscard]] inline Cpu largest_need(const TrueNeeds& needs) {
  Cpu largest;
  for (const NeedPhase& phase : needs) largest = std::max(largest, phase.need);
  return largest;
}

// What a watch of a job sees: the same of each task.
struct ModelUse {
  Cpu used;
  Cpu allowed;    // by the lowest cap of its VMs
  Cpu needed;     // by its present phase
  Instant since;  // it uses so much from then on: later than now while it makes no progress after a restart
  friend bool operator==(const ModelUse&, const ModelUse&) = default;
};

}  // namespace aliquot
