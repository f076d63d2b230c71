// The timeline of a run: what every job did and when, collected from its events (metrics/job_events.hpp).
// run_bins.hpp averages it; run_plots.hpp draws it.
#pragma once

#include <unordered_map>
#include <vector>

#include "tools/sim/metrics/job_events.hpp"

namespace aliquot {

enum class BarState : std::uint8_t {
  running,
  stalled,  // placed, without progress: the rescheduling penalty
  paused,
  waiting,  // has never run
};
inline constexpr std::size_t kJobStates = 4;

// A time during which nothing changed for the job.
struct Span {
  Instant from;
  Instant to;
  BarState state = BarState::waiting;
  Yield yield;                  // by the plan in force; 0 unless placed
  std::uint32_t placement = 0;  // RunTimeline::placement
  [[nodiscard]] bool placed() const { return state == BarState::running || state == BarState::stalled; }
};

struct JobTimeline {
  JobId job;
  std::vector<Span> spans;  // one after the other, without a gap
  [[nodiscard]] Instant submitted() const { return spans.front().from; }
  [[nodiscard]] Instant ended() const { return spans.back().to; }
};

class RunTimeline {
 public:
  void take(Instant now, const std::vector<JobEvent>& events);

  // Moves out the jobs that have ended and took any time, in order of submission. Placements stay valid.
  [[nodiscard]] std::vector<JobTimeline> finished();
  [[nodiscard]] const Placement& placement(const Span& span) const { return placements_[span.placement]; }

 private:
  struct Open {
    std::size_t timeline = 0;
    Span now;
    Instant stalled_until;
  };
  void close(Open& open, Instant now);
  void open_again(Open& open, Instant now, const JobEvent& event);

  std::vector<JobTimeline> timelines_;
  std::vector<Placement> placements_{{}};
  std::unordered_map<std::uint64_t, Open> open_;
};

}  // namespace aliquot
