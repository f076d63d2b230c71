#include "tools/experiments/needs/study.hpp"

#include <algorithm>

#include "tools/experiments/campaign/on_threads.hpp"
#include "tools/sim/exec/exec_policy.hpp"
#include "tools/sim/report.hpp"
#include "tools/sim/simulation.hpp"

namespace aliquot::needs {
namespace {

constexpr std::size_t kSources = kNeedSourceNames.size();

ClusterShape trace_shape() {
  ClusterShape shape;
  shape.nodes = kTraceNodes;
  return shape;
}

Stretches stretches_of(const std::vector<JobRow>& rows, Duration longer_than) {
  Stretches found{0, 0, 1};
  for (const JobRow& row : rows) {
    if (row.job->runtime() <= longer_than) continue;
    ++found.jobs;
    found.mean += row.bounded_stretch();
    found.largest = std::max(found.largest, row.bounded_stretch());
  }
  found.mean = found.jobs > 0 ? found.mean / static_cast<double>(found.jobs) : 1;
  return found;
}

std::vector<NeedOutcome> cases_of(const NeedOptions& options) {
  std::vector<NeedOutcome> cases;
  for (const std::string& policy : options.policies)
    for (const auto& load : options.traces.loads)
      for (std::uint32_t k = 0; k < options.traces.traces; ++k)
        cases.push_back({policy, options.traces.seed + k, load, {}});
  return cases;
}

Result<NeedRun> run_case(const NeedOutcome& one, const NeedOptions& options, NeedSource source) {
  auto trace = dfrs_workload(trace_of(options.traces, one.seed, one.load));
  if (!trace) return tl::unexpected(trace.error());
  const ClusterShape shape = trace_shape();
  WrongNeeds wrong = options.wrong;
  wrong.seed = one.seed;
  const Workload workload = declare_wrongly(*std::move(trace), wrong, shape.capacity());
  return need_run(workload, shape, one.policy, options.penalty, source);
}

}  // namespace

Result<NeedRun> need_run(const Workload& workload, const ClusterShape& shape, const std::string& policy,
                         Duration penalty, NeedSource source) {
  auto made = make_simulated_policy(policy);
  if (!made) return tl::unexpected(made.error());
  ModelOptions model;
  model.penalty = penalty;
  Collector collected;
  Simulation simulation(workload, shape, model, std::move(*made), collected);
  simulation.set_needs(source);
  if (auto done = run_guarded([&] { return simulation.run(); }); !done) return tl::unexpected(done.error());
  if (collected.refused > 0)
    return fail(ErrorKind::internal, "the checker refused a plan: " + collected.first_refusal);
  const std::vector<JobRow> rows = make_rows(workload, collected);
  NeedRun run{stretches_of(rows, {}), stretches_of(rows, kLongJob), {}};
  if (const NeedFigures* figures = simulation.need_figures()) run.needs = *figures;
  return run;
}

Result<NeedStudy> need_study(const NeedOptions& options, unsigned workers) {
  NeedStudy study{options, cases_of(options)};
  const auto done =
      on_threads(study.outcomes.size() * kSources, workers, [&](std::size_t k) -> Result<void> {
        NeedOutcome& outcome = study.outcomes[k / kSources];
        const auto run = run_case(outcome, options, static_cast<NeedSource>(k % kSources));
        if (!run) return tl::unexpected(run.error());
        outcome.runs[k % kSources] = *run;
        return {};
      });
  if (!done) return tl::unexpected(done.error());
  return study;
}

}  // namespace aliquot::needs
