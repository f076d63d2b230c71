// A queue of calls and the few threads that make them, one after another. Each call is completed exactly
// once: by itself, by its deadline (counted from when it is begun), or by being taken out of the queue.
//
// A call that is overdue has lost its thread to the other side: the queue goes on with a new one, and the
// late answer is dropped. So many threads may be lost; after that calls are refused until one comes back.
// Not an ordinary thread pool: stop() never waits for a call that does not return.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "manager/hypervisor/libvirt/watchdog.hpp"
#include "manager/hypervisor/vm_identity.hpp"
#include "policies/model/error.hpp"
#include "policies/model/time.hpp"

namespace aliquot {

struct QueuedCall {
  OpId op;
  Uuid vm{};
  std::string what;   // for messages: "save aliquot-7.0-1"
  Duration deadline;  // 0: none
  std::function<void()> run;
  // Settles the call with this error; false if it is completed already.
  std::function<bool(const Error&)> give_up;
};

class CallQueue : public std::enable_shared_from_this<CallQueue> {
 public:
  // on_overdue is told of every call that missed its deadline, after that call was completed.
  using OnOverdue = std::function<void(const QueuedCall&)>;
  static std::shared_ptr<CallQueue> start(std::string name, std::uint32_t threads,
                                          std::shared_ptr<Watchdog> watchdog, OnOverdue on_overdue);

  void push(QueuedCall call);
  // Takes what has not begun out of the queue; the caller settles it.
  std::vector<QueuedCall> withdraw(const std::function<bool(const QueuedCall&)>& which);
  // Gives up what has not begun, waits a moment for the rest, and lets go of what does not return.
  void stop();

 private:
  struct Turn;
  CallQueue(std::string name, std::uint32_t threads, std::shared_ptr<Watchdog> watchdog,
            OnOverdue on_overdue);
  void spawn();
  void work();
  void overdue(const std::shared_ptr<Turn>& turn);
  void give_up_queue(std::unique_lock<std::mutex>& lock, const Error& why);

  const std::string name_;
  const std::uint32_t threads_;
  const std::shared_ptr<Watchdog> watchdog_;
  const OnOverdue on_overdue_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<QueuedCall> queue_;
  std::uint32_t serving_ = 0;  // threads that take calls
  std::uint32_t stuck_ = 0;    // threads inside an overdue call
  bool stopping_ = false;
};

}  // namespace aliquot
