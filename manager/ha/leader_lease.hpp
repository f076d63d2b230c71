// That this manager leads: a lease of etcd, and with it the leader's key.
//
// There is one leader: the key is created by a transaction that asks for its absence, and ends with the
// lease. Its create revision is the epoch: greater than those of all leaders before. Whatever must not
// happen after another manager has become leader is either a transaction that asks for this create revision
// (condition()), or done only while surely_leads().
//
// Has no thread: leadership.hpp renews it in time.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "manager/ha/etcd.hpp"
#include "manager/ha/keys.hpp"
#include "manager/ha/lease_term.hpp"

namespace aliquot::ha {

// The value of the leader's key.
struct LeaderNotice {
  std::string name;
  std::string address;             // where clients reach it
  std::int64_t since_unix_us = 0;  // 0: not known
};
[[nodiscard]] std::string encode_leader(const LeaderNotice& leader);
[[nodiscard]] LeaderNotice decode_leader(std::string_view text);  // of something else: without a name

// Of CLOCK_BOOTTIME.
[[nodiscard]] Duration since_boot();

enum class Renewal : std::uint8_t {
  granted,
  unheard,  // etcd did not answer, which is no loss yet, or too late
  ended,    // etcd has ended the lease
};

class LeaderLease {
 public:
  struct Parts {
    OpenEtcd etcd;
    Keys keys;
    LeaderNotice self;
    Duration ttl = seconds(3);  // whole seconds
    std::function<Duration()> now = since_boot;
  };
  // Null: another manager leads, or the lease ended before it could be used.
  [[nodiscard]] static Result<std::shared_ptr<LeaderLease>> campaign(Parts parts);
  LeaderLease(const LeaderLease&) = delete;
  LeaderLease& operator=(const LeaderLease&) = delete;
  // Gives the leadership up, so that another manager need not wait for the end of the lease.
  ~LeaderLease();

  [[nodiscard]] const Parts& parts() const { return parts_; }
  [[nodiscard]] std::int64_t epoch() const { return epoch_; }
  // Any thread. Once false, it stays false.
  [[nodiscard]] bool surely_leads() const { return left().raw > 0; }
  // Until then it surely leads without a further renewal; 0: it is lost for good.
  [[nodiscard]] Duration left() const;
  // Of transactions that only the leader may make.
  [[nodiscard]] CreatedAt condition() const { return {parts_.keys.leader(), epoch_}; }
  [[nodiscard]] Renewal renew(Etcd& etcd);
  // How long to wait after that for the next one: a third of the lease's time, or much less where etcd was
  // not heard: so the lease outlasts an outage of about half its time, such as an election in etcd.
  [[nodiscard]] Duration until_next(Renewal last) const {
    return Duration{parts_.ttl.raw / (last == Renewal::unheard ? 30 : 3)};
  }

 private:
  LeaderLease(Parts parts, std::int64_t lease, std::int64_t epoch, LeaseTerm term)
      : parts_(std::move(parts)), lease_(lease), epoch_(epoch), term_(term) {}

  const Parts parts_;
  const std::int64_t lease_;
  const std::int64_t epoch_;
  mutable std::mutex mutex_;
  LeaseTerm term_;  // under the mutex
  mutable std::atomic<bool> lost_{false};
};

}  // namespace aliquot::ha
