// The metrics of what accounts are entitled to and have used of it, and of their jobs that wait for a
// limit. Used by the loop's thread only (metrics.cpp).
//
// Told of all accounts at once. An account that is not among them any more has no series, nor has what is
// not known of one. Users may choose the names of accounts, so only the first kMost by name have series.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "monitor/account_gauges.hpp"
#include "monitor/metric_families.hpp"

namespace aliquot {

class AccountGaugeSeries {
 public:
  static constexpr std::size_t kMost = 256;

  explicit AccountGaugeSeries(MetricFamilies& families) : families_(families) {}

  // In the order of their names.
  void tell(const std::vector<AccountGauges>& all);

 private:
  void set(Metric metric, const std::string& label, std::optional<double> value);

  MetricFamilies& families_;
  std::set<std::string> told_;  // labels
};

}  // namespace aliquot
