#include "manager/ha/member_watch.hpp"

#include <chrono>
#include <utility>

namespace aliquot::ha {

MemberWatch::MemberWatch(std::function<Statuses()> ask, Duration every)
    : ask_(std::move(ask)), thread_([this, every] { run(every); }) {}

MemberWatch::~MemberWatch() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  stopped_.notify_all();
  thread_.join();
}

MemberWatch::Statuses MemberWatch::newest() const {
  const std::lock_guard lock(mutex_);
  return newest_;
}

void MemberWatch::run(Duration every) {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    lock.unlock();
    Statuses asked = ask_();
    lock.lock();
    newest_ = std::move(asked);
    stopped_.wait_for(lock, std::chrono::microseconds(every.raw), [this] { return stopping_; });
  }
}

}  // namespace aliquot::ha
