// The core of a standby (docs/high-availability.md): each step that its store gets goes through the same
// core as on the leader, so that a takeover neither reads nor replays anything.
//
// Its state is what a restart would make of the store, bit for bit. It begins as a restart does, and
// compares itself with each snapshot of the leader; where they differ, the snapshot counts. What this
// version cannot read or replay leaves it cold until the next snapshot: a takeover then reads the store, as
// a restart does.
//
// follow() is called by the thread that changes the store, take() when that has ended.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "config/settings.hpp"
#include "manager/core/scheduler.hpp"
#include "manager/ha/log_follower.hpp"
#include "monitor/log_lines.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

class HotCore {
 public:
  using Say = std::function<void(LogLevel, const std::string&)>;
  // The settings outlive it.
  HotCore(const Settings& settings, Say say) : settings_(settings), say_(std::move(say)) {}

  bool follow(const Db& store, ha::StoreNews news);  // true: it is hot
  // After the newest step of the store; null: it is cold.
  [[nodiscard]] std::unique_ptr<Scheduler> take() { return std::move(scheduler_); }

 private:
  [[nodiscard]] Result<void> catch_up(const Db& store);
  [[nodiscard]] Result<bool> agrees_with_snapshot(const Db& store);
  [[nodiscard]] Result<void> begin(const Db& store);
  [[nodiscard]] Result<void> replay_newer_steps(const Db& store);

  const Settings& settings_;
  const Say say_;
  std::unique_ptr<Scheduler> scheduler_;             // null: cold
  std::optional<std::int64_t> snapshot_;             // the newest that it has seen, by its steps
  std::map<std::int64_t, std::string> own_digests_;  // of its state when snapshots of the leader were due
};

}  // namespace aliquot
