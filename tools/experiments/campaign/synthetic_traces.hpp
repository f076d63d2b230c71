// The synthetic traces of a campaign: the DFRS paper's workloads (DFRS, V-A), seeds x loads, on nodes of 4
// cores and 8 GB.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/sim/generate/dfrs_workload.hpp"

namespace aliquot {

inline constexpr std::uint32_t kTraceNodes = 128;

struct SyntheticTraces {
  std::uint32_t seed = 1;  // of the first; each further one has the next
  std::uint32_t traces = 100;
  std::uint64_t jobs = 1000;                  // of each
  std::vector<std::optional<Decimal>> loads;  // none: unscaled
};

// What the generator needs for one of them.
[[nodiscard]] DfrsOptions trace_of(const SyntheticTraces& traces, std::uint32_t seed,
                                   const std::optional<Decimal>& load);
// As options of a plan: they tell a campaign over these traces from one over others.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> plan_options(const SyntheticTraces& traces);

}  // namespace aliquot
