// The CPU that a job really needs, learned by watching its VMs: what is to be declared in place of what its
// user declared, and when.
//
// A VM that its cap does not hold back shows its need by what it uses. A VM that is held back shows it by
// how it waits: a program that sleeps for I/O sleeps as long when it is starved, so what it would use if it
// never waited follows from the time in which it was ready and did not run. So a job that cannot use its
// share is told from one that gets too little. (Own; the introspection that the DFRS papers assume in
// II-B, from the counters that Linux keeps of each vCPU thread.)
//
// The need is lowered once it has been less for a whole window, with headroom, and never below what the
// guaranteed yield of the declared need comes to. As soon as the cap of the lowered need throttles the job
// at full yield, the declared need is back, and so low a level is not tried again for a while: a job that
// uses its share in bursts keeps it. Above the declared need, if the site and the job allow it, a probe
// finds what a job at full yield would use: its need is doubled for some seconds, and this is undone unless
// it uses more. At a lower yield how it waits tells that without a probe.
//
// Pure: without a clock, a log or randomness. Amounts of CPU are of one VM, in micro-cores of a reference
// core. Holds some 200 bytes for each VM, whatever is observed. One object for each job; copied as a value.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "policies/model/time.hpp"
#include "policies/model/units.hpp"
#include "policies/needs/need_mode.hpp"
#include "policies/needs/use_window.hpp"

namespace aliquot::needs {

// How a change of the need is bounded. guaranteed <= declared <= most.
struct NeedTerms {
  NeedMode mode = NeedMode::declared;
  Cpu declared;
  Cpu guaranteed;  // declared * min_yield: the need is never lowered below it
  Cpu most;        // what the vCPUs of a VM come to: never raised above it
  friend bool operator==(const NeedTerms&, const NeedTerms&) = default;
};

struct NeedEstimate {
  Cpu need;           // without headroom
  double confidence;  // in [0, 1): grows while the use of the job stays near `need`
  Instant since;      // it has stayed there
};

enum class ChangeKind : std::uint8_t {
  uses_less,     // lowered: it used less for a whole window
  wants_more,    // raised: its cap throttled it
  probed,        // doubled for a while, to see whether it uses more
  probe_kept,    // it does: the need in force stays
  probe_undone,  // it does not, or there was no CPU to give it: back to the need before
};
inline constexpr std::array<std::string_view, 5> kChangeNames = {"uses-less", "wants-more", "probed",
                                                                 "probe-kept", "probe-undone"};
[[nodiscard]] constexpr std::string_view name(ChangeKind kind) {
  return kChangeNames[static_cast<std::size_t>(kind)];
}

struct NeedChange {
  Cpu need;  // of each task from now on; with probe_kept the one in force
  ChangeKind kind = ChangeKind::uses_less;
  Cpu used;  // of the VM that uses most: of late, or over the windows where the need is lowered
  double confidence = 0;
};

class NeedWatch {
 public:
  explicit NeedWatch(const NeedTerms& terms) : terms_(terms) {}

  // One VM, in the order of time. `task` is below the number of tasks that the job has.
  void observe(const Observation& seen);
  // Its VMs were restored, moved or started anew: no window reaches across. What was learned stays.
  void forget();

  // Whether the need should change, by all that was observed up to `now`. The need and the yield are those
  // in force; where the core has refused a change, the need in force says so. Without `may_probe` no probe
  // begins: the caller bounds how many jobs are probed at a time.
  [[nodiscard]] std::optional<NeedChange> decide(Cpu need_in_force, Yield yield_in_force, Instant now,
                                                 bool may_probe = true);
  [[nodiscard]] bool is_probed() const { return probe_.has_value(); }
  // As of the last call of decide(). None: nothing is known yet.
  [[nodiscard]] std::optional<NeedEstimate> estimate(Instant now) const;
  [[nodiscard]] const NeedTerms& terms() const { return terms_; }

 private:
  // What the windows of the VMs say together: of each figure the largest.
  struct Use {
    Instant at;                      // of the newest observation
    Cpu used;                        // in the last interval
    bool throttled = false;          // in the last interval, with a cap of the whole need in force
    std::optional<Cpu> latest_need;  // none: of some VM it is not known
    std::optional<Cpu> need;         // of whole windows; none: likewise, or some window is not full
    bool throttled_in_window = false;
    std::optional<Cpu> used_in_a_part;  // none: of some VM there is none yet
  };
  // After a failure, for how long it is not tried again: a minute, twice as long each time, at most an
  // hour.
  struct Backoff {
    Instant until{INT64_MIN};
    Duration length;
    void extend(Instant now);
  };
  struct Probe {
    Cpu before;
    Cpu tried;
    Instant began;
  };

  [[nodiscard]] Use look(Cpu need_in_force) const;
  void follow(const Use& use, Instant now);
  [[nodiscard]] std::optional<NeedChange> conclude_probe(const Use& use, Cpu need, Instant now);
  [[nodiscard]] std::optional<NeedChange> raise(const Use& use, Cpu need, Yield yield, Instant now);
  [[nodiscard]] std::optional<NeedChange> probe(const Use& use, Cpu need, Instant now);
  [[nodiscard]] std::optional<NeedChange> lower(const Use& use, Cpu need, Yield yield, Instant now);
  void avoid(Cpu need, Instant now);
  [[nodiscard]] NeedChange change(Cpu need, ChangeKind kind, const Use& use, Instant now) const;

  NeedTerms terms_;
  std::vector<UseWindow> windows_;  // by task
  std::optional<Cpu> estimate_;
  Cpu steady_;  // the estimate when it last changed by more than a tenth
  Instant steady_since_;
  std::optional<Instant> lowered_at_;
  Cpu floor_;        // twice a need that throttled the job; doubled each time that one did
  Backoff floored_;  // for how long the need is not lowered below it
  std::optional<Probe> probe_;
  std::optional<Instant> probe_kept_at_;
  Backoff no_probe_;
};

}  // namespace aliquot::needs
