// The one thread that talks to libxl: it owns the context, runs libxl's event loop and has set how libxl
// treats SIGCHLD (it reaps its own children and no others). Long operations are asynchronous: while one VM
// is being saved, others are created, capped and destroyed. An operation that never completes costs its own
// VM. A call that libxl makes synchronously (questions to the hypervisor and to xenstored, building a
// domain) holds up the loop.
//
// post() may be called on any thread, all else only on the loop's.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "manager/hypervisor/descriptor.hpp"
#include "manager/hypervisor/libxl/libxl_api.hpp"
#include "policies/model/error.hpp"
#include "policies/model/time.hpp"

namespace aliquot {

// A domain that was watched has shut down or is gone.
struct DomainEnd {
  std::uint32_t domain = 0;
  bool is_gone = false;                                          // destroyed; else it has shut down
  libxl_shutdown_reason reason = LIBXL_SHUTDOWN_REASON_UNKNOWN;  // unless it is gone
};

class XenLoop {
 public:
  using OnEnd = std::function<void(const DomainEnd&)>;
  // ErrorKind::unavailable: no Xen runs here, or its daemons do not.
  [[nodiscard]] static Result<std::unique_ptr<XenLoop>> start(OnEnd on_end);
  // Lets operations under way complete for at most `kPatience`, then abandons them.
  ~XenLoop();
  XenLoop(const XenLoop&) = delete;
  XenLoop& operator=(const XenLoop&) = delete;

  void post(std::function<void()> work);

  [[nodiscard]] libxl_ctx* context() const { return context_; }
  [[nodiscard]] xs_handle* store() const { return store_; }
  // libxl's last error message; of any operation.
  [[nodiscard]] const std::string& last_word() const { return log_.last; }

  void after(Duration span, std::function<void()> work);

  // Does `work`, which takes long and does not touch libxl, on a thread of its own; then `done` on the
  // loop's.
  void apart(std::function<void()> work, std::function<void()> done);

  // Begins an operation of libxl, and calls `finished` once with its return code. `begin` passes its
  // argument to libxl and returns what that returned. What libxl uses until the end belongs into
  // `finished`.
  void run(const std::function<int(const libxl_asyncop_how*)>& begin, std::function<void(int)> finished);

 private:
  struct Log {
    xentoollog_logger table{};  // first: libxl passes its address
    std::string last;
  };
  struct Operation {
    XenLoop* loop;
    std::uint64_t number;
  };
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kPatience{20};

  explicit XenLoop(OnEnd on_end) : on_end_(std::move(on_end)) {}
  Result<void> open();
  void work();
  void make_due();
  void poll_once();
  [[nodiscard]] int milliseconds_to_wait();
  [[nodiscard]] bool is_over(Clock::time_point& deadline);
  static void log(xentoollog_logger* logger, xentoollog_level level, int error, const char* context,
                  const char* format, va_list arguments) __attribute__((format(printf, 5, 0)));
  static void completed(libxl_ctx* context, int code, void* operation);
  static void occurred(void* loop, libxl_event* event);

  const OnEnd on_end_;
  Log log_;
  libxl_ctx* context_ = nullptr;
  xs_handle* store_ = nullptr;
  libxl_event_hooks hooks_{};
  Descriptor wake_;
  std::deque<std::function<void()>> ready_;  // of the loop's own thread
  std::multimap<Clock::time_point, std::function<void()>> timers_;
  std::map<std::uint64_t, std::function<void(int)>> operations_;
  std::map<std::uint64_t, std::thread> apart_;  // of operations that are not of libxl
  std::uint64_t last_operation_ = 0;

  std::mutex mutex_;
  std::deque<std::function<void()>> posted_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace aliquot
