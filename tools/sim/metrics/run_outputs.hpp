// What a run writes, or remembers, while it goes on: its events, its journal, and its story for a picture;
// each if it is asked for.
#pragma once

#include <memory>
#include <optional>

#include "tools/sim/metrics/events_out.hpp"
#include "tools/sim/metrics/journal_out.hpp"
#include "tools/sim/metrics/watchers.hpp"

namespace aliquot {

class RunOutputs {
 public:
  // An empty path: not asked for.
  [[nodiscard]] static Result<RunOutputs> create(const std::string& events, const std::string& journal) {
    RunOutputs outputs;
    if (!events.empty()) {
      auto created = EventsOut::create(events);
      if (!created) return tl::unexpected(created.error());
      outputs.events_out_ = std::make_unique<EventsOut>(std::move(*created));
      outputs.tell([to = outputs.events_out_.get()](Instant now, const auto& events_of) {
        to->write(now, events_of);
      });
    }
    if (!journal.empty()) {
      auto created = JournalOut::create(journal);
      if (!created) return tl::unexpected(created.error());
      outputs.journal_ = std::move(*created);
    }
    return outputs;
  }

  // Somebody else who wants to hear of the events.
  void tell(JobEvents::Reader reader) {
    if (!events_) events_ = std::make_unique<JobEvents>();
    events_->add_reader(std::move(reader));
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
    if (events_) events_->finish();
    if (events_out_) {
      if (auto done = events_out_->close(); !done) return done;
    }
    return journal_ ? journal_->close() : Result<void>{};
  }

 private:
  std::unique_ptr<JobEvents> events_;
  std::unique_ptr<EventsOut> events_out_;
  std::unique_ptr<JournalOut> journal_;
};

}  // namespace aliquot
