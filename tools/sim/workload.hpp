// A workload: the jobs of a trace, as readers and generators make it and the simulation submits it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "manager/hypervisor/model/true_needs.hpp"
#include "monitor/record/submission.hpp"
#include "policies/model/error.hpp"
#include "policies/prediction/run_traits.hpp"
#include "tools/sim/cluster_shape.hpp"
#include "tools/sim/decimal.hpp"
#include "tools/sim/workload/extra_columns.hpp"

namespace aliquot {

class EarlyJobs;

// A Submission without the fields that no workload has: a trace has hundreds of thousands of them.
struct TraceSubmission {
  Demand demand;
  std::optional<Duration> time_limit;
  Duration alone;  // at full yield
  int exit_code = 0;
  std::uint32_t account = 0;  // in Workload::accounts
  bool has_network = false;   // all its VMs are suspended before one is saved
  std::uint32_t requeue{};    // reruns after its VMs were lost with a node
  std::uint32_t user{};       // as the log numbers them; 0: not known
  Duration requested{};       // the run time that its user asked for, as written; 0: none
  friend bool operator==(const TraceSubmission&, const TraceSubmission&) = default;
};

// Which one it is plays no part in a simulation.
[[nodiscard]] inline JobNetwork any_network() { return {{{0x0ad30000}, 16}, 1450}; }

// A limit of real time, and so long before a limit the job's tasks are told.
struct WallTerms {
  std::optional<Duration> wall_limit;
  std::optional<Duration> warn;
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
  std::uint32_t user = 0;
};
// A run time below a microsecond, or a need below a micro-core, is raised to that: such a job would never
// end, or never start. An estimate is raised to the run time: no job is killed at its estimate.
[[nodiscard]] WorkloadJob make_job(const TraceJob& record, const ClusterShape& shape);

struct Workload {
  std::vector<WorkloadJob> jobs;   // in order of submission, then id
  std::uint64_t skipped = 0;       // jobs of the file that cannot be simulated (SWF only)
  std::vector<std::string> notes;  // what a reader should know, for example which columns are not used
  std::string sha256;              // of the file
  std::vector<std::string> accounts{""};
  ExtraColumns extra_columns;
  std::vector<std::string> device_models;              // of the cluster; demands hold indices into it
  std::map<JobId, std::vector<LaterStep>> profiles{};  // of evolving jobs, from the second step on
  std::map<JobId, StartTerms> starts{};                // of jobs that may not start at once
  std::map<JobId, ArrayTerms> arrays{};                // of jobs of which many are made
  std::map<JobId, WallTerms> limits{};                 // of jobs that may take so long; in no file
  std::map<JobId, TrueNeeds> true_needs{};             // of jobs that need something else than they declare

  // The time that its tasks run at full yield, summed over them.
  [[nodiscard]] Duration task_time(const WorkloadJob& job) const;
  // In the form that the core takes.
  [[nodiscard]] Submission submission(const WorkloadJob& job) const;
  // What may tell its run time. Formats name no application.
  [[nodiscard]] prediction::RunTraits traits(const WorkloadJob& job) const;
};

// Error: jobs need something else than they declare (column true_need), of which `what` knows nothing.
[[nodiscard]] Result<void> check_declared_needs(const Workload& workload, const std::string& what);

struct ReadOptions {
  enum class Swf : std::uint8_t { procs, dfrs };
  ClusterShape shape;
  Swf swf = Swf::procs;
  bool perfect_estimates = false;
  double resource_flops =
      1e9;  // a second, of a resource of Batsim: by which the work of its profiles is divided
  std::optional<std::uint64_t> week = std::nullopt;  // only this one of the trace, from 1
  // To be written in another format, not simulated: estimates as written (none, or below the run time), all
  // extra columns, and jobs of any size.
  bool as_written = false;

  [[nodiscard]] bool admits(const Demand& demand) const { return as_written || shape.holds(demand); }
};
[[nodiscard]] WorkloadJob make_job(const TraceJob& record, const ReadOptions& options);

// Reads a CSV, SWF or Batsim JSON file, plain or gzip; the format is recognized by the content. The message
// of an error may have several lines, one for each malformed line of the file, up to a limit. `early`, if
// not null, gets the jobs while the file is being read, or is withdrawn if that is not possible.
[[nodiscard]] Result<Workload> read_workload(const std::string& path, const ReadOptions& options,
                                             EarlyJobs* early = nullptr);

}  // namespace aliquot
