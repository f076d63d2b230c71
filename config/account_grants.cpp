#include "config/account_grants.hpp"

#include <algorithm>
#include <set>

#include "policies/model/account_terms.hpp"

namespace aliquot {
namespace {

constexpr const char* kExpects =
    "ACCOUNT=USER,@GROUP,... (lab=alice,@physics), or ACCOUNT=* for every user";

bool is_account(const std::string& text) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-_.+:@/").find(c) != std::string_view::npos;
  };
  return !text.empty() && text.size() <= kLongestAccount && std::ranges::all_of(text, plain);
}

// Notes one user, group or `*`; false if it is none.
bool note(const std::string& word, AccountGrant& grant) {
  if (word == "*") return grant.everyone = true;
  const bool group = word.starts_with('@');
  const auto name = user_name().parse(group ? word.substr(1) : word);
  if (name) (group ? grant.groups : grant.users).push_back(*name);
  return name.has_value();
}

Result<AccountGrant> parse_grant(const std::string& text) {
  const std::size_t equals = text.find('=');
  AccountGrant grant;
  grant.account = text.substr(0, equals);
  bool good = equals != std::string::npos && is_account(grant.account);
  for (std::size_t at = equals; good && at != std::string::npos;) {
    const std::size_t next = text.find(',', at + 1);
    good = note(text.substr(at + 1, next == std::string::npos ? next : next - at - 1), grant);
    at = next;
  }
  if (good) return grant;
  return fail(ErrorKind::invalid_argument,
              "'" + text.substr(0, 80) + "' grants nothing; write " + kExpects);
}

std::string print_grant(const AccountGrant& grant) {
  std::string users;
  const auto add = [&users](const std::string& word) { users += (users.empty() ? "" : ",") + word; };
  for (const std::string& user : grant.users) add(user);
  for (const std::string& group : grant.groups) add("@" + group);
  if (grant.everyone) add("*");
  return grant.account + "=" + users;
}

}  // namespace

Form<AccountGrant> account_grant() {
  return {kExpects, R"("type": "string", "pattern": "^[A-Za-z0-9_.+:@/-]{1,64}=.+$")", parse_grant,
          print_grant};
}

std::string fault_of(const std::vector<AccountGrant>& grants) {
  std::set<std::string> accounts;
  for (const AccountGrant& grant : grants)
    if (!accounts.insert(grant.account).second)
      return "the account " + grant.account + " has two entries; write all its users into one";
  return {};
}

}  // namespace aliquot
