// The events of a run: one for each change of a job (docs/metrics-of-a-run.md). run_outputs.hpp writes them
// as CSV; tools/sim/picture draws them.
//
// Events come in order of time. The events of an instant are passed on when it is over: the rate and the
// stall of a job then hold until its next event, so that its virtual time is the integral of the rate
// outside the stall. The work is proportional to the number of changed jobs.
#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "monitor/observer.hpp"

namespace aliquot {

struct JobEvent {
  JobId job;
  const char* what = "";  // "submitted", "started", ...: the table in docs/metrics-of-a-run.md
  Placement placement;
  Yield yield;
  Yield rate;
  Duration stall;
  std::string cause;
  std::vector<DeviceSet> devices{};  // parallel to the placement, of a job that holds some
};

class JobEvents : public Observer {
 public:
  using Reader = std::function<void(Instant, const std::vector<JobEvent>&)>;

  void add_reader(Reader reader) { readers_.push_back(std::move(reader)); }
  void on_step(const Step& step, const ClusterView& after) override;
  // Passes on the events of the last instant. Call it last.
  void finish() { hand_on_instant(); }

 private:
  struct Known {  // of a job that has not ended
    Placement placement;
    std::vector<DeviceSet> devices;
    Yield yield;
    Yield rate;
    Instant stalled_until;
    bool has_run = false;
    Placement grew_from;          // before it grew
    std::uint64_t grew_in = 0;    // of which step
    std::size_t row = 0;          // its newest one
    std::uint64_t row_batch = 0;  // of which instant
  };

  void hand_on_instant();
  void add(JobId job, const char* what, const std::string& cause);
  void take_growth(const TasksAdded& added);
  void take_change(const Change& change, const std::string& cause);
  void follow_placements(const ClusterView& view, const char* cause);
  // Updates the rate of the job.
  void follow(JobId job, const ClusterView& view, const std::string& cause);

  std::vector<Reader> readers_;
  std::unordered_map<std::uint64_t, Known> jobs_;
  std::vector<JobEvent> rows_;  // of this instant
  Instant now_;
  std::uint64_t batch_ = 1;
  std::uint64_t step_ = 0;
};

}  // namespace aliquot
