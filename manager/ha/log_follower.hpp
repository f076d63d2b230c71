// A store that follows the log in etcd, step by step, and campaigns when no manager leads and it has all of
// the log. Has no thread: follower.hpp makes the steps.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "manager/ha/leader_lease.hpp"
#include "manager/ha/shared_log.hpp"
#include "manager/store/replica.hpp"

namespace aliquot::ha {

// What a standby says of itself.
struct FollowerState {
  std::optional<LeaderNotice> leader;  // none: no manager leads
  std::int64_t epoch = 0;
  std::uint64_t batch = 0;       // the newest that its store has
  std::uint64_t newest = 0;      // the newest in etcd
  bool is_hot = false;           // as LogFollower::Parts::changed said last
  std::optional<Error> trouble;  // why it does not follow now
};

// What of a store is new: what one more batch has changed, or all of it, since a copy has taken its place
// or it has not been told of before.
enum class StoreNews : std::uint8_t { batch, all };

class LogFollower {
 public:
  struct Parts {
    LeaderLease::Parts leadership;
    // It has won: from here on the lease is to be renewed, which the rest of the log may outlast.
    std::function<void(const std::shared_ptr<LeaderLease>&)> won;
    std::function<void(const FollowerState&)> told = [](const FollowerState&) {};
    // After each change of the store, and once before the first. True: with this store a takeover reads and
    // replays nothing (manager/hot_core.hpp).
    std::function<bool(const Db& store, StoreNews)> changed = [](const Db&, StoreNews) { return false; };
  };
  // The store is locked until this is destroyed.
  [[nodiscard]] static Result<std::unique_ptr<LogFollower>> open(const std::string& store, Parts parts);
  LogFollower(const LogFollower&) = delete;
  LogFollower& operator=(const LogFollower&) = delete;

  enum class Progress { waits, goes_on, leads };
  // After an error it holds no lease.
  [[nodiscard]] Result<Progress> look();
  [[nodiscard]] std::uint64_t batch() const { return replica_.batch(); }
  [[nodiscard]] bool is_hot() const { return is_hot_; }
  // After Progress::leads.
  [[nodiscard]] std::shared_ptr<LeaderLease> take_lease() { return std::move(lease_); }
  // The log is no more: the store is that of one manager alone.
  [[nodiscard]] Result<void> go_on_alone() { return replica_.go_on_alone(); }

 private:
  LogFollower(Replica replica, Parts parts, const std::string& store);
  [[nodiscard]] Result<void> catch_up(const LogView& view);
  [[nodiscard]] Result<void> check_against(const LogView& view) const;
  [[nodiscard]] Result<Progress> campaign();
  [[nodiscard]] Result<void> complete();
  void tell(const LogView& view) const;
  void tell_changed(StoreNews news) { is_hot_ = parts_.changed(replica_.db(), news); }

  const Parts parts_;
  const std::string store_;
  Replica replica_;
  SharedLog log_;
  std::shared_ptr<LeaderLease> lease_;
  bool has_told_all_ = false;
  bool is_hot_ = false;
};

}  // namespace aliquot::ha
