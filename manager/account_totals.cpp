#include "manager/account_totals.hpp"

#include <set>
#include <utility>

#include "monitor/cpu_ledger.hpp"

namespace aliquot {

AccountTotals::AccountTotals(Store& store) : store_(store) {
  for (auto& [account, use] : store_.accounts()) totals_.emplace(account, use);
  const std::vector<JobId> left = store_.uncounted();
  if (left.empty()) return;
  std::set<std::string> changed;
  for (const JobId job : left)
    if (const auto outcome = store_.ended(job)) changed.insert(add_to_total(*outcome, store_.cpu_use(job)));
  keep(changed, left);
}

void AccountTotals::ended(const JobOutcome& outcome, Instant now) {
  leaving_[outcome.job] = {outcome, now};
}

void AccountTotals::count(Instant now, const UseOf& use) {
  std::vector<JobId> counted;
  std::set<std::string> changed;
  for (auto at = leaving_.begin(); at != leaving_.end();) {
    const auto& [job, leaving] = *at;
    if (now - leaving.since < CpuLedger::kLinger) {
      ++at;
      continue;
    }
    counted.push_back(job);
    changed.insert(add_to_total(leaving.outcome, use(job)));
    at = leaving_.erase(at);
  }
  if (!counted.empty()) keep(changed, std::move(counted));
}

// The name under which it was counted.
std::string AccountTotals::add_to_total(const JobOutcome& outcome, const std::optional<JobUse>& use) {
  std::string name = outcome.submission->account;
  if (!totals_.contains(name) && totals_.size() >= kMost) name = kOtherAccounts;
  totals_[name].add(outcome, use);
  return name;
}

void AccountTotals::keep(const std::set<std::string>& changed, std::vector<JobId> counted) {
  std::vector<std::pair<std::string, AccountUse>> totals;
  for (const std::string& account : changed) totals.emplace_back(account, totals_.at(account));
  store_.keep_accounts(std::move(totals), std::move(counted));
}

AccountRows AccountTotals::rows(const UseOf& use) const {
  AccountRows rows;
  for (const auto& [account, total] : totals_) rows[account].add(total);
  for (const auto& [job, leaving] : leaving_) {
    AccountUse one;
    one.add(leaving.outcome, use(job));
    rows[leaving.outcome.submission->account].add(one);
  }
  return rows;
}

}  // namespace aliquot
