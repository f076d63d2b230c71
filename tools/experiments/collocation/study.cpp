#include "tools/experiments/collocation/study.hpp"

#include <algorithm>

#include "tools/experiments/campaign/on_threads.hpp"
#include "tools/experiments/collocation/mixed_trace.hpp"
#include "tools/sim/exec/exec_policy.hpp"
#include "tools/sim/metrics/run_outputs.hpp"
#include "tools/sim/report.hpp"
#include "tools/sim/simulation.hpp"

namespace aliquot::collocation {
namespace {

// Adds up over time how many nodes hold a task, from the first submission until `end`.
class NodesUsed : public Observer {
 public:
  explicit NodesUsed(Instant end) : end_(end) {}

  void on_step(const Step& step, const ClusterView& after) override {
    const Instant now = std::min(step.now, end_);
    if (since_) node_time_ += Int128{used_} * (now - *since_).raw;
    if (!first_) first_ = now;
    since_ = now;
    std::vector<bool> used(after.nodes.size());
    for (const auto& [id, job] : after.jobs)
      for (const Share& share : job.placement) used[share.node.raw] = true;
    used_ = std::ranges::count(used, true);
    nodes_ = after.nodes.size();
  }
  // Of all nodes.
  [[nodiscard]] double part() const {
    if (!first_ || end_ <= *first_) return 0;
    return static_cast<double>(node_time_) /
           (static_cast<double>((end_ - *first_).raw) * static_cast<double>(nodes_));
  }

 private:
  Instant end_;
  std::optional<Instant> first_, since_;
  std::int64_t used_ = 0;
  std::size_t nodes_ = 0;
  Int128 node_time_ = 0;
};

struct MeanAndMost {
  double sum = 0, most = 0;
  std::size_t count = 0;

  void add(double value) {
    sum += value;
    most = std::max(most, value);
    ++count;
  }
  [[nodiscard]] double mean(double otherwise) const {
    return count > 0 ? sum / static_cast<double>(count) : otherwise;
  }
};

bool is_gpu_job(const WorkloadJob& job) { return job.submission.demand.devices.any(); }

CollocationRun figures_of(const std::vector<JobRow>& rows, double nodes_used) {
  MeanAndMost slowdown, of_gpu, of_cpu, of_all;
  for (const JobRow& row : rows) {
    of_all.add(row.bounded_stretch());
    (is_gpu_job(*row.job) ? of_gpu : of_cpu).add(row.bounded_stretch());
    if (!is_gpu_job(*row.job)) continue;
    const Duration shared = row.outcome->ended - row.start();
    slowdown.add(to_seconds(shared - row.job->runtime()) / to_seconds(row.job->runtime()));
  }
  return {slowdown.mean(0), slowdown.most,  of_gpu.most,    of_gpu.mean(1),
          of_cpu.most,      of_cpu.mean(1), of_all.mean(1), nodes_used};
}

Result<CollocationOutcome> without_runs(const Workload& workload, double load, std::uint32_t seed) {
  if (workload.jobs.empty()) return fail(ErrorKind::invalid_argument, "a load of 0 has no jobs");
  CollocationOutcome outcome{load, seed, 0, 0, {}};
  for (const WorkloadJob& job : workload.jobs) ++(is_gpu_job(job) ? outcome.gpu_jobs : outcome.cpu_jobs);
  return outcome;
}

}  // namespace

Result<CollocationRun> collocation_run(Workload workload, const ClusterShape& shape,
                                       const CollocationOptions& options, const StudyRule& rule) {
  for (WorkloadJob& job : workload.jobs)
    if (is_gpu_job(job)) job.submission.demand.min_yield = rule.guaranteed ? options.guarantee : Yield{};
  auto policy = make_simulated_policy(std::string(rule.policy));
  if (!policy) return tl::unexpected(policy.error());
  ModelOptions model;
  model.penalty = options.penalty;
  Collector collected;
  NodesUsed used(Instant{} + options.time);
  Watchers watchers({&collected, &used});
  Simulation simulation(workload, shape, model, std::move(*policy), watchers);
  if (auto done = run_guarded([&] { return simulation.run(); }); !done) return tl::unexpected(done.error());
  if (collected.refused > 0)
    return fail(ErrorKind::internal, "the checker refused a plan: " + collected.first_refusal);
  return figures_of(make_rows(workload, collected), used.part());
}

Result<CollocationStudy> collocation_study(const CollocationOptions& options, unsigned workers) {
  const auto shape = mixed_cluster(options.mix, options.nodes);
  if (!shape) return tl::unexpected(shape.error());
  std::vector<Workload> traces;
  CollocationStudy study{options, {}};
  for (const double load : options.loads)
    for (std::uint32_t k = 0; k < options.seeds; ++k) {
      const std::uint32_t seed = options.first_seed + k;
      traces.push_back(mixed_workload({seed, load, options.time}, *shape));
      const auto outcome = without_runs(traces.back(), load, seed);
      if (!outcome) return tl::unexpected(outcome.error());
      study.outcomes.push_back(*outcome);
    }
  const auto done = on_threads(traces.size() * kRules.size(), workers, [&](std::size_t k) -> Result<void> {
    const std::size_t rule = k % kRules.size();
    const auto run = collocation_run(traces[k / kRules.size()], *shape, options, kRules[rule]);
    if (!run) return tl::unexpected(run.error());
    study.outcomes[k / kRules.size()].runs[rule] = *run;
    return {};
  });
  if (!done) return tl::unexpected(done.error());
  return study;
}

}  // namespace aliquot::collocation
