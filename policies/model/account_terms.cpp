#include "policies/model/account_terms.hpp"

#include <algorithm>
#include <set>

namespace aliquot {
namespace {

std::string fault_of_one(const AccountTerms& account) {
  if (account.name.empty()) return "an account has no name";
  if (account.shares == 0) return "the account " + account.name + " has no shares; give it at least 1";
  if (account.shares > kMostSharesOfAccount)
    return "the account " + account.name + " has " + std::to_string(account.shares) +
           " shares; give it at most " + std::to_string(kMostSharesOfAccount);
  for (const AccountLimits* limits : {&account.limits, &account.each_user})
    for (const auto& [kind, most] : *limits)
      if (most < 0 || most > kMostOfLimit)
        return "the account " + account.name + " has a limit of " + std::string(limit_name(kind)) +
               " out of bounds";
  if (account.min_yield.raw < 0 || account.min_yield > kFullYield)
    return "the account " + account.name + " has a min_yield that is not from 0 to 1";
  if (account.max_yield < kLeastMaxYield || account.max_yield > kFullYield)
    return "the account " + account.name + " has a max_yield that is not from 0.01 to 1";
  return {};
}

// The largest reservation on the way to the top may not be above the smallest limit there.
std::string fault_of_yields(const std::map<std::string, const AccountTerms*>& by_name,
                            const AccountTerms& account) {
  const AccountTerms *least = &account, *most = &account;
  for (const AccountTerms* at = &account; !at->parent.empty();) {
    at = by_name.at(at->parent);
    if (at->min_yield > least->min_yield) least = at;
    if (at->max_yield < most->max_yield) most = at;
  }
  if (least->min_yield <= most->max_yield) return {};
  return "the jobs of account " + account.name + " would have a min_yield (of account " + least->name +
         ") above their max_yield (of account " + most->name + "); lower the one or raise the other";
}

// On how many nodes a job with devices stands, at most.
std::int64_t most_nodes(const Demand& demand, std::uint32_t tasks) {
  const Spread& spread = demand.spread;
  if (spread.max_nodes > 0) return spread.max_nodes;
  if (spread.per_node > 0) return (tasks + spread.per_node - 1) / spread.per_node;
  return std::max(spread.min_nodes, 1U);
}

}  // namespace

std::string fault_of(const std::vector<AccountTerms>& accounts) {
  if (accounts.size() > kMostAccountTerms)
    return "there are " + std::to_string(accounts.size()) + " accounts; at most " +
           std::to_string(kMostAccountTerms) + " can be had";
  std::map<std::string, const AccountTerms*> by_name;
  for (const AccountTerms& account : accounts) {
    if (std::string fault = fault_of_one(account); !fault.empty()) return fault;
    if (!by_name.emplace(account.name, &account).second)
      return "the account " + account.name + " is named twice; write it once";
  }
  for (const AccountTerms& account : accounts) {
    std::set<std::string> seen{account.name};
    for (std::string above = account.parent; !above.empty(); above = by_name.at(above)->parent) {
      if (!by_name.contains(above))
        return "the account " + account.name + " is below " + above + ", and there is no such account";
      if (!seen.insert(above).second) return "the account " + account.name + " is below itself";
    }
    if (std::string fault = fault_of_yields(by_name, account); !fault.empty()) return fault;
  }
  return {};
}

Amounts amounts_of(const Demand& demand, std::uint32_t tasks) {
  Amounts amounts;
  amounts.of(LimitKind::jobs) = 1;
  amounts.of(LimitKind::tasks) = tasks;
  amounts.of(LimitKind::cpu) = (demand.need * tasks).raw;
  amounts.of(LimitKind::memory) = (demand.memory * tasks).raw;
  if (demand.devices.any())
    amounts.of(LimitKind::devices) = std::int64_t{demand.devices.per_node} * most_nodes(demand, tasks);
  return amounts;
}

}  // namespace aliquot
