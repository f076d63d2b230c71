// What metrics and accounting read off the core's state: the account of a job, the caps in force of all
// running VMs, and what the plan in force promises a job. Pure.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "manager/core/state.hpp"
#include "monitor/cpu_use.hpp"
#include "policies/power/energy.hpp"

namespace aliquot {

// None: there is no such job (any more).
[[nodiscard]] std::optional<std::string_view> account_of(const CoreState& state, JobId job);

// `speeds`: of a core of each node, by NodeId, in millionths of the reference core. A node without an entry
// has reference cores.
[[nodiscard]] std::vector<VmCap> caps_in_force(const CoreState& state,
                                               const std::vector<std::int64_t>& speeds);

// Of a node, for what its jobs are charged: what is measured, or what it draws at full utilisation by the
// settings.
using ChargedWatts = std::function<power::Watts(NodeId node)>;

// What the job is charged (monitor/cpu_use.hpp). Nothing if there is no such job (any more), or it is not
// placed.
[[nodiscard]] power::Watts charged_draw(const CoreState& state, JobId job, const ChargedWatts& watts);

// Empty if there is no such job (any more).
[[nodiscard]] JobShares shares_in_force(const CoreState& state, JobId job,
                                        const std::vector<std::int64_t>& speeds, const ChargedWatts& watts);

}  // namespace aliquot
