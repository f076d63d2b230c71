// The files that a run writes while it goes on: its events and its journal, each if it is asked for.
#pragma once

#include "tools/sim/metrics/job_events.hpp"
#include "tools/sim/metrics/journal_out.hpp"
#include "tools/sim/metrics/watchers.hpp"

namespace aliquot {

class RunOutputs {
 public:
  // An empty path: not asked for.
  [[nodiscard]] static Result<RunOutputs> create(const std::string& events, const std::string& journal) {
    RunOutputs outputs;
    if (!events.empty()) {
      auto created = JobEvents::create(events);
      if (!created) return tl::unexpected(created.error());
      outputs.events_ = std::move(*created);
    }
    if (!journal.empty()) {
      auto created = JournalOut::create(journal);
      if (!created) return tl::unexpected(created.error());
      outputs.journal_ = std::move(*created);
    }
    return outputs;
  }

  void watch(Watchers& watchers) {
    if (events_) watchers.add(*events_);
    if (journal_) watchers.add(*journal_);
  }
  // Before the first step.
  void begin(const CoreState& state) {
    if (journal_) journal_->begin(state);
  }
  [[nodiscard]] Result<void> close() {
    if (events_) {
      if (auto done = events_->close(); !done) return done;
    }
    return journal_ ? journal_->close() : Result<void>{};
  }

 private:
  std::unique_ptr<JobEvents> events_;
  std::unique_ptr<JournalOut> journal_;
};

}  // namespace aliquot
