// Writes Batsim's tables of a run, out_jobs.csv and out_schedule.csv, with the columns, order and format of
// Batsim 4 (its documentation, "Jobs" and "Schedule"), for programs that read Batsim's results.
//
// Batsim knows no pauses, moves and shared nodes. Here execution_time is end - first start, pauses
// included; allocated_resources are the last nodes of the job (tasks may share one); a node computes while
// any job is on it; requested_time is the estimate. There are no energy and no power states.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "monitor/observer.hpp"
#include "tools/sim/metrics/text_sink.hpp"
#include "tools/sim/workload.hpp"

namespace aliquot {

class BatsimTables : public Observer {
 public:
  // Creates the folder if it is missing. The workload must outlive it.
  [[nodiscard]] static Result<std::unique_ptr<BatsimTables>> create(const std::string& folder,
                                                                    const Workload& workload,
                                                                    const ClusterShape& shape);

  void on_step(const Step& step, const ClusterView& after) override;
  // Writes the second table. `wall_s`: how long the simulation took. Call it last.
  [[nodiscard]] Result<void> close(double wall_s);

 private:
  BatsimTables(TextSink jobs, std::string schedule_path, const Workload& workload,
               const ClusterShape& shape);
  struct Stand {  // of a job that has not ended
    Placement now;
    Placement last;  // not empty, once it ran
  };

  void place(JobId job, const Placement& placement);
  void follow_nodes(const ClusterView& view);
  void write_job(const JobOutcome& outcome);
  [[nodiscard]] std::string schedule(double wall_s) const;

  struct Most {
    Duration most;
    double sum = 0;
    void add(Duration value) {
      most = std::max(most, value);
      sum += to_seconds(value);
    }
  };

  TextSink jobs_;
  std::string schedule_path_;
  const Workload& workload_;
  std::unordered_map<std::uint64_t, const WorkloadJob*> by_id_;
  std::unordered_map<std::uint64_t, Stand> stands_;
  std::vector<std::uint32_t> jobs_on_;  // by node
  std::uint64_t busy_ = 0;              // nodes with a job on them
  std::uint64_t unavailable_ = 0;       // nodes that are down
  Instant now_;
  double computing_s_ = 0;
  double unavailable_s_ = 0;
  std::int64_t deciding_ns_ = 0;
  Instant first_submitted_ = kNever;
  Instant last_ended_;
  Most waits_, turnarounds_;
  double max_slowdown_ = 0;
  double sum_slowdown_ = 0;
  std::uint64_t finished_ = 0;
  std::uint64_t succeeded_ = 0;
  std::uint64_t killed_ = 0;
};

}  // namespace aliquot
