// That this manager leads: a lease of etcd which a thread keeps alive, and with it the leader's key.
//
// There is one leader: the key is created by a transaction that asks for its absence, and ends with the
// lease. Its create revision is the epoch: greater than those of all leaders before. Whatever must not
// happen after another manager has become leader is either a transaction that asks for this create revision
// (condition()), or done only while surely_leads().
//
// A lease that was not renewed in time is lost for good: `lost` is called once, on a thread of this object,
// at the instant from which another manager may lead.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "manager/ha/etcd_client.hpp"
#include "manager/ha/keys.hpp"
#include "manager/ha/lease_term.hpp"

namespace aliquot::ha {

// The value of the leader's key.
struct LeaderNotice {
  std::string name;
  std::string address;  // where clients reach it
};
[[nodiscard]] std::string encode_leader(const LeaderNotice& leader);
[[nodiscard]] LeaderNotice decode_leader(std::string_view text);  // of something else: without a name

// Of CLOCK_BOOTTIME.
[[nodiscard]] Duration since_boot();

class Leadership {
 public:
  struct Parts {
    EtcdSettings etcd;
    Keys keys;
    LeaderNotice self;
    Duration ttl = seconds(3);  // whole seconds
    std::function<void(const std::string& why)> lost{};
    std::function<Duration()> now = since_boot;
  };
  // Null: another manager leads.
  [[nodiscard]] static Result<std::unique_ptr<Leadership>> campaign(Parts parts);

  Leadership(const Leadership&) = delete;
  Leadership& operator=(const Leadership&) = delete;
  // Gives the leadership up, so that another manager need not wait for the end of the lease.
  ~Leadership();

  [[nodiscard]] std::int64_t epoch() const { return epoch_; }
  // Any thread. Once false, it stays false.
  [[nodiscard]] bool surely_leads() const;
  // Of transactions that only the leader may make.
  [[nodiscard]] CreatedAt condition() const { return {parts_.keys.leader(), epoch_}; }

 private:
  Leadership(Parts parts, std::int64_t lease, std::int64_t epoch, LeaseTerm term);
  void renew();
  void watch();
  void lose(const std::string& why);
  [[nodiscard]] bool wait(Duration span);  // false: it is over

  Parts parts_;
  std::int64_t lease_;
  std::int64_t epoch_;
  mutable std::mutex mutex_;
  std::condition_variable stopped_;
  LeaseTerm term_;  // under the mutex
  bool stopping_ = false;
  std::atomic<bool> lost_{false};
  std::thread renewing_;
  std::thread watching_;
};

}  // namespace aliquot::ha
