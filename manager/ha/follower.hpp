// A manager that stands by: its store follows the log in etcd, and when no manager leads and it has all of
// the log, it campaigns.
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
#include "manager/ha/shared_log.hpp"
#include "manager/store/replica.hpp"

namespace aliquot::ha {

// What a standby says of itself.
struct FollowerState {
  std::optional<LeaderNotice> leader;  // none: no manager leads
  std::int64_t epoch = 0;
  std::uint64_t batch = 0;       // the newest that its store has
  std::uint64_t newest = 0;      // the newest in etcd
  std::optional<Error> trouble;  // why it does not follow now
};

class Follower {
 public:
  struct Parts {
    Leadership::Parts leadership;
    std::function<void()>
        ended;  // called once, on the follower's thread, when take() has something to give
  };
  [[nodiscard]] static Result<std::unique_ptr<Follower>> open(const std::string& store, Parts parts);
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;
  ~Follower();

  [[nodiscard]] FollowerState state() const;
  // How it ended: this manager leads, and its store has all batches; or it cannot go on. Once.
  [[nodiscard]] Result<std::unique_ptr<Leadership>> take();

 private:
  enum class Progress { waits, goes_on, leads };
  Follower(Replica replica, Parts parts, const std::string& store);
  void run();
  [[nodiscard]] Result<Progress> look();
  [[nodiscard]] Result<void> catch_up(const LogView& view);
  [[nodiscard]] Result<void> check_against(const LogView& view) const;
  [[nodiscard]] Result<Progress> campaign();
  [[nodiscard]] Result<void> complete();
  void note(const LogView& view);

  Parts parts_;
  std::string store_;
  Replica replica_;
  SharedLog log_;
  std::unique_ptr<Leadership> leadership_;
  std::optional<Error> failed_;

  mutable std::mutex mutex_;
  std::condition_variable stopped_;
  FollowerState state_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace aliquot::ha
