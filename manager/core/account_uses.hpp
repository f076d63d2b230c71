// What accounts and their users use of their limits: an index beside the records, kept while there are
// limits. It follows from the records (account_limits.hpp).
#pragma once

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
  std::set<JobId> waiting;                     // jobs that have not been counted, for a limit
  bool look = false;                           // one of them may fit now
};

}  // namespace aliquot
