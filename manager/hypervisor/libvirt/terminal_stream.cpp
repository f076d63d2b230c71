#include "manager/hypervisor/libvirt/terminal_stream.hpp"

#include <libvirt/virterror.h>

#include <mutex>
#include <utility>
#include <vector>

namespace aliquot {
namespace {

// libvirt counts consoles from the first serial port, which is console 0 (domain_xml.cpp).
constexpr char kConsole[] = "console1";
constexpr int kAlways = VIR_STREAM_EVENT_ERROR | VIR_STREAM_EVENT_HANGUP;
constexpr int kWouldBlock = -2;

struct StreamRelease {
  void operator()(virStream* stream) const { virStreamFree(stream); }
};
using StreamHandle = std::unique_ptr<virStream, StreamRelease>;

// The stream and what waits for it. Shared with the callback, which runs on the thread of libvirt's event
// loop (libvirt_events.hpp); libvirt releases its share when the callback is removed.
class Pump : public std::enable_shared_from_this<Pump> {
 public:
  Pump(StreamHandle stream, TerminalListener listener)
      : stream_(std::move(stream)), listener_(std::move(listener)) {}

  [[nodiscard]] bool start() {
    return virStreamEventAddCallback(
               stream_.get(), kAlways,
               [](virStreamPtr, int events, void* self) {
                 (*static_cast<std::shared_ptr<Pump>*>(self))->handle(events);
               },
               new std::shared_ptr<Pump>(shared_from_this()),
               [](void* self) { delete static_cast<std::shared_ptr<Pump>*>(self); }) == 0;
  }

  void read_on() {
    const std::lock_guard lock(mutex_);
    reads_ = true;
    watch();
  }

  [[nodiscard]] bool write(std::string_view bytes) {
    const std::lock_guard lock(mutex_);
    if (typed_.size() + bytes.size() > kMostTerminalBytes) return false;
    typed_.append(bytes);
    watch();
    return true;
  }

  // No callback runs after it.
  void stop() {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    virStreamEventRemoveCallback(stream_.get());
    virStreamAbort(stream_.get());
  }

 private:
  // The mutex is held.
  void watch() {
    if (ended_) return;
    const int wanted =
        (reads_ ? VIR_STREAM_EVENT_READABLE : 0) | (typed_.empty() ? 0 : VIR_STREAM_EVENT_WRITABLE);
    virStreamEventUpdateCallback(stream_.get(), kAlways | wanted);
  }

  void handle(int events) {
    const std::lock_guard lock(mutex_);
    if (ended_) return;
    if ((events & VIR_STREAM_EVENT_READABLE) != 0 && reads_ && !receive()) return end();
    if ((events & VIR_STREAM_EVENT_WRITABLE) != 0 && !send()) return end();
    if ((events & kAlways) != 0) return end();
    watch();
  }

  bool receive() {
    std::string bytes(kMostTerminalBytes, '\0');
    const int got = virStreamRecv(stream_.get(), bytes.data(), bytes.size());
    if (got == kWouldBlock) return true;
    if (got <= 0) return false;
    bytes.resize(static_cast<std::size_t>(got));
    reads_ = false;
    listener_.on_output(std::move(bytes));
    return true;
  }

  bool send() {
    while (!typed_.empty()) {
      const int sent = virStreamSend(stream_.get(), typed_.data(), typed_.size());
      if (sent == kWouldBlock) return true;
      if (sent < 0) return false;
      typed_.erase(0, static_cast<std::size_t>(sent));
    }
    return true;
  }

  // The callback stays until stop(): it is not to be removed by itself.
  void end() {
    ended_ = true;
    virStreamEventUpdateCallback(stream_.get(), 0);
    listener_.on_end("its VM has left the node, or ended, or the node does not answer");
  }

  const StreamHandle stream_;
  const TerminalListener listener_;
  std::mutex mutex_;
  std::string typed_;
  bool reads_ = false;
  bool ended_ = false;
};

class TerminalStream final : public VmTerminal {
 public:
  TerminalStream(std::shared_ptr<Connection> connection, std::shared_ptr<Pump> pump)
      : connection_(std::move(connection)), pump_(std::move(pump)) {}
  ~TerminalStream() override { pump_->stop(); }
  void read_on() override { pump_->read_on(); }
  bool write(std::string_view bytes) override { return pump_->write(bytes); }

 private:
  std::shared_ptr<Connection> connection_;  // outlives the stream
  std::shared_ptr<Pump> pump_;
};

}  // namespace

Result<std::unique_ptr<VmTerminal>> open_terminal_stream(std::shared_ptr<Connection> connection,
                                                         const Uuid& vm, TerminalListener listener) {
  const auto domain = find_domain(*connection, vm);
  if (!domain) return tl::unexpected(domain.error());
  StreamHandle stream(virStreamNew(connection->get(), VIR_STREAM_NONBLOCK));
  if (!stream) return tl::unexpected(libvirt_error(*connection, "cannot make a stream"));
  if (virDomainOpenConsole(domain->get(), kConsole, stream.get(), VIR_DOMAIN_CONSOLE_FORCE) < 0) {
    const virErrorPtr why = virGetLastError();
    if (why != nullptr && why->code == VIR_ERR_INTERNAL_ERROR)  // there is no such console
      return fail(ErrorKind::unsupported,
                  "its VM has no terminal: it is a program without Linux, or was created by an earlier "
                  "version");
    return tl::unexpected(libvirt_error(*connection, "cannot open the console of " + name_of(*domain)));
  }
  auto pump = std::make_shared<Pump>(std::move(stream), std::move(listener));
  if (!pump->start())
    return tl::unexpected(libvirt_error(*connection, "cannot listen to " + name_of(*domain)));
  return std::unique_ptr<VmTerminal>(new TerminalStream(std::move(connection), std::move(pump)));
}

}  // namespace aliquot
