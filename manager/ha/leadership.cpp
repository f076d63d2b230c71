#include "manager/ha/leadership.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace aliquot::ha {
namespace {

// How long a step of the watch is at most: what is noticed late of a process that stood still.
constexpr Duration kLookEvery{50'000};

}  // namespace

Result<std::unique_ptr<Leadership>> Leadership::campaign(LeaderLease::Parts parts, Lost lost) {
  auto lease = LeaderLease::campaign(std::move(parts));
  if (!lease) return tl::unexpected<Error>(lease.error());
  if (!*lease) return nullptr;
  return std::make_unique<Leadership>(std::move(*lease), std::move(lost));
}

Leadership::Leadership(std::shared_ptr<LeaderLease> lease, Lost lost)
    : lease_(std::move(lease)), tell_(std::move(lost)) {
  renewing_ = std::thread([this] { renew(); });
  watching_ = std::thread([this] { watch(); });
}

Leadership::~Leadership() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  stopped_.notify_all();
  renewing_.join();
  watching_.join();
}

bool Leadership::wait(Duration span) {
  std::unique_lock lock(mutex_);
  stopped_.wait_for(lock, std::chrono::microseconds(std::max<std::int64_t>(span.raw, 0)),
                    [this] { return stopping_; });
  return !stopping_ && !lost_;
}

void Leadership::renew() {
  const Duration ttl = lease_->parts().ttl;
  // One member that does not answer must leave time for the others.
  const auto etcd = lease_->parts().etcd(Duration{std::min(kUsualPatience.raw, ttl.raw / 4)});
  for (auto last = Renewal::granted; wait(lease_->until_next(last));) {
    last = lease_->renew(*etcd);
    if (last == Renewal::ended) return lose("etcd has ended the lease");
  }
}

void Leadership::watch() {
  for (;;) {
    const Duration left = lease_->left();
    if (left.raw <= 0) return lose("the lease could not be renewed in time");
    if (!wait(std::min(left, kLookEvery))) return;
  }
}

void Leadership::lose(const std::string& why) {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(lost_, true)) return;
  }
  if (tell_) tell_(why);
}

}  // namespace aliquot::ha
