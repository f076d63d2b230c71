// What those who watch are told of the core's state: whose a job is, what the caps in force let every
// running VM use, and what the plan in force promises. Pure.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "manager/core/state.hpp"
#include "monitor/cpu_use.hpp"

namespace aliquot {

// None: no such job is known any more.
[[nodiscard]] std::optional<std::string_view> account_of(const CoreState& state, JobId job);

// `speeds`: of a core of each node, by NodeId, parts per million of the reference core; a node without one
// is as fast as that.
[[nodiscard]] std::vector<VmCap> caps_in_force(const CoreState& state,
                                               const std::vector<std::int64_t>& speeds);

// Nothing, of a job that is not known any more.
[[nodiscard]] JobShares shares_in_force(const CoreState& state, JobId job,
                                        const std::vector<std::int64_t>& speeds);

}  // namespace aliquot
