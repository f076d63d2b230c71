// What the metrics are told of an account beside its jobs (monitor/account_gauge_series.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace aliquot {

// Of the users of one account, without the accounts below it.
struct AccountGauges {
  std::string account;               // "": the jobs without one
  std::optional<double> entitled{};  // part of the whole, 0 to 1; none: no user of it is active
  std::optional<double> used{};      // part of the decayed use of all / entitled; none: nothing is used
  std::optional<double> weight{};    // the smallest of its users' jobs; none: it has no jobs
  std::uint64_t limited = 0;         // jobs that wait for a limit
};

}  // namespace aliquot
