#include "manager/hot_core.hpp"

#include <utility>

#include "manager/clock.hpp"
#include "manager/recovery.hpp"
#include "manager/store/recovery.hpp"
#include "manager/store/state_codec.hpp"
#include "monitor/codec_step.hpp"
#include "monitor/sha256.hpp"

namespace aliquot {

bool HotCore::follow(const Db& store, ha::StoreNews news) {
  if (news == ha::StoreNews::all) {
    scheduler_.reset();
    snapshot_.reset();
    own_digests_.clear();
  }
  const bool was_hot = scheduler_ != nullptr;
  if (const auto done = catch_up(store); !done) {
    scheduler_.reset();
    say_(LogLevel::warning,
         "standby_cold until the next snapshot, a takeover reads the store: " + done.error().message);
  } else if (scheduler_ && !was_hot) {
    say_(LogLevel::info, "standby_hot step=" + std::to_string(scheduler_->cluster().state().steps));
  }
  return scheduler_ != nullptr;
}

Result<void> HotCore::catch_up(const Db& store) {
  const auto newest = store.integer("SELECT ifnull(max(steps), 0) FROM snapshots");
  if (!newest) return tl::unexpected<Error>(newest.error());
  if (std::exchange(snapshot_, *newest) != *newest) {
    const auto agrees = agrees_with_snapshot(store);
    if (!agrees) return tl::unexpected<Error>(agrees.error());
    if (!*agrees) return begin(store);
  }
  return scheduler_ ? replay_newer_steps(store) : Result<void>();
}

// False also if it was never in the state after that step, since a snapshot can come in one batch with it.
Result<bool> HotCore::agrees_with_snapshot(const Db& store) {
  const auto own = own_digests_.find(*snapshot_);
  if (!scheduler_ || own == own_digests_.end()) return false;
  auto rows = store.prepare("SELECT json FROM snapshots WHERE steps = ?");
  if (!rows) return tl::unexpected<Error>(rows.error());
  const auto row = rows->bind(*snapshot_).step();
  if (!row) return tl::unexpected<Error>(row.error());
  const bool agrees = *row && sha256_hex(rows->text(0)) == own->second;
  own_digests_.erase(own_digests_.begin(), std::next(own));
  if (!agrees)
    say_(LogLevel::warning,
         "standby_differs step=" + std::to_string(*snapshot_) +
             " from the leader, whose snapshot counts: please report it, unless they are "
             "of different versions");
  return agrees;
}

Result<void> HotCore::begin(const Db& store) {
  own_digests_.clear();
  scheduler_.reset();  // two of them would not be needed
  auto recovered = read_state(store);
  if (!recovered) return tl::unexpected<Error>(recovered.error());
  auto made = recover_scheduler(std::move(*recovered), settings_, LiveClock::stopwatch_ns);
  if (!made) return tl::unexpected<Error>(made.error());
  scheduler_ = std::move(*made);
  return {};
}

Result<void> HotCore::replay_newer_steps(const Db& store) {
  auto rows = store.prepare("SELECT number, json FROM steps WHERE number > ? ORDER BY number");
  if (!rows) return tl::unexpected<Error>(rows.error());
  const CoreState& state = scheduler_->cluster().state();
  rows->bind(static_cast<std::int64_t>(state.steps));
  for (;;) {
    const auto row = rows->step();
    if (!row) return tl::unexpected<Error>(row.error());
    if (!*row) return {};
    const std::int64_t number = rows->integer(0);
    const auto said = "step " + std::to_string(number) + ": ";
    if (number != static_cast<std::int64_t>(state.steps) + 1)
      return fail(ErrorKind::refused, said + "it came after step " + std::to_string(state.steps));
    const auto step = decode_step(rows->text(1));
    if (!step) return fail(step.error().kind, said + step.error().message);
    if (auto done = scheduler_->replay(*step); !done)
      return fail(done.error().kind, said + done.error().message);
    if (number % kSnapshotEvery == 0) own_digests_[number] = sha256_hex(encode_state(state));
  }
}

}  // namespace aliquot
