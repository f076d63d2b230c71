#include "monitor/account_gauge_series.hpp"

#include <utility>

namespace aliquot {

void AccountGaugeSeries::tell(const std::vector<AccountGauges>& all) {
  std::set<std::string> before = std::exchange(told_, {});
  for (const AccountGauges& one : all) {
    if (told_.size() >= kMost) break;
    const std::string label = one.account.empty() ? "(none)" : one.account;
    set(Metric::account_entitled, label, one.entitled);
    set(Metric::account_used_of_entitled, label, one.used);
    set(Metric::account_weight, label, one.weight);
    set(Metric::account_limited_jobs, label, static_cast<double>(one.limited));
    told_.insert(label);
    before.erase(label);
  }
  for (const std::string& label : before)
    for (const Metric metric : {Metric::account_entitled, Metric::account_used_of_entitled,
                                Metric::account_weight, Metric::account_limited_jobs})
      set(metric, label, std::nullopt);
}

void AccountGaugeSeries::set(Metric metric, const std::string& label, std::optional<double> value) {
  if (value)
    families_.gauge(metric, {{"account", label}}).Set(*value);
  else
    families_.remove(metric, {{"account", label}});
}

}  // namespace aliquot
