// The checkpoints of one job, and when the next one is due.
//
// The next one is begun in time to be durable before the job has accrued more virtual time since the last
// one than may be lost. It costs the job the time that it stands still, which is measured. A checkpoint
// that costs more than it protects is not made: one is made only of at least twenty times as much virtual
// time as the pause for it, so that checkpoints take at most five per cent of a run. A checkpoint that
// failed is tried again after a growing pause; the job runs on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "monitor/record/action.hpp"
#include "policies/model/time.hpp"

namespace aliquot {

// So many checkpoints of a job are kept: one that turns out to be damaged is not the only one.
inline constexpr std::size_t kKeptCheckpoints = 2;
// A checkpoint protects at least so many times the pause for it.
inline constexpr std::int64_t kLeastRunPerPause = 20;

// A moment to which a job can go back.
struct CheckpointMark {
  std::uint32_t number = 0;  // counts the checkpoints that were begun
  Instant at;                // when it was begun
  VirtualTime progress;      // of the job then: all of it is in the checkpoint
  friend bool operator==(const CheckpointMark&, const CheckpointMark&) = default;
};

struct Checkpoints {
  std::vector<CheckpointMark> kept;  // in shared storage; the newest last
  std::optional<CheckpointMark> under_way;
  std::uint32_t last_number = 0;
  std::optional<Duration> pause;  // for which the job stood still; mean with weight 1/8
  std::optional<Duration> took;   // until it was durable; likewise
  Duration last_pause;            // for the newest one
  std::uint32_t rollbacks = 0;    // how often the job went back to one
  std::uint32_t failures = 0;     // in a row
  Instant not_before;             // back-off after a failure
  std::string fault;              // of the last one, if it failed

  friend bool operator==(const Checkpoints&, const Checkpoints&) = default;

  // The virtual time that is not lost, whatever happens.
  [[nodiscard]] VirtualTime protected_until() const {
    return kept.empty() ? VirtualTime{} : kept.back().progress;
  }
  // The virtual time to be accrued before the next one is begun, if at most `asked` may be lost.
  [[nodiscard]] Duration interval(Duration asked) const {
    // As long as it is not known how long one takes to be durable, a tenth of the interval is assumed.
    const std::int64_t lead = std::min(took ? took->raw : asked.raw / 10, asked.raw / 2);
    return std::max(Duration{asked.raw - lead}, pause.value_or(Duration{}) * kLeastRunPerPause);
  }
  // When the next one is due if the job goes on as it does; kNever while it makes no progress.
  [[nodiscard]] Instant due(Duration asked, const Progress& progress) const {
    if (under_way || progress.rate.raw <= 0) return kNever;
    return std::max(progress.reaches(protected_until() + interval(asked) * kFullYield), not_before);
  }
};

[[nodiscard]] inline Checkpoint next_checkpoint_of(JobId job, const Checkpoints& its) {
  Checkpoint next{{{}, job, {}}, its.last_number + 1};
  for (const CheckpointMark& mark : its.kept) next.keep.push_back(mark.number);
  return next;
}

}  // namespace aliquot
