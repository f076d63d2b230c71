// What happened to the jobs of a run: an event for each change of a job. (docs/metrics-of-a-run.md)
// The CSV file of them: events_out.hpp; the picture: tools/sim/picture.
//
// Events come in order of time. Those of one instant are handed on when it is over: the rate of a job, and
// how long it stands still, are then what they are until its next event, so its virtual time is their
// integral. Costs work for each changed job only; nothing if it is not asked for.
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
  // Hands on what is left. Nothing may come after it.
  void finish() { hand_on_instant(); }

 private:
  struct Known {  // of a job that has not ended
    Placement placement;
    std::vector<DeviceSet> devices;
    Yield yield;
    Yield rate;
    Instant stalled_until;
    bool has_run = false;
    std::size_t row = 0;          // its newest one
    std::uint64_t row_batch = 0;  // of which instant
  };

  void hand_on_instant();
  void add(JobId job, const char* what, const std::string& cause);
  void take_change(const Change& change, const std::string& cause);
  void follow_placements(const ClusterView& view);
  // How fast the job progresses now.
  void follow(JobId job, const ClusterView& view, const std::string& cause);

  std::vector<Reader> readers_;
  std::unordered_map<std::uint64_t, Known> jobs_;
  std::vector<JobEvent> rows_;  // of this instant
  Instant now_;
  std::uint64_t batch_ = 1;
};

}  // namespace aliquot
