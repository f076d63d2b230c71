// Does something when an instant has come, unless it was taken back in time: the deadlines of calls that
// may never return. One thread; what it is given must not block.
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

  Ticket after(std::chrono::microseconds span, std::function<void()> bark);
  // False: too late, it has barked or is about to.
  bool cancel(const Ticket& ticket);
  // Nothing barks from now on. To be called by a thread that is not the watchdog's own.
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
