#include "manager/ha/log_follower.hpp"

#include <utility>

namespace aliquot::ha {

Result<std::unique_ptr<LogFollower>> LogFollower::open(const std::string& store, Parts parts) {
  auto replica = Replica::open(store);
  if (!replica) return tl::unexpected<Error>(replica.error());
  return std::unique_ptr<LogFollower>(new LogFollower(std::move(*replica), std::move(parts), store));
}

LogFollower::LogFollower(Replica replica, Parts parts, const std::string& store)
    : parts_(std::move(parts)),
      store_(store),
      replica_(std::move(replica)),
      log_(parts_.leadership.etcd, parts_.leadership.keys,
           [this] { return lease_ && lease_->surely_leads(); }) {}

void LogFollower::tell(const LogView& view) const {
  parts_.told({view.leader, view.epoch, replica_.batch(), view.newest, is_hot_, {}});
}

Result<LogFollower::Progress> LogFollower::look() {
  const auto view = log_.read(replica_.batch());
  if (!view) return tl::unexpected<Error>(view.error());
  tell(*view);
  if (auto sound = check_against(*view); !sound) return tl::unexpected<Error>(sound.error());
  if (!std::exchange(has_told_all_, true)) tell_changed(StoreNews::all);
  if (auto caught_up = catch_up(*view); !caught_up) return tl::unexpected<Error>(caught_up.error());
  tell(*view);

  if (replica_.batch() < view->newest) return Progress::goes_on;
  if (view->leader) return Progress::waits;
  return campaign();
}

// A store that is ahead of etcd has acknowledged what the other managers do not know.
Result<void> LogFollower::check_against(const LogView& view) const {
  const bool was_used_alone = replica_.batch() == 0 && !replica_.cluster().empty();
  if (was_used_alone && !view.is_empty())
    return fail(
        ErrorKind::refused,
        "store " + store_ +
            " was used by one manager alone, and etcd has a log: set the store aside to follow the log, "
            "or remove all keys at ha.prefix to go on with the store");
  const bool is_only_begun = view.is_empty() && replica_.batch() == 1;
  if (replica_.batch() <= view.newest || is_only_begun) return {};
  return fail(ErrorKind::refused, "store " + store_ + " has batch " + std::to_string(replica_.batch()) +
                                      ", etcd only " + std::to_string(view.newest) +
                                      ": etcd has lost what it had, or ha.prefix is of another cluster "
                                      "(docs/high-availability.md says how to go on with this store)");
}

Result<void> LogFollower::catch_up(const LogView& view) {
  const bool has_gap = !view.next.empty() && view.next.front().number != replica_.batch() + 1;
  if (has_gap || replica_.batch() < view.base) {
    const auto copy = log_.read_base();
    if (!copy) return tl::unexpected<Error>(copy.error());
    if (auto replaced = replica_.become(*copy); !replaced) return replaced;
    tell_changed(StoreNews::all);
    return {};
  }
  for (const ChangeBatch& batch : view.next) {
    if (auto applied = replica_.apply(batch); !applied) return applied;
    tell_changed(StoreNews::batch);
  }
  return {};
}

Result<LogFollower::Progress> LogFollower::campaign() {
  auto won = LeaderLease::campaign(parts_.leadership);
  if (!won) return tl::unexpected<Error>(won.error());
  if (!*won) return Progress::waits;
  lease_ = std::move(*won);
  parts_.won(lease_);
  auto completed = complete();
  if (completed) return Progress::leads;
  lease_.reset();
  return tl::unexpected<Error>(completed.error());
}

// The last leader may have written until this one was made. From here on no other manager writes.
Result<void> LogFollower::complete() {
  for (;;) {
    const auto view = log_.read(replica_.batch());
    if (!view) return tl::unexpected<Error>(view.error());
    if (auto sound = check_against(*view); !sound) return sound;
    if (auto caught_up = catch_up(*view); !caught_up) return caught_up;
    if (replica_.batch() < view->newest) continue;
    if (!view->is_empty() || replica_.cluster().empty()) return {};
    // The first leader on this etcd, with a store that one manager alone has used: the others need it.
    if (auto begun = replica_.begin(); !begun) return begun;
    const auto copy = copy_of_store(store_);
    if (!copy) return tl::unexpected<Error>(copy.error());
    return log_.write_base(lease_->condition(), *copy);
  }
}

}  // namespace aliquot::ha
