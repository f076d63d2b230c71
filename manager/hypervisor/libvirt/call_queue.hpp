// A queue of blocking calls and a small pool of threads that make them in order. Each call is completed
// exactly once: by its result, by its deadline (counted from the moment at which a thread starts it), or by
// its withdrawal from the queue.
//
// libvirt calls have no timeout, so an overdue call may block its thread for ever. The queue then replaces
// the thread and drops the late result. The number of such stuck threads is bounded; beyond the bound,
// calls are refused until one of them returns. Unlike an ordinary thread pool, stop() never waits for a
// call that does not return.
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
  // Completes the call with this error; false if it is completed already.
  std::function<bool(const Error&)> give_up;
};

class CallQueue : public std::enable_shared_from_this<CallQueue> {
 public:
  // `on_overdue` is called for every call that missed its deadline, after the call was completed.
  using OnOverdue = std::function<void(const QueuedCall&)>;
  static std::shared_ptr<CallQueue> start(std::string name, std::uint32_t threads,
                                          std::shared_ptr<Watchdog> watchdog, OnOverdue on_overdue);

  void push(QueuedCall call);
  // Removes calls that no thread has started; the caller completes them.
  std::vector<QueuedCall> withdraw(const std::function<bool(const QueuedCall&)>& which);
  // Completes the calls that no thread has started with an error, waits at most a second for the others,
  // and abandons those that do not return.
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
  std::uint32_t serving_ = 0;  // threads that make calls
  std::uint32_t stuck_ = 0;    // threads inside an overdue call
  bool stopping_ = false;
};

}  // namespace aliquot
