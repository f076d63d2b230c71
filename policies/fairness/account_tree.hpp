// Which part of the cluster each user is entitled to: accounts in a tree, each with shares, and users below
// them.
//
// The shares of an account count against those of its siblings, the other accounts (and users) below the
// same parent, as the shares of VMware's resource pools and of Slurm's fair tree do. What a user is
// entitled to is the product of these fractions on the way down to it. Accounts in which no user is active
// count for nothing, so what they are entitled to falls to the others.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "policies/model/account_terms.hpp"

namespace aliquot::fairness {

using Account = AccountTerms;

// A leaf of the tree: the jobs of one user in one account. It has one share below its account.
struct AccountUser {
  std::string account;
  std::uint32_t uid = 0;
  friend auto operator<=>(const AccountUser&, const AccountUser&) = default;
};

class AccountTree {
 public:
  // They have no fault. An account that is not named stands at the top with one share.
  explicit AccountTree(const std::vector<Account>& accounts = {});

  // Its account and those above it, from the top down.
  [[nodiscard]] std::vector<std::string> path_to(const std::string& account) const;
  [[nodiscard]] std::uint32_t shares_of(const std::string& account) const;
  // Of each of these users, in their order: the part of the whole, all of them together 1.
  [[nodiscard]] std::vector<double> entitled(const std::vector<AccountUser>& active) const;

 private:
  std::map<std::string, Account> accounts_;
};

}  // namespace aliquot::fairness
