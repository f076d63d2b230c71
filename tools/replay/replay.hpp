// Replays a journal: gives the recorded events to the manager's core again, step by step, and compares the
// events it takes, its decision, its actions and the ended jobs with the recorded ones. Reports the first
// difference.
//
// The journal supplies what came from outside. Ticks, wake-ups and time limits come from the core and must
// come again. The times of decisions are not compared.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "manager/core/scheduler.hpp"
#include "tools/replay/journal_lines.hpp"

namespace aliquot {

struct Difference {
  std::uint64_t step = 0;
  Instant now;
  std::string part;          // "event", "decision", "action", "end"
  std::optional<JobId> job;  // none: concerns no job alone
  std::string expected;      // as JSON; empty: there is no such part
  std::string got;
};

class Replay {
 public:
  // From a snapshot, or from a store that was just born (no state), whose policy is then `policy`.
  [[nodiscard]] static Result<Replay> from(std::optional<CoreState> state, const std::string& policy);

  // The step that must come next.
  [[nodiscard]] std::uint64_t next_step() const { return scheduler_->cluster().state().steps + 1; }
  [[nodiscard]] std::optional<Difference> decide_again(const Step& recorded);

 private:
  explicit Replay(std::unique_ptr<Scheduler> scheduler) : scheduler_(std::move(scheduler)) {}
  std::unique_ptr<Scheduler> scheduler_;
};

struct ReplayResult {
  std::uint64_t first_step = 0;
  std::uint64_t last_step = 0;  // the last that was compared
  std::uint64_t decisions = 0;
  std::optional<Difference> difference;
};

// Replays a whole file. Error: not a journal, or one that cannot be replayed (steps are missing).
[[nodiscard]] Result<ReplayResult> replay_journal(const std::string& path);

}  // namespace aliquot
