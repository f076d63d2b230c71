// What a run writes, or remembers, while it goes on: its events, journal, Batsim's tables, and its story
// for a picture; each if it is asked for.
#pragma once

#include <memory>
#include <optional>

#include "tools/sim/metrics/batsim_tables.hpp"
#include "tools/sim/metrics/events_out.hpp"
#include "tools/sim/metrics/journal_out.hpp"
#include "tools/sim/metrics/watchers.hpp"

namespace aliquot {

// An empty path: not asked for.
struct OutputPaths {
  std::string events, journal, batsim;
};

class RunOutputs {
 public:
  // The workload must outlive it.
  [[nodiscard]] static Result<RunOutputs> create(const OutputPaths& paths, const Workload& workload,
                                                 const ClusterShape& shape) {
    RunOutputs outputs;
    if (!paths.events.empty()) {
      auto created = EventsOut::create(paths.events, !shape.device_models().empty());
      if (!created) return tl::unexpected(created.error());
      outputs.events_out_ = std::make_unique<EventsOut>(std::move(*created));
      outputs.tell([to = outputs.events_out_.get()](Instant now, const auto& events_of) {
        to->write(now, events_of);
      });
    }
    if (!paths.batsim.empty()) {
      auto created = BatsimTables::create(paths.batsim, workload, shape);
      if (!created) return tl::unexpected(created.error());
      outputs.batsim_ = std::move(*created);
    }
    if (!paths.journal.empty()) {
      auto created = JournalOut::create(paths.journal);
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
    if (batsim_) watchers.add(*batsim_);
  }
  // Before the first step.
  void begin(const CoreState& state) {
    if (journal_) journal_->begin(state);
  }
  // `wall_s`: how long the simulation took.
  [[nodiscard]] Result<void> close(double wall_s) {
    if (events_) events_->finish();
    if (events_out_) {
      if (auto done = events_out_->close(); !done) return done;
    }
    if (batsim_) {
      if (auto done = batsim_->close(wall_s); !done) return done;
    }
    return journal_ ? journal_->close() : Result<void>{};
  }

 private:
  std::unique_ptr<JobEvents> events_;
  std::unique_ptr<EventsOut> events_out_;
  std::unique_ptr<JournalOut> journal_;
  std::unique_ptr<BatsimTables> batsim_;
};

}  // namespace aliquot
