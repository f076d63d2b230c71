// A manager that stands by: its store follows the log in etcd, and when no manager leads and it has all of
// the log, it campaigns (log_follower.hpp).
//
// Works on a thread of its own. The store is locked until this is destroyed; then it can be opened as that
// of the leader.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "manager/ha/leadership.hpp"
#include "manager/ha/log_follower.hpp"
#include "manager/ha/presence.hpp"

namespace aliquot::ha {

class Follower {
 public:
  struct Parts {
    LeaderLease::Parts leadership;
    Leadership::Lost lost;
    std::function<void()>
        ended;  // called once, on the follower's thread, when take() has something to give
    // As of LogFollower, on the follower's thread.
    std::function<bool(const Db& store, StoreNews)> changed = [](const Db&, StoreNews) { return false; };
  };
  [[nodiscard]] static Result<std::unique_ptr<Follower>> open(const std::string& store, Parts parts);
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;
  ~Follower();

  [[nodiscard]] FollowerState state() const;
  // How it ended: this manager leads, and its store has all batches; or it cannot go on. Once.
  [[nodiscard]] Result<std::unique_ptr<Leadership>> take();

 private:
  explicit Follower(Parts parts);
  void begin(std::unique_ptr<LogFollower> log);
  void run();
  [[nodiscard]] Result<LogFollower::Progress> look();

  const Parts parts_;
  Presence presence_;
  std::unique_ptr<LogFollower> log_;
  std::unique_ptr<Leadership> leadership_;
  std::optional<Error> failed_;

  mutable std::mutex mutex_;
  std::condition_variable stopped_;
  FollowerState state_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace aliquot::ha
