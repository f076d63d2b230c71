#include "tools/experiments/power/study.hpp"

#include <algorithm>

#include "tools/experiments/campaign/on_threads.hpp"
#include "tools/experiments/power/diurnal.hpp"
#include "tools/sim/exec/exec_policy.hpp"
#include "tools/sim/generate/dfrs_workload.hpp"
#include "tools/sim/report.hpp"
#include "tools/sim/simulation.hpp"
#include "tools/sim/workload/weeks.hpp"

namespace aliquot::power {
namespace {

constexpr std::uint32_t kNodes = 128;

// The log's nodes, as the DFRS paper has them (IV-C).
ClusterShape log_shape() {
  ClusterShape shape;
  shape.nodes = 120;
  shape.cores_per_node = 2;
  shape.node_memory = Memory{2'000'000'000};
  return shape;
}
ClusterShape trace_shape() {
  ClusterShape shape;
  shape.nodes = kNodes;
  return shape;
}

struct Case {
  PowerInstance instance;
  const Workload* week = nullptr;  // of the log; null: a trace, which is generated
};

std::string name_of_load(double load) {
  char text[32];
  std::snprintf(text, sizeof text, "diurnal %.1f", load);
  return text;
}

Result<std::vector<Workload>> weeks_of(const PowerOptions& options) {
  if (options.log.empty()) return std::vector<Workload>{};
  ReadOptions read{log_shape(), ReadOptions::Swf::dfrs};
  const auto whole = read_workload(options.log, read);
  if (!whole) return tl::unexpected(whole.error());
  return weeks(*whole);
}

std::vector<Case> cases_of(const PowerOptions& options, const std::vector<Workload>& weeks) {
  std::vector<Case> cases;
  for (const double load : options.loads)
    for (std::uint32_t k = 0; k < options.seeds; ++k)
      cases.push_back({{name_of_load(load), options.first_seed + k, load}});
  const std::size_t step =
      options.log_weeks == 0 ? 1 : std::max<std::size_t>(1, weeks.size() / options.log_weeks);
  for (std::size_t w = 0; w < weeks.size(); w += step)
    if (weeks[w].jobs.size() > 1)
      cases.push_back(
          {{"HPC2N", static_cast<std::uint32_t>(w + 1), load_of(weeks[w], log_shape().nodes)}, &weeks[w]});
  return cases;
}

Result<PowerOutcome> run_case(const Case& one, const PowerOptions& options) {
  Workload generated;
  if (!one.week) {
    auto made = diurnal_workload({one.instance.number, one.instance.load, options.weeks, kNodes});
    if (!made) return tl::unexpected(made.error());
    generated = std::move(*made);
  }
  const Workload& workload = one.week ? *one.week : generated;
  const ClusterShape shape = one.week ? log_shape() : trace_shape();
  PowerOutcome outcome{one.instance, {}};
  for (std::size_t rule = 0; rule < kRuleNames.size(); ++rule) {
    auto run = power_run(workload, shape, options, static_cast<PowerRule>(rule));
    if (!run) return tl::unexpected(run.error());
    outcome.runs[rule] = *run;
  }
  return outcome;
}

PowerRun figures_of(const PowerFigures& figures, const Summary& summary, const ClusterShape& shape) {
  const double span = to_seconds(figures.time) * 1e6;
  const auto share = [&](Int128 part, double whole) {
    return span > 0 ? static_cast<double>(part) / (span * whole) : 0;
  };
  PowerRun run;
  run.kwh = figures.energy.to_kwh();
  run.nodes_on = share(figures.node_time_on, shape.nodes);
  run.utilization = share(figures.given, static_cast<double>(shape.total_capacity().raw));
  const double node_days = span / 1e6 / 86'400 * shape.nodes;
  run.switches = node_days > 0 ? static_cast<double>(figures.switched_off) / node_days : 0;
  run.max_stretch = summary.max_bounded_stretch;
  run.avg_stretch = summary.avg_bounded_stretch;
  return run;
}

}  // namespace

Result<PowerRun> power_run(const Workload& workload, const ClusterShape& shape, const PowerOptions& options,
                           PowerRule rule) {
  auto policy = make_simulated_policy(options.policy);
  if (!policy) return tl::unexpected(policy.error());
  ModelOptions model;
  model.penalty = options.penalty;
  Collector collected;
  Simulation simulation(workload, shape, model, std::move(*policy), collected);
  PowerSettings settings = options.settings;
  settings.rule = rule;
  simulation.set_power(settings, workload.jobs.back().submitted);
  if (auto done = run_guarded([&] { return simulation.run(); }); !done) return tl::unexpected(done.error());
  if (collected.refused > 0)
    return fail(ErrorKind::internal, "the checker refused a plan: " + collected.first_refusal);
  const std::vector<JobRow> rows = make_rows(workload, collected);
  return figures_of(*simulation.power_figures(), summarize(workload, shape, rows, collected), shape);
}

Result<PowerStudy> power_study(const PowerOptions& options, unsigned workers) {
  const auto weeks = weeks_of(options);
  if (!weeks) return tl::unexpected(weeks.error());
  const std::vector<Case> cases = cases_of(options, *weeks);
  PowerStudy study{options, std::vector<PowerOutcome>(cases.size())};
  const auto done = on_threads(cases.size(), workers, [&](std::size_t k) -> Result<void> {
    auto outcome = run_case(cases[k], options);
    if (!outcome) return tl::unexpected(outcome.error());
    study.outcomes[k] = *std::move(outcome);
    return {};
  });
  if (!done) return tl::unexpected(done.error());
  return study;
}

}  // namespace aliquot::power
