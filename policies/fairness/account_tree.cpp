#include "policies/fairness/account_tree.hpp"

#include <algorithm>
#include <set>

namespace aliquot::fairness {

AccountTree::AccountTree(const std::vector<Account>& accounts) {
  for (const Account& account : accounts) accounts_.emplace(account.name, account);
}

std::vector<std::string> AccountTree::path_to(const std::string& account) const {
  std::vector<std::string> path{account};
  for (auto at = accounts_.find(account); at != accounts_.end() && !at->second.parent.empty();
       at = accounts_.find(at->second.parent))
    path.push_back(at->second.parent);
  std::ranges::reverse(path);
  return path;
}

std::uint32_t AccountTree::shares_of(const std::string& account) const {
  const auto found = accounts_.find(account);
  return found == accounts_.end() ? 1 : found->second.shares;
}

std::vector<double> AccountTree::entitled(const std::vector<AccountUser>& active) const {
  static const std::string top = "\n";                     // the name of no account
  std::map<std::string, std::set<std::string>> below;      // by account: those below it in which users are
  std::map<std::string, std::set<std::uint32_t>> members;  // by account: the users
  for (const AccountUser& user : active) {
    const std::string* parent = &top;
    const std::vector<std::string> path = path_to(user.account);
    for (const std::string& step : path) {
      below[*parent].insert(step);
      parent = &step;
    }
    members[user.account].insert(user.uid);
  }
  const auto shares_below = [&](const std::string& parent) {
    auto sum = static_cast<double>(members[parent].size());
    for (const std::string& child : below[parent]) sum += shares_of(child);
    return sum;
  };
  std::vector<double> parts;
  for (const AccountUser& user : active) {
    double part = 1;
    const std::string* parent = &top;
    const std::vector<std::string> path = path_to(user.account);
    for (const std::string& step : path) {
      part *= shares_of(step) / shares_below(*parent);
      parent = &step;
    }
    parts.push_back(part / shares_below(*parent));
  }
  return parts;
}

}  // namespace aliquot::fairness
