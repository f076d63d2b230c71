// What accounts and their users use of their limits: an index beside the records, kept while there are
// limits. It follows from the records (account_limits.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "policies/model/account_terms.hpp"
#include "policies/model/id.hpp"

namespace aliquot {

struct LimitUses {
  using User = std::pair<std::string, std::uint32_t>;  // in an account, or in one below it

  bool limited = false;                        // some account has a limit
  std::map<std::string, AccountTerms> terms;   // by name
  std::map<std::string, Amounts> of_accounts;  // each with all accounts below it
  std::map<User, Amounts> of_users;            // in each account, and in all below it
  std::map<JobId, Amounts> counted;            // what each job counts with, in all these sums
  // Jobs that have not been counted, for a limit, by the topmost account above them that has limits: what
  // becomes of others does not concern them.
  std::map<std::string, std::set<JobId>> waiting;
  std::set<std::string> look;  // of these accounts: one of the jobs below them may fit now

  [[nodiscard]] bool waits(JobId job) const {
    return std::ranges::any_of(waiting, [job](const auto& each) { return each.second.contains(job); });
  }
  [[nodiscard]] bool may_admit() const {
    return std::ranges::any_of(look, [this](const auto& top) { return waiting.contains(top); });
  }
};

}  // namespace aliquot
