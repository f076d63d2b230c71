#include "manager/api/answers/accounts_in_force.hpp"

#include <algorithm>
#include <utility>

#include "manager/api/wire/message_text.hpp"

namespace aliquot {
namespace {

using Terms = std::vector<AccountTerms>;

void change(AccountLimits& limits, const std::map<LimitKind, std::optional<std::int64_t>>& to) {
  for (const auto& [kind, most] : to) {
    if (most)
      limits[kind] = *most;
    else
      limits.erase(kind);
  }
}

bool is_plain_name(const std::string& name) {
  return std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-_.+:@/").find(c) != std::string_view::npos;
  });
}

Result<Terms> checked(Terms accounts) {
  if (const std::string fault = fault_of(accounts); !fault.empty())
    return fail(ErrorKind::invalid_argument, fault);
  return accounts;
}

}  // namespace

Terms accounts_with(Terms configured, const Terms& in_force) {
  for (const AccountTerms& account : in_force) {
    if (!account.by) continue;
    const auto same = std::ranges::find(configured, account.name, &AccountTerms::name);
    if (same != configured.end())
      *same = account;
    else
      configured.push_back(account);
  }
  if (fault_of(configured).empty()) return configured;
  for (AccountTerms& account : configured)
    if (account.by) account.parent.clear();
  return configured;
}

std::vector<Event> accounts_taken(const Terms& configured, const CoreState& state) {
  Terms next = accounts_with(configured, state.accounts);
  if (next == state.accounts) return {};
  return {AccountsChanged{std::move(next)}};
}

Result<Terms> with_account_set(Terms in_force, const AccountSet& request, std::uint32_t by) {
  if (!is_plain_name(request.account) || (request.parent && !is_plain_name(*request.parent)))
    return fail(ErrorKind::invalid_argument,
                "the name of an account may hold letters, digits and - _ . + : @ / only");
  if (!request.parent && !request.shares && request.limits.empty() && request.each_user.empty() &&
      !request.min_yield && !request.max_yield)
    return fail(ErrorKind::invalid_argument, "nothing is said of account " +
                                                 wire::in_quotes(request.account) +
                                                 "; give --shares, --parent, --jobs or another limit");
  auto at = std::ranges::find(in_force, request.account, &AccountTerms::name);
  if (at == in_force.end()) at = in_force.insert(in_force.end(), AccountTerms{request.account});
  if (request.parent) at->parent = *request.parent;
  if (request.shares) at->shares = *request.shares;
  change(at->limits, request.limits);
  change(at->each_user, request.each_user);
  at->min_yield = request.min_yield.value_or(at->min_yield);
  at->max_yield = request.max_yield.value_or(at->max_yield);
  at->by = by;
  return checked(std::move(in_force));
}

Result<Terms> with_account_reset(Terms in_force, const std::string& account, const Terms& configured) {
  const auto at = std::ranges::find(in_force, account, &AccountTerms::name);
  if (at == in_force.end())
    return fail(ErrorKind::not_found, "nothing was said of an account " + wire::in_quotes(account) +
                                          "; see `aliquot account list`");
  if (!at->by) return fail(ErrorKind::conflict, "account " + account + " is as the configuration says");
  const auto original = std::ranges::find(configured, account, &AccountTerms::name);
  if (original != configured.end())
    *at = *original;
  else
    in_force.erase(at);
  return checked(std::move(in_force));
}

}  // namespace aliquot
