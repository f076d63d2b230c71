// The per-event CSV of a run: a row for each change of a job. (docs/metrics-of-a-run.md)
//
// Rows stand in order of time. Those of one instant are written when it is over: the rate of a job, and how
// long it stands still, are then what they are until its next row, so its virtual time is their integral.
// Costs work for each changed job only; nothing if it is not asked for.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "monitor/observer.hpp"
#include "tools/sim/metrics/text_sink.hpp"

namespace aliquot {

inline constexpr const char* kEventColumns = "time,job,what,nodes,yield,rate,stall,cause";

class JobEvents : public Observer {
 public:
  [[nodiscard]] static Result<std::unique_ptr<JobEvents>> create(const std::string& path);

  void on_step(const Step& step, const ClusterView& after) override;
  // Writes what is left. Nothing may come after it.
  [[nodiscard]] Result<void> close();

 private:
  explicit JobEvents(TextSink sink);
  struct Known {  // of a job that has not ended
    Placement placement;
    Yield yield;
    Yield rate;
    Instant stalled_until;
    bool has_run = false;
    std::size_t row = 0;          // its newest one
    std::uint64_t row_batch = 0;  // of which instant
  };
  struct Row {
    JobId job;
    const char* what = "";
    Placement placement;
    Yield yield;
    Yield rate;
    Duration stall;
    std::string cause;
  };

  void write_instant();
  void add(JobId job, const char* what, const std::string& cause);
  void take_change(const Change& change, const std::string& cause);
  void follow_placements(const ClusterView& view);
  // How fast the job progresses now.
  void follow(JobId job, const ClusterView& view, const std::string& cause);

  TextSink sink_;
  std::unordered_map<std::uint64_t, Known> jobs_;
  std::vector<Row> rows_;  // of this instant
  Instant now_;
  std::uint64_t batch_ = 1;
};

// "0-3x2 7": two tasks on each of the nodes 0 to 3, one on node 7. Empty: nowhere.
[[nodiscard]] std::string to_text(const Placement& placement);

}  // namespace aliquot
