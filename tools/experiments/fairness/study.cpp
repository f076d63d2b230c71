#include "tools/experiments/fairness/study.hpp"

#include <algorithm>

#include "manager/hypervisor/model/chance.hpp"
#include "tools/experiments/campaign/on_threads.hpp"
#include "tools/sim/exec/exec_policy.hpp"
#include "tools/sim/report.hpp"
#include "tools/sim/simulation.hpp"

namespace aliquot::fairness {
namespace {

constexpr std::size_t kCases = kCaseNames.size();
constexpr std::uint64_t kOfUsers = 51;            // purpose of a draw
constexpr std::uint32_t kOtherTrace = 1'000'000;  // is added to the seed for the jobs of the flood
constexpr std::int64_t kFloodBegins = 4;          // after this part of the time,
constexpr std::int64_t kFloodsPart = 1'000;       // with a job in each such part of it

ClusterShape trace_shape() {
  ClusterShape shape;
  shape.nodes = kTraceNodes;
  return shape;
}

void add_flood(Workload& workload, const std::vector<WorkloadJob>& jobs) {
  const Instant first = workload.jobs.front().submitted;
  const Duration span = workload.jobs.back().submitted - first;
  std::uint64_t id = std::ranges::max(workload.jobs, {}, &WorkloadJob::id).id.raw;
  Instant next = first + Duration{span.raw / kFloodBegins};
  for (WorkloadJob job : jobs) {
    job.id = {++id};
    job.submitted = next;
    job.submission.user = kUsers;
    workload.jobs.push_back(std::move(job));
    next = next + Duration{span.raw / kFloodsPart};
  }
  std::ranges::stable_sort(workload.jobs, {}, &WorkloadJob::submitted);
}

FairnessRun figures_of(const std::vector<JobRow>& rows) {
  FairnessRun run{1, 0, 0, 0, 0};
  double others = 0, flood = 0;
  Instant first = kNever, last{}, last_of_others{};
  for (const JobRow& row : rows) {
    const bool is_other = row.job->submission.user != kUsers;
    (is_other ? run.mean : run.of_flood) += row.bounded_stretch();
    (is_other ? others : flood) += 1;
    if (is_other) run.largest = std::max(run.largest, row.bounded_stretch());
    first = std::min(first, row.outcome->submitted);
    last = std::max(last, row.outcome->ended);
    if (is_other) last_of_others = std::max(last_of_others, row.outcome->ended);
  }
  run.mean /= std::max(1.0, others);
  run.of_flood /= std::max(1.0, flood);
  run.makespan = to_seconds(last - first);
  for (const JobRow& row : rows) {
    if (row.outcome->ended > last_of_others) continue;
    const Demand& demand = row.job->submission.demand;
    run.cores_busy +=
        static_cast<double>(demand.need.raw) / kMillion * demand.tasks * to_seconds(row.job->runtime());
  }
  run.cores_busy /= to_seconds(last_of_others - first);
  return run;
}

bool is_flooded(Case what) { return what == Case::flood || what == Case::fair_flood; }
bool is_fair(Case what) { return what == Case::fair_calm || what == Case::fair_flood; }

Result<FairnessRun> run_case(const FairnessOutcome& one, const FairnessOptions& options, Case what) {
  const auto workload = flooded_trace(trace_of(options.traces, one.seed, one.load), is_flooded(what));
  if (!workload) return tl::unexpected(workload.error());
  auto policy = make_simulated_policy(one.policy);
  if (!policy) return tl::unexpected(policy.error());
  ModelOptions model;
  model.penalty = options.penalty;
  Collector collected;
  Simulation simulation(*workload, trace_shape(), model, std::move(*policy), collected);
  if (is_fair(what)) simulation.set_fair_share(options.half_life);
  if (auto done = run_guarded([&] { return simulation.run(); }); !done) return tl::unexpected(done.error());
  if (collected.refused > 0)
    return fail(ErrorKind::internal, "the checker refused a plan: " + collected.first_refusal);
  return figures_of(make_rows(*workload, collected));
}

}  // namespace

Result<Workload> flooded_trace(const DfrsOptions& trace, bool flood) {
  auto workload = dfrs_workload(trace);
  if (!workload) return workload;
  const Chance chance(trace.seed);
  for (WorkloadJob& job : workload->jobs)
    job.submission.user = static_cast<std::uint32_t>(1 + chance.draw(job.id.raw, 0, kOfUsers) % kUsers);
  if (!flood) return workload;
  DfrsOptions other = trace;
  other.seed += kOtherTrace;
  const auto more = dfrs_workload(other);
  if (!more) return more;
  add_flood(*workload, more->jobs);
  return workload;
}

Result<FairnessStudy> fairness_study(const FairnessOptions& options, unsigned workers) {
  FairnessStudy study{options, {}};
  for (const std::string& policy : options.policies)
    for (const auto& load : options.traces.loads)
      for (std::uint32_t k = 0; k < options.traces.traces; ++k)
        study.outcomes.push_back({policy, options.traces.seed + k, load, {}});
  const auto done = on_threads(study.outcomes.size() * kCases, workers, [&](std::size_t k) -> Result<void> {
    FairnessOutcome& outcome = study.outcomes[k / kCases];
    const auto run = run_case(outcome, options, static_cast<Case>(k % kCases));
    if (!run) return tl::unexpected(run.error());
    outcome.runs[k % kCases] = *run;
    return {};
  });
  if (!done) return tl::unexpected(done.error());
  return study;
}

}  // namespace aliquot::fairness
