#include "tools/sim/metrics/batsim_tables.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "monitor/provenance.hpp"
#include "tools/sim/workload/batsim_profiles.hpp"
#include "tools/sim/workload/csv_line.hpp"

namespace aliquot {
namespace {

constexpr const char* kJobsHeader =
    "job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,"
    "final_state,starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,"
    "allocated_resources,consumed_energy,metadata\n";
constexpr const char* kScheduleHeader =
    "batsim_version,consumed_joules,makespan,max_slowdown,max_turnaround_time,max_waiting_time,"
    "mean_slowdown,mean_turnaround_time,mean_waiting_time,nb_computing_machines,nb_grouped_switches,nb_"
    "jobs,"
    "nb_jobs_finished,nb_jobs_killed,nb_jobs_rejected,nb_jobs_success,nb_machine_switches,scheduling_time,"
    "simulation_time,success_rate,time_computing,time_idle,time_sleeping,time_switching_off,"
    "time_switching_on,time_unavailable\n";

// Exactly six decimals, as in Batsim.
std::string fixed(Duration time) {
  char buffer[32];
  const long long whole = time.raw / kMillion;
  std::snprintf(buffer, sizeof buffer, "%lld.%06lld", whole, static_cast<long long>(time.raw % kMillion));
  return buffer;
}
std::string fixed(double value) {
  char buffer[400];
  std::snprintf(buffer, sizeof buffer, "%.6f", value);
  return buffer;
}

const char* final_state(const JobOutcome& outcome) {
  constexpr const char* words[] = {"COMPLETED_SUCCESSFULLY", "COMPLETED_FAILED", "COMPLETED_KILLED",
                                   "COMPLETED_WALLTIME_REACHED"};
  return words[static_cast<std::size_t>(outcome.result)];
}

// "0-3 7": an interval set.
std::string intervals(const Placement& placement) {
  std::string text;
  for (std::size_t i = 0; i < placement.size();) {
    std::size_t end = i + 1;
    while (end < placement.size() && placement[end].node.raw == placement[end - 1].node.raw + 1) ++end;
    if (!text.empty()) text += ' ';
    text += std::to_string(placement[i].node.raw);
    if (end - i > 1) (text += '-') += std::to_string(placement[end - 1].node.raw);
    i = end;
  }
  return text;
}

}  // namespace

Result<std::unique_ptr<BatsimTables>> BatsimTables::create(const std::string& folder,
                                                           const Workload& workload,
                                                           const ClusterShape& shape) {
  const std::filesystem::path where(folder);
  std::error_code failed;
  std::filesystem::create_directories(where, failed);
  if (failed) return fail(ErrorKind::unavailable, folder + ": cannot be made: " + failed.message());
  auto jobs = TextSink::create((where / "out_jobs.csv").string());
  if (!jobs) return tl::unexpected(jobs.error());
  return std::unique_ptr<BatsimTables>(
      new BatsimTables(std::move(*jobs), (where / "out_schedule.csv").string(), workload, shape));
}

BatsimTables::BatsimTables(TextSink jobs, std::string schedule_path, const Workload& workload,
                           const ClusterShape& shape)
    : jobs_(std::move(jobs)),
      schedule_path_(std::move(schedule_path)),
      workload_(workload),
      jobs_on_(shape.nodes) {
  by_id_.reserve(workload.jobs.size());
  for (const WorkloadJob& job : workload.jobs) by_id_.emplace(job.id.raw, &job);
  jobs_.write(kJobsHeader);
}

void BatsimTables::on_step(const Step& step, const ClusterView& after) {
  const double span = to_seconds(step.now - now_);
  computing_s_ += static_cast<double>(busy_) * span;
  unavailable_s_ += static_cast<double>(unavailable_) * span;
  now_ = step.now;
  if (step.decision) deciding_ns_ += step.decision->nanoseconds;
  if (step.decision && step.decision->adopted) {
    for (const Change& change : step.decision->plan.changes) place(change.job, change.placement);
  }
  const bool nodes = std::ranges::any_of(step.events, [](const Event& event) {
    return std::holds_alternative<NodeChanged>(event) || std::holds_alternative<Configured>(event);
  });
  if (nodes) follow_nodes(after);
  for (const JobOutcome& outcome : step.ended) write_job(outcome);
}

void BatsimTables::place(JobId job, const Placement& placement) {
  Stand& stand = stands_[job.raw];
  for (const Share& share : stand.now) {
    if (--jobs_on_[share.node.raw] == 0) --busy_;
  }
  stand.now = placement;
  for (const Share& share : placement) {
    if (jobs_on_[share.node.raw]++ == 0) ++busy_;
  }
  if (!placement.empty()) stand.last = placement;
}

// Placements that changed without a plan: a node failed, or the manager took tasks off it.
void BatsimTables::follow_nodes(const ClusterView& view) {
  unavailable_ = static_cast<std::uint64_t>(
      std::ranges::count_if(view.nodes, [](const Node& node) { return node.state == NodeState::down; }));
  for (const auto& [id, job] : view.jobs) {
    if (stands_[id.raw].now != job.placement) place(id, job.placement);
  }
}

void BatsimTables::write_job(const JobOutcome& outcome) {
  place(outcome.job, {});
  const WorkloadJob& job = *by_id_.at(outcome.job.raw);
  const Instant start = outcome.started.value_or(outcome.ended);
  const Duration execution = outcome.ended - start;
  const Duration turnaround = outcome.ended - outcome.submitted;
  const double slowdown = to_seconds(turnaround) / to_seconds(std::max(execution, Duration{1}));
  const bool success = outcome.result == JobResult::completed;
  const std::string& name = workload_.extra_columns.of(job.id, "id");
  const std::string& profile = workload_.extra_columns.of(job.id, "profile");
  std::string text;
  const auto put = [&text](const std::string& field) { (text += field) += ','; };
  put(csv_field(name.empty() ? std::to_string(job.id.raw) : name));
  put("w0");
  put(csv_field(profile.empty() ? plain_profile(job.runtime(), job.submission.exit_code) : profile));
  put(fixed(outcome.submitted - Instant{}));
  put(std::to_string(job.submission.demand.tasks));
  put(job.submission.demand.estimate ? fixed(*job.submission.demand.estimate) : "-1.000000");
  put(success ? "1" : "0");
  put(final_state(outcome));
  put(fixed(start - Instant{}));
  put(fixed(execution));
  put(fixed(outcome.ended - Instant{}));
  put(fixed(start - outcome.submitted));
  put(fixed(turnaround));
  put(fixed(slowdown));
  put(intervals(stands_[job.id.raw].last));
  jobs_.write(text + "-1.000000,\"\"\n");
  stands_.erase(job.id.raw);

  ++finished_;
  succeeded_ += success ? 1 : 0;
  killed_ += outcome.result == JobResult::cancelled || outcome.result == JobResult::timed_out ? 1 : 0;
  first_submitted_ = std::min(first_submitted_, outcome.submitted);
  last_ended_ = std::max(last_ended_, outcome.ended);
  waits_.add(start - outcome.submitted);
  turnarounds_.add(turnaround);
  max_slowdown_ = std::max(max_slowdown_, slowdown);
  sum_slowdown_ += slowdown;
}

std::string BatsimTables::schedule(double wall_s) const {
  const double jobs = std::max(1.0, static_cast<double>(finished_));
  const double nodes = static_cast<double>(jobs_on_.size());
  const double idle = nodes * to_seconds(now_) - computing_s_ - unavailable_s_;
  const Duration makespan = finished_ == 0 ? Duration{} : last_ended_ - first_submitted_;
  const std::string none = fixed(0.0);
  const std::vector<std::string> values{std::string("aliquot-sim ") + kVersion,
                                        none,
                                        fixed(makespan),
                                        fixed(max_slowdown_),
                                        fixed(turnarounds_.most),
                                        fixed(waits_.most),
                                        fixed(sum_slowdown_ / jobs),
                                        fixed(turnarounds_.sum / jobs),
                                        fixed(waits_.sum / jobs),
                                        std::to_string(jobs_on_.size()),
                                        "0",
                                        std::to_string(workload_.jobs.size()),
                                        std::to_string(finished_),
                                        std::to_string(killed_),
                                        "0",
                                        std::to_string(succeeded_),
                                        "0",
                                        fixed(static_cast<double>(deciding_ns_) / 1e9),
                                        fixed(wall_s),
                                        fixed(static_cast<double>(succeeded_) / jobs),
                                        fixed(computing_s_),
                                        fixed(std::max(0.0, idle)),
                                        none,
                                        none,
                                        none,
                                        fixed(unavailable_s_)};
  std::string line;
  for (const std::string& value : values) line += (line.empty() ? "" : ",") + value;
  return kScheduleHeader + line + "\n";
}

Result<void> BatsimTables::close(double wall_s) {
  if (auto done = jobs_.close(); !done) return done;
  auto sink = TextSink::create(schedule_path_);
  if (!sink) return tl::unexpected(sink.error());
  sink->write(schedule(wall_s));
  return sink->close();
}

}  // namespace aliquot
