// Decides every step of a journal anew with the manager's own core and compares: the same events taken, the
// same decision, the same actions, the same ends; or the first difference.
//
// What comes from outside is given to it as the journal has it; what the core adds by itself (ticks, wake-
// ups, time limits) it has to add again. How long a decision took is not compared.
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
  std::string expected;      // as JSON; empty: nothing more
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

// A whole file. An error: not a journal, or not one that can be decided anew (steps are missing).
[[nodiscard]] Result<ReplayResult> replay_journal(const std::string& path);

}  // namespace aliquot
