// The options that all campaigns share: as they are typed, and checked. Errors name the option.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/experiments/campaign/synthetic_traces.hpp"

namespace CLI {
class App;
}

namespace aliquot {

// As typed.
struct TypedCampaign {
  std::string out, workers, shard = "1/1", shards, submit;
  std::vector<std::string> penalties = {"0", "300"};
  std::vector<std::string> also;
};
struct TypedTraces {
  std::string traces, seed;
  std::vector<std::string> loads;
  std::string jobs = "1000";
};
// --traces, --loads, --jobs and --seed. `typed` outlives the command.
void add_trace_options(CLI::App& command, TypedTraces& typed,
                       const std::string& about_seeds = "each further one has the next");

// In increasing order, each once, as texts.
[[nodiscard]] Result<std::vector<std::string>> penalties_of(const std::vector<std::string>& texts);
// In increasing order, each once; "unscaled" is no load, and comes last.
[[nodiscard]] Result<std::vector<std::optional<Decimal>>> loads_of(const std::vector<std::string>& texts);
// The same without "unscaled".
[[nodiscard]] Result<std::vector<Decimal>> scaled_loads_of(const std::vector<std::string>& texts);
// The canonical names of the policies of lists (policy_list.hpp).
[[nodiscard]] Result<std::vector<std::string>> canonical(const std::vector<std::string>& lists);
// Empty: as many as there are cores.
[[nodiscard]] Result<unsigned> workers_of(const std::string& text);
[[nodiscard]] Result<SyntheticTraces> traces_of(const TypedTraces& typed);

// No campaign has more instances of one kind.
inline constexpr std::uint64_t kMostTraces = 100'000;

}  // namespace aliquot
