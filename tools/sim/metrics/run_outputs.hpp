// The files that a run writes while it goes on: its events, its journal, and Batsim's tables, each if it
// was asked for. RunOutputs creates them, attaches them to the simulation, and closes them.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "manager/core/state.hpp"
#include "monitor/observer.hpp"
#include "tools/sim/metrics/batsim_tables.hpp"
#include "tools/sim/metrics/job_events.hpp"
#include "tools/sim/metrics/text_sink.hpp"

namespace aliquot {

inline constexpr const char* kEventColumns = "time,job,what,nodes,yield,rate,stall,cause";
inline constexpr const char* kDevicesColumn = ",devices";  // of a cluster that has some

class EventsOut {
 public:
  [[nodiscard]] static Result<EventsOut> create(const std::string& path, bool with_devices = false);

  void write(Instant now, const std::vector<JobEvent>& events);
  [[nodiscard]] Result<void> close() { return sink_.close(); }

 private:
  EventsOut(TextSink sink, bool with_devices);
  TextSink sink_;
  bool with_devices_;
};

// "0-3x2 7": two tasks on each of the nodes 0 to 3, one on node 7. Empty: nowhere.
[[nodiscard]] std::string to_text(const Placement& placement);
// "3*2 1": slots 0 and 1 of each of the first two nodes of the placement, slot 0 of the third; in
// hexadecimal.
[[nodiscard]] std::string to_text(const std::vector<DeviceSet>& devices);

// The journal of a run in a manager's format: a line with the initial state, then every step.
// aliquot-replay reads it.
class JournalOut : public Observer {
 public:
  [[nodiscard]] static Result<std::unique_ptr<JournalOut>> create(const std::string& path);

  // Before the first step.
  void begin(const CoreState& state);
  void on_step(const Step& step, const ClusterView& after) override;
  [[nodiscard]] Result<void> close() { return sink_.close(); }

 private:
  explicit JournalOut(TextSink sink) : sink_(std::move(sink)) {}
  TextSink sink_;
};

// Several observers as one.

class Watchers : public Observer {
 public:
  explicit Watchers(std::vector<Observer*> all) : all_(std::move(all)) {}
  void add(Observer& observer) { all_.push_back(&observer); }
  void on_step(const Step& step, const ClusterView& after) override {
    for (Observer* observer : all_) observer->on_step(step, after);
  }
  void on_durable(const Step& step) override {
    for (Observer* observer : all_) observer->on_durable(step);
  }

 private:
  std::vector<Observer*> all_;
};

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

  // A further reader of the events.
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
