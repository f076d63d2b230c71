#include "manager/hypervisor/libvirt/call_queue.hpp"

#include <exception>
#include <thread>
#include <utility>

namespace aliquot {
namespace {

constexpr std::uint32_t kStuckAtMost = 8;
constexpr std::chrono::seconds kStopPatience{1};

}  // namespace

// One call that a thread is making; `lost` is guarded by the queue's mutex.
struct CallQueue::Turn {
  QueuedCall call;
  bool done = false;
  bool lost = false;
};

CallQueue::CallQueue(std::string name, std::uint32_t threads, std::shared_ptr<Watchdog> watchdog,
                     OnOverdue on_overdue)
    : name_(std::move(name)),
      threads_(threads),
      watchdog_(std::move(watchdog)),
      on_overdue_(std::move(on_overdue)) {}

std::shared_ptr<CallQueue> CallQueue::start(std::string name, std::uint32_t threads,
                                            std::shared_ptr<Watchdog> watchdog, OnOverdue on_overdue) {
  std::shared_ptr<CallQueue> queue(
      new CallQueue(std::move(name), threads, std::move(watchdog), std::move(on_overdue)));
  const std::lock_guard lock(queue->mutex_);
  for (std::uint32_t i = 0; i < threads; ++i) queue->spawn();
  return queue;
}

// The mutex is held. The thread is detached and shares ownership of the queue, because it may be stuck for
// ever.
void CallQueue::spawn() {
  ++serving_;
  std::thread([self = shared_from_this()] { self->work(); }).detach();
}

void CallQueue::push(QueuedCall call) {
  std::unique_lock lock(mutex_);
  if (stopping_) {
    lock.unlock();
    call.give_up({ErrorKind::unavailable, "the manager is stopping; cannot " + call.what});
    return;
  }
  if (serving_ == 0) {
    lock.unlock();
    call.give_up(
        {ErrorKind::unavailable, name_ + ": cannot " + call.what + ": " + std::to_string(kStuckAtMost) +
                                     " earlier calls have not returned; look after libvirtd there"});
    return;
  }
  queue_.push_back(std::move(call));
  changed_.notify_one();
}

std::vector<QueuedCall> CallQueue::withdraw(const std::function<bool(const QueuedCall&)>& which) {
  const std::lock_guard lock(mutex_);
  std::vector<QueuedCall> taken;
  std::erase_if(queue_, [&](QueuedCall& call) {
    if (!which(call)) return false;
    taken.push_back(std::move(call));
    return true;
  });
  return taken;
}

void CallQueue::stop() {
  std::unique_lock lock(mutex_);
  stopping_ = true;
  changed_.notify_all();
  give_up_queue(lock, {ErrorKind::unavailable, "the manager is stopping"});
  changed_.wait_for(lock, kStopPatience, [&] { return serving_ == 0; });
}

void CallQueue::give_up_queue(std::unique_lock<std::mutex>& lock, const Error& why) {
  std::deque<QueuedCall> queue;
  queue.swap(queue_);
  lock.unlock();
  for (const QueuedCall& call : queue) call.give_up(why);
  lock.lock();
}

void CallQueue::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return stopping_ || !queue_.empty(); });
    if (stopping_) break;
    auto turn = std::make_shared<Turn>();
    turn->call = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();

    Watchdog::Ticket ticket{};
    if (turn->call.deadline.raw > 0) {
      ticket = watchdog_->after(std::chrono::microseconds(turn->call.deadline.raw),
                                [self = shared_from_this(), turn] { self->overdue(turn); });
    }
    try {
      turn->call.run();
    } catch (const std::exception& fault) {
      turn->call.give_up({ErrorKind::internal, name_ + ": " + turn->call.what + ": " + fault.what()});
    }
    watchdog_->cancel(ticket);
    turn->call.run = nullptr;  // releases what the call owns

    lock.lock();
    turn->done = true;
    if (turn->lost) {
      --stuck_;
      if (serving_ >= threads_) return;
      ++serving_;
    }
  }
  --serving_;
  changed_.notify_all();
}

// On the watchdog's thread.
void CallQueue::overdue(const std::shared_ptr<Turn>& turn) {
  const Error why{ErrorKind::timeout,
                  name_ + ": no answer within " + std::to_string(turn->call.deadline.raw / kMillion) +
                      " s to: " + turn->call.what + "; what came of it is unclear until inspected"};
  if (!turn->call.give_up(why)) return;
  {
    std::unique_lock lock(mutex_);
    if (turn->done || stopping_) return;
    turn->lost = true;
    ++stuck_;
    --serving_;
    if (stuck_ <= kStuckAtMost) {
      spawn();
    } else if (serving_ == 0) {
      give_up_queue(lock, {ErrorKind::unavailable, name_ + ": too many calls have not returned"});
    }
  }
  on_overdue_(turn->call);
}

}  // namespace aliquot
