// The accounts in force: those of the configuration, and in their place what operators have set by command,
// which stays in the core's state until it is reset. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "manager/api/wire/request.hpp"
#include "manager/core/state.hpp"

namespace aliquot {

// An account of the configuration that an operator has set is as the operator set it. Where the two make no
// tree any more (the configuration has lost a parent), what an operator has set stands at the top.
[[nodiscard]] std::vector<AccountTerms> accounts_with(std::vector<AccountTerms> configured,
                                                      const std::vector<AccountTerms>& in_force);

// The same as an event, if that is not what is in force.
[[nodiscard]] std::vector<Event> accounts_taken(const std::vector<AccountTerms>& configured,
                                                const CoreState& state);

// `in_force`, with what the request changes. Errors: it makes no tree, or changes nothing.
[[nodiscard]] Result<std::vector<AccountTerms>> with_account_set(std::vector<AccountTerms> in_force,
                                                                 const AccountSet& request,
                                                                 std::uint32_t by);
// Errors: no operator has set the account; or others that an operator has set are below it.
[[nodiscard]] Result<std::vector<AccountTerms>> with_account_reset(
    std::vector<AccountTerms> in_force, const std::string& account,
    const std::vector<AccountTerms>& configured);

}  // namespace aliquot
