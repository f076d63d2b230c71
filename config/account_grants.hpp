// The setting `api.accounts`: which users may charge which account, one entry for each account:
//
//   lab=alice,@physics   the user alice and the members of the group physics
//   common=*             every user that may submit
//
// Parses text only; whether the users exist is found out when the names are resolved.
#pragma once

#include <string>
#include <vector>

#include "config/form.hpp"

namespace aliquot {

struct AccountGrant {
  std::string account;
  std::vector<std::string> users;
  std::vector<std::string> groups;
  bool everyone = false;
  friend bool operator==(const AccountGrant&, const AccountGrant&) = default;
};

[[nodiscard]] Form<AccountGrant> account_grant();

// A fault in the list as a whole: an account with two entries; empty: none.
[[nodiscard]] std::string fault_of(const std::vector<AccountGrant>& grants);

}  // namespace aliquot
