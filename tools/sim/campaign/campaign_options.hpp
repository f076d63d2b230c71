// What every command that runs a campaign has in common: its options, and conducting it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/sim/campaign/campaign.hpp"

namespace CLI {
class App;
}

namespace aliquot {

// As they are typed.
struct TypedCampaign {
  std::string out, workers, shard = "1/1";
  std::vector<std::string> penalties = {"0", "300"};
  std::vector<std::string> also;
};
void add_running_options(CLI::App& command, TypedCampaign& typed);  // --out --workers --shard
void add_policy_options(CLI::App& command, TypedCampaign& typed);   // --penalty --also

// In increasing order, once each, as texts.
[[nodiscard]] Result<std::vector<std::string>> penalties_of(const std::vector<std::string>& texts);
// In increasing order, once each; "unscaled", none, last.
[[nodiscard]] Result<std::vector<std::optional<Decimal>>> loads_of(const std::vector<std::string>& texts);
// As the policies call themselves.
[[nodiscard]] Result<std::vector<std::string>> canonical(const std::vector<std::string>& specs);
[[nodiscard]] Result<unsigned> workers_of(const std::string& text);  // empty: as many as there are cores

// Runs what is left of it and writes the report. Returns the exit code: 1 if a cell failed.
[[nodiscard]] int conduct(const Campaign& campaign, const TypedCampaign& typed);

// Joins the cells of campaigns' folders (the same campaign, by the same program) in one of them, or in a
// new one, and writes its report. Returns the exit code: 1 if cells are missing.
[[nodiscard]] int merge(const std::vector<std::string>& folders, const std::string& out);

}  // namespace aliquot
