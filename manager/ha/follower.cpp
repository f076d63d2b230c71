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
  std::unique_ptr<Follower> made(new Follower(std::move(parts)));
  auto log = LogFollower::open(store, {made->parts_.leadership,
                                       [self = made.get()](const std::shared_ptr<LeaderLease>& lease) {
                                         self->leadership_ =
                                             std::make_unique<Leadership>(lease, self->parts_.lost);
                                       },
                                       [self = made.get()](const FollowerState& state) {
                                         const std::lock_guard lock(self->mutex_);
                                         self->state_ = state;
                                       },
                                       made->parts_.changed});
  if (!log) return tl::unexpected<Error>(log.error());
  made->begin(std::move(*log));
  return made;
}

Follower::Follower(Parts parts)
    : parts_(std::move(parts)),
      presence_(parts_.leadership.etcd, parts_.leadership.keys, parts_.leadership.self) {}

void Follower::begin(std::unique_ptr<LogFollower> log) {
  log_ = std::move(log);
  state_.batch = log_->batch();
  thread_ = std::thread([this] { run(); });
}

Follower::~Follower() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  stopped_.notify_all();
  if (thread_.joinable()) thread_.join();
}

FollowerState Follower::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

Result<std::unique_ptr<Leadership>> Follower::take() {
  const std::lock_guard lock(mutex_);
  if (failed_) return tl::unexpected<Error>(*failed_);
  static_cast<void>(log_->take_lease());  // which the leadership has, too
  return std::move(leadership_);
}

Result<LogFollower::Progress> Follower::look() {
  auto progress = log_->look();
  if (!progress) leadership_.reset();
  if (progress && *progress == LogFollower::Progress::waits) presence_.tell(log_->batch(), log_->is_hot());
  return progress;
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
    if (failed || (progress && *progress == LogFollower::Progress::leads)) {
      lock.unlock();
      return parts_.ended();
    }
    if (!progress || *progress == LogFollower::Progress::waits)
      stopped_.wait_for(lock, kLookEvery, [this] { return stopping_; });
  }
}

}  // namespace aliquot::ha
