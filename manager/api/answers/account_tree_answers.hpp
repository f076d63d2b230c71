// The answer to `account.show`, `account.set` and `account.reset` as a JSON body: the tree of accounts,
// what is used of their limits, and the fair share of their users. Pure. docs/protocol.md lists the keys.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "manager/api/answers/answer_values.hpp"
#include "manager/api/wire/request.hpp"
#include "manager/core/account_uses.hpp"
#include "manager/core/state.hpp"
#include "policies/fairness/account_tree.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

struct UserStanding {
  std::optional<double> entitled{};  // part of the whole; none: it is not active
  double used = 0;                   // core-seconds, decayed
  Weight weight{};                   // of its jobs
  std::uint64_t jobs = 0;            // that have not ended
};
struct AccountStandings {
  std::optional<Duration> half_life{};  // none: no fair share
  double used = 0;                      // core-seconds, of all active users
  std::map<fairness::AccountUser, UserStanding> users{};
};

// What a client may see where others are private: these accounts, and of users itself. None: all.
struct OwnAccounts {
  std::vector<std::string> accounts;
  std::uint32_t uid = 0;
};

// Error: not_found for an account that has neither terms nor jobs.
[[nodiscard]] Result<std::string> account_tree_answer(const CoreState& state, const LimitUses& uses,
                                                      const AccountStandings& standings,
                                                      const AccountShow& request, const AnswerClock& clock,
                                                      const std::optional<OwnAccounts>& only = {});
// `terms` is none where nothing is said of the account any more.
[[nodiscard]] std::string account_changed_answer(const std::string& account,
                                                 const std::optional<AccountTerms>& terms,
                                                 const AnswerClock& clock);

}  // namespace aliquot
