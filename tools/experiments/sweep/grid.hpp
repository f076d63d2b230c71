// The grid file of `sweep`, a YAML file with lists of workloads, nodes, policies, penalties, loads and
// seeds. The campaign is their product (docs/simulator.md).
//
// Errors: all faults of the file, each with its line and column.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/experiments/campaign/campaign.hpp"

namespace aliquot {

struct Seeds {  // both included
  std::uint32_t first = 1;
  std::uint32_t last = 1;
};

struct Grid {
  std::vector<std::string> workloads = {"dfrs"};  // files, or "dfrs": the paper's synthetic traces
  std::vector<std::uint32_t> nodes = {128};
  std::vector<std::string> policies;  // canonical
  std::vector<Duration> penalties = {Duration{}};
  std::vector<std::optional<Decimal>> loads = {std::nullopt};  // none: unscaled
  std::vector<Seeds> seeds = {Seeds{}};                        // of synthetic workloads
  std::uint32_t jobs = 1000;                                   // of a synthetic workload
  // Of a node.
  std::uint32_t cores = 4;
  Decimal memory{8 * kPico};  // GB
  std::string swf = "procs";
};

// `file`: its name in messages.
[[nodiscard]] Result<Grid> parse_grid(std::string_view text, const std::string& file);
[[nodiscard]] Result<Grid> read_grid(const std::string& path);

// The product. Errors: it is empty or beyond a million trials; a file that is not there.
[[nodiscard]] Result<Campaign> sweep(const Grid& grid);

}  // namespace aliquot
