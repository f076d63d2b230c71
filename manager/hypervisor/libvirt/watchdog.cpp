#include "manager/hypervisor/libvirt/watchdog.hpp"

namespace aliquot {

Watchdog::Watchdog() : thread_([this] { run(); }) {}

Watchdog::~Watchdog() { stop(); }

Watchdog::Ticket Watchdog::after(std::chrono::microseconds span, std::function<void()> on_expiry) {
  const std::lock_guard lock(mutex_);
  const Ticket ticket{Clock::now() + span, next_++};
  if (!stopping_) pending_.emplace(ticket, std::move(on_expiry));
  changed_.notify_one();
  return ticket;
}

bool Watchdog::cancel(const Ticket& ticket) {
  const std::lock_guard lock(mutex_);
  return pending_.erase(ticket) > 0;
}

void Watchdog::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    pending_.clear();
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Watchdog::run() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (pending_.empty()) {
      changed_.wait(lock);
      continue;
    }
    const auto first = pending_.begin();
    if (const auto due = first->first.first; Clock::now() < due) {
      changed_.wait_until(lock, due);
      continue;
    }
    const auto on_expiry = std::move(first->second);
    pending_.erase(first);
    lock.unlock();
    on_expiry();
    lock.lock();
  }
}

}  // namespace aliquot
