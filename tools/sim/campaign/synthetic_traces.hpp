// The synthetic traces of a campaign: the DFRS paper's workloads (DFRS, V-A), seeds x loads, on nodes of 4
// cores and 8 GB. What the campaigns over them share: as typed, checked, and as the plan's options.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/sim/generate/dfrs_workload.hpp"

namespace CLI {
class App;
}

namespace aliquot {

inline constexpr std::uint32_t kTraceNodes = 128;

struct SyntheticTraces {
  std::uint32_t seed = 1;  // of the first; each further one has the next
  std::uint32_t traces = 100;
  std::uint64_t jobs = 1000;                  // of each
  std::vector<std::optional<Decimal>> loads;  // none: unscaled
};

// How one of them is made.
[[nodiscard]] DfrsOptions trace_of(const SyntheticTraces& traces, std::uint32_t seed,
                                   const std::optional<Decimal>& load);
// What tells a campaign over these traces from one over others.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> plan_options(const SyntheticTraces& traces);

struct TypedTraces {
  std::string traces, seed;
  std::vector<std::string> loads;
  std::string jobs = "1000";
};
void add_trace_options(CLI::App& command, TypedTraces& typed, const std::string& about_seeds);
[[nodiscard]] Result<SyntheticTraces> traces_of(const TypedTraces& typed);

// No campaign has more instances of one kind.
inline constexpr std::uint64_t kMostTraces = 100'000;

}  // namespace aliquot
