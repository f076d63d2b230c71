// The columns of the project's own CSV.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace aliquot {

inline constexpr std::array<std::string_view, 6> kRequiredColumns{"job",      "submit", "tasks",
                                                                  "cpu_need", "memory", "runtime"};
inline constexpr std::array<std::string_view, 2> kUsedColumns{"estimate", "account"};
// How the number of tasks changes while the job runs, as users write it: "60s:1,5m:4,2". Batsim means
// something else by a profile.
inline constexpr std::string_view kEvolution = "evolution";
// What the job really needs, where it is not what it declares as cpu_need (true_need_text.hpp).
inline constexpr std::string_view kTrueNeed = "true_need";
// Which jobs belong to one user: for fair share, and for run times that are learned.
inline constexpr std::string_view kUser = "user";
// Placement requests: devices on each node, a spread, the user's own priority. An empty field requests
// nothing.
inline constexpr std::array<std::string_view, 8> kPlacementColumns{
    "gpus", "gpu_model", "gpu_parts", "nodes_min", "nodes_max", "per_node", "contiguous", "priority"};
// Columns that are kept when the workload is written in another format.
inline constexpr std::array<std::string_view, 14> kKnownColumns{
    "gpus",     "gpu_model", "gpu_parts",      "nodes_min", "nodes_max", "per_node", "contiguous",
    "priority", "cores",     "cores_per_node", kUser,       "profile",   kEvolution, kTrueNeed};

[[nodiscard]] constexpr bool is_placement_column(std::string_view name) {
  return std::ranges::find(kPlacementColumns, name) != kPlacementColumns.end();
}
[[nodiscard]] constexpr bool is_known_column(std::string_view name) {
  return std::ranges::find(kKnownColumns, name) != kKnownColumns.end();
}

}  // namespace aliquot
