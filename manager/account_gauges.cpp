#include "manager/account_gauges.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace aliquot {

std::vector<AccountGauges> account_gauges(const AccountStandings& standings, const CoreState& state,
                                          const LimitUses& uses) {
  struct Sum {
    AccountGauges told;
    double used = 0;
  };
  std::map<std::string, Sum> sums;
  for (const AccountTerms& terms : state.accounts) sums[terms.name];
  for (const auto& [user, standing] : standings.users) {
    Sum& sum = sums[user.account];
    sum.used += standing.used;
    if (standing.entitled) sum.told.entitled = sum.told.entitled.value_or(0) + *standing.entitled;
    if (standing.jobs == 0) continue;
    const double weight = static_cast<double>(standing.weight.raw) / kMillion;
    sum.told.weight = std::min(sum.told.weight.value_or(weight), weight);
  }
  for (const auto& [top, waiting] : uses.waiting)
    for (const JobId job : waiting)
      if (const auto record = state.records.find(job); record != state.records.end())
        ++sums[record->second.submission->account].told.limited;
  std::vector<AccountGauges> all;
  for (auto& [account, sum] : sums) {
    sum.told.account = account;
    if (sum.told.entitled.value_or(0) > 0 && standings.used > 0)
      sum.told.used = sum.used / standings.used / *sum.told.entitled;
    all.push_back(std::move(sum.told));
  }
  return all;
}

}  // namespace aliquot
