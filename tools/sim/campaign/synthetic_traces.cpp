#include "tools/sim/campaign/synthetic_traces.hpp"

#include <CLI/CLI.hpp>

#include "tools/sim/campaign/campaign_options.hpp"
#include "tools/sim/option_values.hpp"
#include "tools/sim/workload/limits.hpp"

namespace aliquot {

DfrsOptions trace_of(const SyntheticTraces& traces, std::uint32_t seed,
                     const std::optional<Decimal>& load) {
  DfrsOptions made{seed, std::nullopt, traces.jobs, kTraceNodes};
  if (load) made.load = static_cast<double>(load->pico) / static_cast<double>(kPico);
  return made;
}

std::vector<std::pair<std::string, std::string>> plan_options(const SyntheticTraces& traces) {
  std::vector<std::string> loads;
  for (const auto& load : traces.loads) loads.push_back(load ? to_text(*load) : "unscaled");
  return {{"seed", std::to_string(traces.seed)},
          {"traces", std::to_string(traces.traces)},
          {"jobs", std::to_string(traces.jobs)},
          {"nodes", std::to_string(kTraceNodes)},
          {"loads", joined(loads)}};
}

void add_trace_options(CLI::App& command, TypedTraces& typed, const std::string& about_seeds) {
  command.add_option("--traces", typed.traces, "number of traces")->capture_default_str();
  command.add_option("--loads", typed.loads, "offered loads; unscaled: as the model has them")
      ->delimiter(',')
      ->capture_default_str();
  command.add_option("--jobs", typed.jobs, "jobs of a trace")->capture_default_str();
  command.add_option("--seed", typed.seed, "of the first trace; " + about_seeds)->capture_default_str();
}

Result<SyntheticTraces> traces_of(const TypedTraces& typed) {
  const auto traces = count_option("--traces", typed.traces, kMostTraces);
  if (!traces) return tl::unexpected(traces.error());
  const auto seed = seed_option("--seed", typed.seed, UINT32_MAX - *traces);
  if (!seed) return tl::unexpected(seed.error());
  const auto jobs = count_option("--jobs", typed.jobs, kMostJobs);
  if (!jobs) return tl::unexpected(jobs.error());
  auto loads = loads_of(typed.loads);
  if (!loads) return tl::unexpected(loads.error());
  return SyntheticTraces{static_cast<std::uint32_t>(*seed), static_cast<std::uint32_t>(*traces), *jobs,
                         *std::move(loads)};
}

}  // namespace aliquot
