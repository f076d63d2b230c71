#include "tools/experiments/validity/comparison.hpp"

#include <algorithm>
#include <cmath>

#include "tools/sim/exec/exec_policy.hpp"
#include "tools/sim/metrics/percentile.hpp"
#include "tools/sim/report.hpp"
#include "tools/sim/simulation.hpp"

namespace aliquot {
namespace {

struct Line {
  double at_zero = 0;  // microseconds
  double slope = 0;    // microseconds a byte
};

Line fitted(const std::vector<MeasuredAction>& actions) {
  const auto count = static_cast<double>(actions.size());
  double memory = 0, took = 0;
  for (const MeasuredAction& action : actions) {
    memory += static_cast<double>(action.memory.raw) / count;
    took += static_cast<double>(action.took.raw) / count;
  }
  double together = 0, apart = 0;
  for (const MeasuredAction& action : actions) {
    const double x = static_cast<double>(action.memory.raw) - memory;
    together += x * (static_cast<double>(action.took.raw) - took);
    apart += x * x;
  }
  if (apart <= 0) return {took, 0};
  const Line line{took - together / apart * memory, together / apart};
  return line.slope > 0 && line.at_zero >= 0 ? line : Line{took, 0};
}

ActionCost cost_of(ActionKind kind, const std::vector<MeasuredAction>& done) {
  ActionCost cost;
  cost.kind = kind;
  cost.count = done.size();
  if (done.empty()) return cost;
  std::vector<Duration> took;
  Int128 sum = 0;
  for (const MeasuredAction& action : done) {
    took.push_back(action.took);
    sum += action.took.raw;
  }
  std::ranges::sort(took);
  cost.mean = {static_cast<std::int64_t>(sum / static_cast<Int128>(done.size()))};
  cost.p95 = percentile(took, 95);
  const Line line = fitted(done);
  cost.delay = {std::llround(line.at_zero)};
  if (line.slope > 0) cost.bandwidth = std::llround(1e6 / line.slope);
  return cost;
}

tl::unexpected<Error> useless(JobId job, const std::string& why) {
  return fail(ErrorKind::invalid_argument, "job " + std::to_string(job.raw) + " " + why);
}

// The nodes as nodes of one core each, with a speed for the capacity.
ClusterShape shape_of(const std::vector<Node>& nodes) {
  ClusterShape shape;
  shape.nodes = static_cast<std::uint32_t>(nodes.size());
  for (const Node& node : nodes) shape.kinds.push_back({node.name, 1, 1, node.capacity.raw, node.memory});
  shape.cores_per_node = 1;
  if (!nodes.empty()) shape.node_memory = nodes.front().memory;
  return shape;
}

// How long the job takes alone: its work, in seconds of a core, done at the rate of its need.
Duration alone(Duration work, Cpu need) {
  return {std::max<std::int64_t>(1, static_cast<std::int64_t>(Int128{work.raw} * kMillion / need.raw))};
}

// A job whose work is unknown must not have run beside those that are compared.
Result<void> check_other_jobs(const LiveRun& live, const WorkTable& work, Instant first, Instant last) {
  for (const auto& [id, submission] : live.jobs) {
    if (work.contains(id)) continue;
    const auto ended = live.ended.find(id);
    if (ended == live.ended.end()) return useless(id, "has not ended, and its work is not known");
    if (ended->second.submitted <= last && ended->second.ended >= first)
      return useless(id, "ran beside the others, and its work is not known");
  }
  return {};
}

Result<WorkloadJob> job_of(const LiveRun& live, JobId id, Duration work, const ClusterShape& shape) {
  const auto ended = live.ended.find(id);
  if (!live.jobs.contains(id)) return useless(id, "is not in the journal");
  if (ended == live.ended.end()) return useless(id, "has not ended in the journal");
  const JobOutcome& outcome = ended->second;
  if (outcome.result != JobResult::completed || outcome.exit_code != 0)
    return useless(id, "did not complete" + (outcome.note.empty() ? "" : ": " + outcome.note));
  if (outcome.submitted < live.ticks_from) return useless(id, "came before the policy");
  WorkloadJob job;
  job.id = id;
  job.submitted = Instant{} + (outcome.submitted - live.ticks_from);
  job.submission.demand = outcome.submission->demand;
  job.submission.time_limit = outcome.submission->time_limit;
  job.submission.has_network = outcome.submission->network.has_value();
  job.submission.alone = alone(work, job.submission.demand.need);
  job.cpu_need = SmallDecimal(ratio_up(job.submission.demand.need.raw, shape.capacity().raw));
  job.memory = SmallDecimal(ratio_up(job.submission.demand.memory.raw, shape.node_memory.raw));
  return job;
}

void compute_errors(LiveComparison& made) {
  std::vector<double> errors;
  for (const ComparedJob& job : made.jobs) {
    errors.push_back(std::abs(job.error()));
    made.mean += job.error() / static_cast<double>(made.jobs.size());
  }
  std::ranges::sort(errors);
  made.median = percentile(errors, 50);
  made.p95 = percentile(errors, 95);
  made.worst = errors.empty() ? 0 : errors.back();
}

}  // namespace

std::vector<ActionCost> action_costs(const std::vector<MeasuredAction>& actions) {
  std::vector<ActionCost> costs;
  for (std::size_t kind = 0; kind < kActionKinds; ++kind) {
    std::vector<MeasuredAction> done;
    std::size_t failed = 0;
    for (const MeasuredAction& action : actions) {
      if (static_cast<std::size_t>(action.kind) != kind) continue;
      if (action.failed)
        ++failed;
      else
        done.push_back(action);
    }
    if (done.empty() && failed == 0) continue;
    costs.push_back(cost_of(static_cast<ActionKind>(kind), done));
    costs.back().failed = failed;
  }
  return costs;
}

ModelOptions model_of(const std::vector<ActionCost>& costs) {
  ModelOptions options;
  for (const ActionCost& cost : costs) {
    options.delay[static_cast<std::size_t>(cost.kind)] = cost.delay;
    options.bandwidth[static_cast<std::size_t>(cost.kind)] = cost.bandwidth;
  }
  return options;
}

Result<Reenactment> reenactment(const LiveRun& live, const WorkTable& work, WorkFrom from) {
  Reenactment what;
  what.shape = shape_of(live.nodes);
  what.policy = live.policy;
  if (std::ranges::any_of(live.nodes, [](const Node& node) { return node.capacity.raw <= 0; }))
    return fail(ErrorKind::invalid_argument, "a node has no CPU to share");
  for (const auto& [id, amount] : work) {
    auto job = job_of(live, id, from == WorkFrom::measured ? amount.measured : amount.expected, what.shape);
    if (!job) return tl::unexpected(job.error());
    what.workload.jobs.push_back(std::move(*job));
  }
  std::ranges::sort(what.workload.jobs, {},
                    [](const WorkloadJob& job) { return std::pair(job.submitted, job.id); });
  Instant last;
  for (const auto& [id, amount] : work) last = std::max(last, live.ended.at(id).ended);
  const Instant first = live.ended.at(what.workload.jobs.front().id).submitted;
  if (auto checked = check_other_jobs(live, work, first, last); !checked)
    return tl::unexpected(checked.error());
  return what;
}

Result<LiveComparison> compare_with_live(std::string name, const LiveRun& live, const Reenactment& what,
                                         const ModelOptions& model) {
  auto policy = make_simulated_policy(what.policy);
  if (!policy) return tl::unexpected(policy.error());
  Collector collected;
  Simulation simulation(what.workload, what.shape, model, std::move(*policy), collected);
  if (auto done = run_guarded([&] { return simulation.run(); }); !done) return tl::unexpected(done.error());
  LiveComparison made;
  made.name = std::move(name);
  for (const JobRow& row : make_rows(what.workload, collected))
    made.jobs.push_back({row.job->id, row.job->runtime(), live.ended.at(row.job->id), *row.outcome});
  compute_errors(made);
  return made;
}

}  // namespace aliquot
