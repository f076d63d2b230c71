// The accounts of a site in a simulation: their shares, limits and yields, from the list `accounts` of the
// manager's configuration (config/account_words.hpp), or of a file with nothing else.
//
//   accounts:
//     - science shares=3 cpu=64
//     - lab parent=science jobs=40 user.jobs=10 max_yield=0.5
//
// Other keys of the file are not looked at. An error names file, line, column and key of every fault.
// Core-hours that were served are not counted in a simulation: limits of them are refused.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policies/model/account_terms.hpp"
#include "policies/model/error.hpp"
#include "tools/sim/workload.hpp"

namespace aliquot {

[[nodiscard]] Result<std::vector<AccountTerms>> read_accounts(const std::string& path);
[[nodiscard]] Result<std::vector<AccountTerms>> parse_accounts(std::string_view text,
                                                               const std::string& file);

// Error: jobs ask for more than their accounts may have at all. A manager refuses them.
[[nodiscard]] Result<void> check_limits(const Workload& workload,
                                        const std::vector<AccountTerms>& accounts);

}  // namespace aliquot
