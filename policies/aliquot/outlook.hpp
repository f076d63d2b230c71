// What will become of a job: ALIQUOT's prediction of its stretch.
//
// With flow time f, virtual time v and e seconds of penalty still to serve, the job is taken to need
// r = max(30 s, v / 4) seconds more at full speed: the longer a job has run, the longer it will, and
// nothing better is known without estimates. If it loses x seconds from now and then runs at full speed,
// its stretch ends at pred(x) = (f + x + r) / max(30 s, v + r). The other way round, share(S) is the CPU
// share at which it ends at S. (Found by search on simulated workloads; docs/policy.md.) Seconds, as
// numbers: only the shares that come of it become yields, rounded down.
//
// Beside it stands what shares are asked about at every turn: a job itself is far away in memory.
#pragma once

#include <algorithm>
#include <memory_resource>
#include <vector>

#include "policies/dfrs/objective.hpp"
#include "policies/dfrs/priority.hpp"

namespace aliquot {

struct Outlook {
  double flow = 0;     // f
  double virt = 0;     // v
  double stall = 0;    // e
  double rest = 0;     // r
  double whole = 0;    // max(30, v + r): the run time alone, as expected
  double at_full = 1;  // pred(e): what becomes of it if it gets all it needs from now on

  Cpu need;  // of a task
  std::uint32_t tasks = 0;
  Yield guaranteed;  // floor_of its demand
  Yield in_force;

  Outlook() = default;
  // Of a job that is taken to run for `shortest` seconds at least: 30, or as the policy was told.
  Outlook(double f, double v, double e, double shortest)
      : flow(f),
        virt(v),
        stall(e),
        rest(std::max(shortest, v / 4)),
        whole(std::max(shortest, v + rest)),
        at_full(pred(e)) {}

  [[nodiscard]] double pred(double lost) const { return (flow + lost + rest) / whole; }
  // Full where S can be met at full speed at best.
  [[nodiscard]] double share(double stretch) const {
    const double left = stretch * whole - flow - stall;
    return left <= rest ? 1 : rest / left;
  }
  // A move or a resume begins a new penalty; what was left of an old one is gone.
  void stall_for(double seconds) {
    stall = seconds;
    at_full = pred(stall);
  }
};

// By entry of a draft; of most jobs nobody asks. Those that are known stand side by side, in the order in
// which they were first written, and stay where they are.
class Outlooks {
 public:
  explicit Outlooks(std::size_t size, std::pmr::memory_resource* memory = std::pmr::get_default_resource())
      : at_(size, 0, memory), known_(memory) {
    known_.reserve(size + 1);
    known_.emplace_back();
  }
  Outlooks(const Outlooks& other, std::pmr::memory_resource* memory)
      : at_(other.at_, memory), known_(memory) {
    known_.reserve(at_.size() + 1);
    known_.insert(known_.end(), other.known_.begin(), other.known_.end());
  }
  Outlooks(const Outlooks&) = delete;
  Outlooks(Outlooks&&) = default;

  [[nodiscard]] bool knows(std::size_t i) const { return at_[i] != 0; }
  // Of whom nothing is known: one without a run time.
  [[nodiscard]] const Outlook& operator[](std::size_t i) const { return known_[at_[i]]; }
  Outlook& operator[](std::size_t i) {
    std::uint32_t& at = at_[i];
    if (at == 0) {
      at = static_cast<std::uint32_t>(known_.size());
      known_.emplace_back();
    }
    return known_[at];
  }

 private:
  std::pmr::vector<std::uint32_t> at_;  // 0: not known
  std::pmr::vector<Outlook> known_;     // the first is nobody's
};

[[nodiscard]] inline Outlook outlook_of(const Job& job, Instant now, Instant stalled_until,
                                        Duration shortest) {
  Outlook outlook(
      to_seconds(now - job.submitted), job.progress.at(now).to_seconds(),
      to_seconds(std::max(Duration{}, std::max(stalled_until, job.progress.stalled_until) - now)),
      to_seconds(shortest));
  outlook.need = job.demand.need;
  outlook.tasks = job.demand.tasks;
  outlook.guaranteed = floor_of(job.demand);
  outlook.in_force = job.yield;
  return outlook;
}

// share(S) as a line of dfrs/objective.hpp, its level being 1 / S: for packing. Microseconds.
[[nodiscard]] inline YieldLine prediction_line(const Job& job, Instant now, Duration shortest) {
  const Outlook outlook = outlook_of(job, now, now, shortest);
  const auto micro = [](double seconds) { return static_cast<std::int64_t>(seconds * 1e6); };
  YieldLine line{micro(outlook.rest), 0, micro(outlook.whole), floor_of(job.demand)};
  line.bend = std::max<std::int64_t>(1, micro(outlook.flow + outlook.stall));
  return line;
}
[[nodiscard]] inline PackingObjective level_is_inverse_prediction(Instant now, Duration shortest) {
  return {PackingObjective::Kind::inverse_prediction, now, shortest};
}

}  // namespace aliquot
