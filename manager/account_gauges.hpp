// What the metrics say of accounts, read off their standings and the core's state. Pure.
#pragma once

#include <vector>

#include "manager/api/answers/account_tree_answers.hpp"
#include "manager/core/account_uses.hpp"
#include "manager/core/state.hpp"
#include "monitor/account_gauges.hpp"

namespace aliquot {

// Of every account that has terms, jobs or use, by name.
[[nodiscard]] std::vector<AccountGauges> account_gauges(const AccountStandings& standings,
                                                        const CoreState& state, const LimitUses& uses);

}  // namespace aliquot
