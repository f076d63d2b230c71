#include "monitor/account_series.hpp"

#include <array>
#include <utility>

namespace aliquot {
namespace {

constexpr std::array kByAccount{
    Metric::account_cpu_needed, Metric::account_cpu_promised, Metric::account_cpu_granted,
    Metric::account_fairness,   Metric::account_cpu_allowed,  Metric::account_cpu_promised_time,
    Metric::account_cpu,        Metric::account_cpu_delay,    Metric::account_cpu_throttled};

// What part of its need it is promised.
double satisfied(const AccountReading& reading) {
  return reading.needed.raw == 0 ? 1 : in_cores(reading.promised) / in_cores(reading.needed);
}

}  // namespace

AccountSeries::Entry& AccountSeries::entry(std::string_view account, Instant now) {
  if (account.empty()) account = "(none)";
  auto found = accounts_.find(account);
  if (found == accounts_.end() && accounts_.size() >= kMost) found = accounts_.find(account = "other");
  if (found == accounts_.end()) {
    found = accounts_.emplace(account, Entry{}).first;
    open(found->first, found->second);
  }
  found->second.heard = now;
  return found->second;
}

void AccountSeries::open(const std::string& label, Entry& entry) {
  const MetricFamilies::Labels account{{"account", label}};
  entry.running = &families_.gauge(Metric::account_jobs, {{"account", label}, {"state", "running"}});
  entry.pending = &families_.gauge(Metric::account_jobs, {{"account", label}, {"state", "pending"}});
  entry.needed = &families_.gauge(Metric::account_cpu_needed, account);
  entry.promised = &families_.gauge(Metric::account_cpu_promised, account);
  entry.granted = &families_.gauge(Metric::account_cpu_granted, account);
  entry.fairness = &families_.gauge(Metric::account_fairness, account);
  entry.allowed = &families_.counter(Metric::account_cpu_allowed, account);
  entry.promised_time = &families_.counter(Metric::account_cpu_promised_time, account);
  entry.used = {
      families_, {Metric::account_cpu, Metric::account_cpu_delay, Metric::account_cpu_throttled}, account};
}

void AccountSeries::remove(const std::string& label) {
  for (const auto* state : {"running", "pending"})
    families_.remove(Metric::account_jobs, {{"account", label}, {"state", state}});
  for (const Metric metric : kByAccount) families_.remove(metric, {{"account", label}});
}

void AccountSeries::used(std::string_view account, const Usage& more, Instant now) {
  entry(account, now).used.add(more);
}

void AccountSeries::tell(Instant now) {
  AccountReading all;
  for (const auto& [label, entry] : accounts_) {
    all.needed += entry.reading.needed;
    all.promised += entry.reading.promised;
  }
  const double usual = satisfied(all);
  const double elapsed = to_seconds(now - told_);
  told_ = now;
  for (auto at = accounts_.begin(); at != accounts_.end();) {
    auto& [label, entry] = *at;
    const AccountReading reading = std::exchange(entry.reading, {});
    entry.running->Set(static_cast<double>(reading.running));
    entry.pending->Set(static_cast<double>(reading.pending));
    entry.needed->Set(in_cores(reading.needed));
    entry.promised->Set(in_cores(reading.promised));
    entry.granted->Set(in_cores(reading.granted));
    entry.fairness->Set(reading.needed.raw == 0 || usual == 0 ? 1 : satisfied(reading) / usual);
    entry.allowed->Increment(in_cores(std::exchange(entry.own_before, reading.own)) * elapsed);
    entry.promised_time->Increment(in_cores(std::exchange(entry.promised_before, reading.promised)) *
                                   elapsed);
    if (now - entry.heard < kLinger) {
      ++at;
    } else {
      remove(label);
      at = accounts_.erase(at);
    }
  }
}

}  // namespace aliquot
