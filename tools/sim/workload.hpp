// What is simulated: the jobs of a trace, and the cluster they are given to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "policies/model/error.hpp"
#include "policies/model/submission.hpp"
#include "tools/sim/cluster_shape.hpp"
#include "tools/sim/decimal.hpp"
#include "tools/sim/workload/job_words.hpp"

namespace aliquot {

class EarlyJobs;

// What a Submission says, without what no workload does: a trace has hundreds of thousands of them.
struct TraceSubmission {
  Demand demand;
  std::optional<Duration> time_limit;
  Duration alone;  // at full yield
  int exit_code = 0;
  std::uint32_t account = 0;  // in Workload::accounts
  friend bool operator==(const TraceSubmission&, const TraceSubmission&) = default;
};

struct WorkloadJob {
  JobId id;
  Instant submitted;
  TraceSubmission submission;
  // As written: fractions of a node per task. The submission has them in the model's units.
  SmallDecimal cpu_need;
  SmallDecimal memory;

  [[nodiscard]] Duration runtime() const { return submission.alone; }
};

// A job as a reader or a generator has it, before it is expressed in the model's units.
struct TraceJob {
  JobId id;
  Instant submitted;
  std::uint32_t tasks = 1;
  Decimal cpu_need;  // fractions of a node, per task
  Decimal memory;
  Duration runtime;
  std::optional<Duration> estimate;  // none: the run time
};
// What is not even a microsecond long or a micro-core wide is made so: it would never end, or never start.
// An estimate is at least the run time: nothing is killed at its estimate.
[[nodiscard]] WorkloadJob make_job(const TraceJob& record, const ClusterShape& shape);

struct Workload {
  std::vector<WorkloadJob> jobs;   // in order of submission, then id
  std::uint64_t skipped = 0;       // jobs of the file that cannot be simulated (SWF only)
  std::vector<std::string> notes;  // what a reader should know, for example which columns are not used
  std::string sha256;              // of the file
  std::vector<std::string> accounts{""};
  JobWords words;
  std::vector<std::string> device_models;  // by which the demands number theirs: the cluster's

  // As it is handed to the core.
  [[nodiscard]] Submission submission(const WorkloadJob& job) const;
};

struct ReadOptions {
  enum class Swf : std::uint8_t { procs, dfrs };
  ClusterShape shape;
  Swf swf = Swf::procs;
  bool perfect_estimates = false;
  double resource_flops = 1e9;  // a second, of a resource of Batsim: what its profiles are divided by
  std::optional<std::uint64_t> week = std::nullopt;  // only this one of the trace, from 1
  // Not to be simulated but written again: estimates as they stand there (none, or less than the run time),
  // every word of a job, and no question whether it fits into the cluster.
  bool as_written = false;

  [[nodiscard]] bool admits(const Demand& demand) const { return as_written || shape.holds(demand); }
};
[[nodiscard]] WorkloadJob make_job(const TraceJob& record, const ReadOptions& options);

// Reads a CSV, SWF or Batsim JSON file, plain or gzip, each told by the content. The message of an error
// may have several lines, one for each malformed line of the file (a bounded number of them).
// `early`, if any, is told of the jobs while they are being read, or that it is not to be had so.
[[nodiscard]] Result<Workload> read_workload(const std::string& path, const ReadOptions& options,
                                             EarlyJobs* early = nullptr);

}  // namespace aliquot
