#include "tools/experiments/moldable/study.hpp"

#include <algorithm>
#include <limits>

#include "tools/experiments/campaign/on_threads.hpp"
#include "tools/experiments/moldable/molded_run.hpp"
#include "tools/experiments/papers/paper_campaigns.hpp"

namespace aliquot::moldable {
namespace {

struct Trace {
  InstanceName name;
  std::uint64_t seed = 1;  // of the speed-up models
  ClusterShape shape;
  Workload workload;
};

Result<void> add(std::vector<Trace>& traces, const Campaign& campaign, std::size_t i) {
  const InstanceName& name = campaign.plan.instances[i];
  auto workload = campaign.sources[i].make();
  if (!workload) return tl::unexpected(workload.error());
  const std::uint64_t seed = name.seed.empty() ? i + 1 : std::stoull(name.seed);
  traces.push_back({name, seed, campaign.sources[i].shape, *std::move(workload)});
  return {};
}

Result<std::vector<Trace>> traces_of(const MoldableOptions& options) {
  std::vector<Trace> traces;
  const Campaign synthetic = dfrs2010({options.traces, {}, {}});
  for (std::size_t i = 0; i < synthetic.sources.size(); ++i)
    if (auto added = add(traces, synthetic, i); !added) return tl::unexpected(added.error());
  if (options.workload.empty()) return traces;
  const auto log = hpc2n({options.workload, {}, {}, 0});
  if (!log) return tl::unexpected(log.error());
  const std::size_t all = log->sources.size();
  const std::size_t some = options.weeks == 0 ? all : std::min<std::size_t>(all, options.weeks);
  for (std::size_t k = 0; k < some; ++k)
    if (auto added = add(traces, *log, k * all / some); !added) return tl::unexpected(added.error());
  return traces;
}

std::string name_of(const InstanceName& name) {
  if (name.seed.empty()) return name.workload;
  return "seed " + name.seed + (name.load.empty() ? "" : ", load " + name.load);
}

TraceOutcome without_outcomes(const Trace& trace) {
  TraceOutcome outcome;
  outcome.name = name_of(trace.name);
  if (const auto load = parse_decimal(trace.name.load); load) outcome.load = *load;
  outcome.jobs = trace.workload.jobs.size();
  outcome.moldable = static_cast<std::uint64_t>(std::ranges::count_if(
      trace.workload.jobs, [](const WorkloadJob& job) { return job.submission.demand.tasks > 1; }));
  return outcome;
}

}  // namespace

double TraceOutcome::best_fixed() const {
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t r = 0; r < kRules.size(); ++r)
    if (kRules[r].is_fixed()) best = std::min(best, rules[r].largest_stretch);
  return best;
}

Result<MoldableStudy> moldable_study(const MoldableOptions& options, unsigned workers) {
  const auto traces = traces_of(options);
  if (!traces) return tl::unexpected(traces.error());
  MoldableStudy study{options, {}};
  for (const Trace& trace : *traces) study.traces.push_back(without_outcomes(trace));
  const std::size_t runs = traces->size() * kRules.size();
  const auto done = on_threads(runs, workers, [&](std::size_t k) -> Result<void> {
    const Trace& trace = (*traces)[k / kRules.size()];
    const std::size_t rule = k % kRules.size();
    const auto outcome = molded_run(trace.workload, trace.shape, kRules[rule], options, trace.seed);
    if (!outcome) return tl::unexpected(outcome.error());
    study.traces[k / kRules.size()].rules[rule] = *outcome;
    return {};
  });
  if (!done) return tl::unexpected(done.error());
  return study;
}

}  // namespace aliquot::moldable
