// The columns of the project's own CSV. Those that are known but not used stand for what comes later.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace aliquot {

inline constexpr std::array<std::string_view, 6> kRequiredColumns{"job",      "submit", "tasks",
                                                                  "cpu_need", "memory", "runtime"};
inline constexpr std::array<std::string_view, 2> kUsedColumns{"estimate", "account"};
inline constexpr std::array<std::string_view, 10> kKnownColumns{
    "gpus",           "gpu_model",  "nodes_min", "nodes_max", "cores",
    "cores_per_node", "contiguous", "priority",  "user",      "profile"};

[[nodiscard]] constexpr bool is_known_column(std::string_view name) {
  return std::ranges::find(kKnownColumns, name) != kKnownColumns.end();
}

}  // namespace aliquot
