// Timers for the deadlines of calls that may never return: runs a callback after a time span, unless it was
// cancelled before. One thread for all timers; callbacks must not block.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

namespace aliquot {

class Watchdog {
 public:
  using Clock = std::chrono::steady_clock;
  using Ticket = std::pair<Clock::time_point, std::uint64_t>;

  Watchdog();
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  Ticket after(std::chrono::microseconds span, std::function<void()> on_expiry);
  // False: too late, the callback has run or is about to run.
  bool cancel(const Ticket& ticket);
  // No callback runs after this. Must not be called from a callback.
  void stop();

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<Ticket, std::function<void()>> pending_;
  std::uint64_t next_ = 0;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace aliquot
