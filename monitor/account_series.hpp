// The series of the accounts: whoever has jobs has series, and no more than kMost at a time, because users
// choose the names.
//
// Readings are added up under the account's name and told together. An account beyond the bound counts as
// "other", a job without an account under "(none)". An account of which nothing has been heard for kLinger
// is gone, series and all. Belongs to the loop's thread.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "monitor/cpu_counters.hpp"

namespace aliquot {

// What the jobs of one account add up to at one instant.
struct AccountReading {
  std::int64_t running = 0;
  std::int64_t pending = 0;
  Cpu needed;
  Cpu promised;
  Cpu granted;
  Cpu own;  // of what is granted, in cores of the nodes where it is
};

class AccountSeries {
 public:
  static constexpr std::size_t kMost = 256;
  static constexpr Duration kLinger = seconds(600);

  explicit AccountSeries(MetricFamilies& families) : families_(families) {}

  // To be added to, until tell(); it is 0 after that.
  AccountReading& reading(std::string_view account, Instant now) { return entry(account, now).reading; }
  void used(std::string_view account, const Usage& more, Instant now);
  void tell(Instant now);

 private:
  struct Entry {
    prometheus::Gauge* running = nullptr;
    prometheus::Gauge* pending = nullptr;
    prometheus::Gauge* needed = nullptr;
    prometheus::Gauge* promised = nullptr;
    prometheus::Gauge* granted = nullptr;
    prometheus::Gauge* fairness = nullptr;
    prometheus::Counter* allowed = nullptr;
    prometheus::Counter* promised_time = nullptr;
    CpuCounters used;
    AccountReading reading;
    Cpu own_before;  // granted since the last telling
    Cpu promised_before;
    Instant heard;
  };
  Entry& entry(std::string_view account, Instant now);
  void open(const std::string& label, Entry& entry);
  void remove(const std::string& label);

  MetricFamilies& families_;
  std::map<std::string, Entry, std::less<>> accounts_;  // by label
  Instant told_;
};

}  // namespace aliquot
