// The CPU that one VM has used of late, and what that says of its need.
//
// A VM counts as throttled in an interval if its cap held it back for more than a twentieth of it; where
// that is not known, if it waited so long for whatever reason; where neither is known, if it used nearly
// all that it was allowed. A VM that waits would use more, and how much more follows from the time in which
// its vCPUs were ready and did not run: a program that sleeps for I/O sleeps as long when it gets less CPU,
// so
//
//     need = used / (vCPUs that work - waited) * vCPUs that work
//
// per unit of time. The vCPUs that work are the fewest that can have run and waited so long: one thread in
// a VM of two vCPUs keeps one of them busy.
//
// The window is made of parts of at least five seconds, and reaches back over at least twenty. Its need is
// the largest mean of a part, so that a use that comes and goes within seconds is averaged and a longer
// phase is not. Pure; amounts are micro-cores of a reference core. Some 200 bytes, whatever is observed.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "policies/model/time.hpp"
#include "policies/model/units.hpp"

namespace aliquot::needs {

inline constexpr Duration kWindow = seconds(20);
inline constexpr Duration kPart = seconds(5);

// One VM between two readings of its counters in the same run (monitor/cpu_use.hpp).
struct Observation {
  std::uint32_t task = 0;
  Instant from;
  Instant to;
  Cpu used;                           // mean
  Cpu allowed;                        // mean of the cap that its hypervisor acknowledged
  std::optional<Duration> throttled;  // summed over its vCPUs; none: unknown
  std::optional<Duration> waited;     // ready and not running, for any reason; summed likewise
  std::uint32_t vcpus = 1;
  std::int64_t speed_ppm = kMillion;  // of a core of its node, against the reference core
};

class UseWindow {
 public:
  // In the order of time. After a gap, or where it goes back, the window begins anew.
  void observe(const Observation& seen);
  void clear() { *this = {}; }

  // What the last observation said.
  struct Latest {
    Instant at;
    Cpu used;
    Cpu allowed;
    bool throttled = false;
    std::optional<Cpu> need;  // none: unknown
  };
  // None: nothing was observed since clear().
  [[nodiscard]] const std::optional<Latest>& latest() const { return latest_; }

  // What the window says. Both are none until it is full.
  struct Whole {
    std::optional<Cpu> need;  // none, too, if the need of a part is not known
    std::optional<Cpu> used;  // the largest mean of a part
    bool throttled = false;   // in some interval
  };
  [[nodiscard]] Whole whole() const;
  // The largest mean use of a part since clear(); none: no part is complete.
  [[nodiscard]] std::optional<Cpu> used_in_a_part() const;

 private:
  struct Part {
    Duration span;
    Cpu used;
    std::optional<Cpu> need;
    bool throttled = false;
  };
  // The part that is being filled.
  struct Sums {
    Duration span;
    Duration cpu;  // of a reference core
    std::optional<Duration> waited = Duration{};
    bool throttled = false;
    bool is_free = true;  // known not to be throttled
  };
  static constexpr auto kParts = static_cast<std::size_t>(kWindow.raw / kPart.raw);

  void complete_part(const Observation& last);

  std::array<Part, kParts> parts_{};  // the newest first; those that are not there have no span
  Sums sums_;
  std::optional<Latest> latest_;
};

}  // namespace aliquot::needs
