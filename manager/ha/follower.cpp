#include "manager/ha/follower.hpp"

#include <chrono>
#include <utility>

namespace aliquot::ha {
namespace {

constexpr auto kLookEvery = std::chrono::milliseconds(200);

// Passes by itself, or when an operator has seen to it.
bool is_passing(const Error& error) {
  return error.kind == ErrorKind::unavailable || error.kind == ErrorKind::timeout ||
         error.kind == ErrorKind::no_space || error.kind == ErrorKind::not_leader;
}

}  // namespace

Result<std::unique_ptr<Follower>> Follower::open(const std::string& store, Parts parts) {
  auto replica = Replica::open(store);
  if (!replica) return tl::unexpected<Error>(replica.error());
  return std::unique_ptr<Follower>(new Follower(std::move(*replica), std::move(parts), store));
}

Follower::Follower(Replica replica, Parts parts, const std::string& store)
    : parts_(std::move(parts)),
      store_(store),
      replica_(std::move(replica)),
      log_(parts_.leadership.etcd, parts_.leadership.keys,
           [this] { return leadership_ && leadership_->surely_leads(); }) {
  state_.batch = replica_.batch();
  thread_ = std::thread([this] { run(); });
}

Follower::~Follower() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  stopped_.notify_all();
  thread_.join();
}

FollowerState Follower::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

Result<std::unique_ptr<Leadership>> Follower::take() {
  const std::lock_guard lock(mutex_);
  if (failed_) return tl::unexpected<Error>(*failed_);
  return std::move(leadership_);
}

void Follower::run() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    lock.unlock();
    const auto progress = look();
    lock.lock();
    state_.trouble = progress ? std::nullopt : std::optional(progress.error());
    const bool failed = !progress && !is_passing(progress.error());
    if (failed) failed_ = progress.error();
    if (failed || (progress && *progress == Progress::leads)) {
      lock.unlock();
      return parts_.ended();
    }
    if (!progress || *progress == Progress::waits)
      stopped_.wait_for(lock, kLookEvery, [this] { return stopping_; });
  }
}

void Follower::note(const LogView& view) {
  const std::lock_guard lock(mutex_);
  state_.leader = view.leader;
  state_.epoch = view.epoch;
  state_.newest = view.newest;
  state_.batch = replica_.batch();
}

Result<Follower::Progress> Follower::look() {
  const auto view = log_.read(replica_.batch());
  if (!view) return tl::unexpected<Error>(view.error());
  note(*view);
  if (auto sound = check_against(*view); !sound) return tl::unexpected<Error>(sound.error());
  if (auto caught_up = catch_up(*view); !caught_up) return tl::unexpected<Error>(caught_up.error());
  note(*view);

  if (replica_.batch() < view->newest) return Progress::goes_on;
  if (view->leader) return Progress::waits;
  return campaign();
}

// A store that is ahead of etcd has acknowledged what the other managers do not know.
Result<void> Follower::check_against(const LogView& view) const {
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

Result<void> Follower::catch_up(const LogView& view) {
  const bool has_gap = !view.next.empty() && view.next.front().number != replica_.batch() + 1;
  if (has_gap || replica_.batch() < view.base) {
    const auto copy = log_.read_base();
    if (!copy) return tl::unexpected<Error>(copy.error());
    return replica_.become(*copy);
  }
  for (const ChangeBatch& batch : view.next)
    if (auto applied = replica_.apply(batch); !applied) return applied;
  return {};
}

Result<Follower::Progress> Follower::campaign() {
  auto won = Leadership::campaign(parts_.leadership);
  if (!won) return tl::unexpected<Error>(won.error());
  if (!*won) return Progress::waits;
  {
    const std::lock_guard lock(mutex_);
    leadership_ = std::move(*won);
  }
  auto completed = complete();
  if (completed) return Progress::leads;
  std::unique_ptr<Leadership> given_up;
  {
    const std::lock_guard lock(mutex_);
    given_up = std::move(leadership_);
  }
  return tl::unexpected<Error>(completed.error());
}

// The last leader may have written until this one was made. From here on no other manager writes.
Result<void> Follower::complete() {
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
    return log_.write_base(leadership_->condition(), *copy);
  }
}

}  // namespace aliquot::ha
