#include "manager/hypervisor/libxl/xen_loop.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/time.h>

#include <cstdarg>
#include <cstdio>
#include <vector>

namespace aliquot {
namespace {

// Must outlast every context.
const libxl_childproc_hooks kReapOwnChildren = {libxl_sigchld_owner_libxl_always_selective_reap, nullptr,
                                                nullptr};

timeval wall_clock() {
  timeval now{};
  ::gettimeofday(&now, nullptr);
  return now;
}

}  // namespace

Result<std::unique_ptr<XenLoop>> XenLoop::start(OnEnd on_end) {
  std::unique_ptr<XenLoop> loop(new XenLoop(std::move(on_end)));
  if (auto opened = loop->open(); !opened) return tl::unexpected(opened.error());
  loop->thread_ = std::thread([self = loop.get()] { self->work(); });
  return loop;
}

Result<void> XenLoop::open() {
  log_.table.vmessage = &XenLoop::log;
  log_.table.destroy = [](xentoollog_logger*) {};
  wake_ = Descriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake_.is_open()) return fail(ErrorKind::internal, "no event descriptor is to be had");
  if (libxl_ctx_alloc(&context_, LIBXL_VERSION, 0, &log_.table) != 0) {
    context_ = nullptr;
    return fail(ErrorKind::unavailable, "Xen does not answer here (" + log_.last +
                                            "); boot the machine under Xen, as root in its dom0");
  }
  libxl_childproc_setmode(context_, &kReapOwnChildren, nullptr);
  hooks_.event_occurs_mask = LIBXL_EVENTMASK_ALL;
  hooks_.event_occurs = &XenLoop::occurred;
  hooks_.disaster = [](void*, libxl_event_type, const char*, int) {};  // what libxl logs of it is kept
  libxl_event_register_callbacks(context_, &hooks_, this);
  store_ = xs_open(0);
  if (store_ == nullptr)
    return fail(ErrorKind::unavailable, "xenstored does not answer; start Xen's daemons on this node");
  return {};
}

XenLoop::~XenLoop() {
  if (thread_.joinable()) {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    post([] {});
    thread_.join();
  }
  for (auto& [number, thread] : apart_) thread.join();
  if (context_ != nullptr) libxl_ctx_free(context_);
  if (store_ != nullptr) xs_close(store_);
}

void XenLoop::post(std::function<void()> work) {
  const std::lock_guard lock(mutex_);
  posted_.push_back(std::move(work));
  (void)::eventfd_write(wake_.get(), 1);
}

void XenLoop::after(Duration span, std::function<void()> work) {
  timers_.emplace(Clock::now() + std::chrono::microseconds(span.raw), std::move(work));
}

void XenLoop::run(const std::function<int(const libxl_asyncop_how*)>& begin,
                  std::function<void(int)> finished) {
  const std::uint64_t number = ++last_operation_;
  operations_.emplace(number, std::move(finished));
  libxl_asyncop_how how{};
  how.callback = &XenLoop::completed;
  how.u.for_callback = new Operation{this, number};  // completed() deletes it
  if (const int code = begin(&how); code != 0) completed(context_, code, how.u.for_callback);
}

void XenLoop::apart(std::function<void()> work, std::function<void()> done) {
  const std::uint64_t number = ++last_operation_;
  operations_.emplace(number, [this, number, done = std::move(done)](int) {
    apart_.extract(number).mapped().join();
    done();
  });
  apart_[number] = std::thread([this, number, work = std::move(work)] {
    work();
    post([this, number] { operations_.extract(number).mapped()(0); });
  });
}

// libxl may call this within the call that begins the operation: the answer waits for the loop.
void XenLoop::completed(libxl_ctx*, int code, void* operation) {
  const std::unique_ptr<Operation> done(static_cast<Operation*>(operation));
  XenLoop& loop = *done->loop;
  loop.ready_.push_back([&loop, code, number = done->number] {
    auto finished = loop.operations_.extract(number);
    if (finished) finished.mapped()(code);
  });
}

void XenLoop::occurred(void* user, libxl_event* event) {
  auto& loop = *static_cast<XenLoop*>(user);
  DomainEnd end;
  end.domain = event->domid;
  end.is_gone = event->type == LIBXL_EVENT_TYPE_DOMAIN_DEATH;
  const bool has_shut_down = event->type == LIBXL_EVENT_TYPE_DOMAIN_SHUTDOWN;
  if (has_shut_down)
    end.reason = static_cast<libxl_shutdown_reason>(event->u.domain_shutdown.shutdown_reason);
  libxl_event_free(loop.context_, event);
  if (end.is_gone || has_shut_down) loop.ready_.push_back([&loop, end] { loop.on_end_(end); });
}

void XenLoop::log(xentoollog_logger* logger, xentoollog_level level, int error, const char* context,
                  const char* format, va_list arguments) {
  if (level < XTL_ERROR) return;
  char text[512];
  std::vsnprintf(text, sizeof text, format, arguments);
  auto& log = *reinterpret_cast<Log*>(logger);
  log.last = std::string(context != nullptr ? context : "libxl") + ": " + text;
  if (error > 0) log.last += " (errno " + std::to_string(error) + ")";
}

void XenLoop::work() {
  Clock::time_point deadline{};
  for (;;) {
    make_due();
    if (is_over(deadline)) return;
    poll_once();
  }
}

// Runs what was posted, what is due and what libxl has completed, until nothing is left.
void XenLoop::make_due() {
  for (;;) {
    {
      const std::lock_guard lock(mutex_);
      while (!posted_.empty()) {
        ready_.push_back(std::move(posted_.front()));
        posted_.pop_front();
      }
    }
    const auto due = timers_.upper_bound(Clock::now());
    for (auto at = timers_.begin(); at != due; at = timers_.erase(at))
      ready_.push_back(std::move(at->second));
    if (ready_.empty()) return;
    const auto next = std::move(ready_.front());
    ready_.pop_front();
    next();
  }
}

bool XenLoop::is_over(Clock::time_point& deadline) {
  const std::lock_guard lock(mutex_);
  if (!stopping_) return false;
  if (deadline == Clock::time_point{}) deadline = Clock::now() + kPatience;
  return operations_.empty() || Clock::now() >= deadline;
}

int XenLoop::milliseconds_to_wait() {
  constexpr int kLongest = 1000;
  if (timers_.empty()) return kLongest;
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(timers_.begin()->first - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, kLongest));
}

void XenLoop::poll_once() {
  int wait = milliseconds_to_wait();
  std::vector<pollfd> fds(1);
  for (int wanted = 16;; wanted *= 2) {
    fds.resize(1 + static_cast<std::size_t>(wanted));
    int count = wanted;
    const int code = libxl_osevent_beforepoll(context_, &count, fds.data() + 1, &wait, wall_clock());
    if (code == ERROR_BUFFERFULL) continue;
    fds.resize(1 + static_cast<std::size_t>(code == 0 ? count : 0));
    break;
  }
  fds[0] = {wake_.get(), POLLIN, 0};
  if (::poll(fds.data(), fds.size(), wait) < 0)  // interrupted: nothing was seen
    for (pollfd& fd : fds) fd.revents = 0;
  if (fds[0].revents != 0) {
    eventfd_t count = 0;
    (void)::eventfd_read(wake_.get(), &count);
  }
  libxl_osevent_afterpoll(context_, static_cast<int>(fds.size() - 1), fds.data() + 1, wall_clock());
}

}  // namespace aliquot
