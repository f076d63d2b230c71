#include "tools/experiments/campaign/synthetic_traces.hpp"

#include "tools/experiments/campaign/campaign.hpp"

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

}  // namespace aliquot
