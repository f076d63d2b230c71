#include "manager/hypervisor/libvirt/libvirt_events.hpp"

#include <mutex>
#include <optional>
#include <thread>

namespace aliquot {
namespace {

std::optional<NodeEvent> from_stopped(int detail) {
  switch (detail) {
    case VIR_DOMAIN_EVENT_STOPPED_SHUTDOWN:
      return NodeEvent::powered_off;
    case VIR_DOMAIN_EVENT_STOPPED_DESTROYED:
      return NodeEvent::destroyed;
    case VIR_DOMAIN_EVENT_STOPPED_CRASHED:
      return NodeEvent::crashed;
    case VIR_DOMAIN_EVENT_STOPPED_MIGRATED:
      return NodeEvent::migrated_away;
    case VIR_DOMAIN_EVENT_STOPPED_SAVED:
      return NodeEvent::saved_away;
    default:
      return NodeEvent::failed;
  }
}

std::optional<NodeEvent> from_libvirt(int event, int detail) {
  switch (event) {
    case VIR_DOMAIN_EVENT_STARTED:
      return detail == VIR_DOMAIN_EVENT_STARTED_MIGRATED ? NodeEvent::migrated_here : NodeEvent::started;
    case VIR_DOMAIN_EVENT_SUSPENDED:
      if (detail == VIR_DOMAIN_EVENT_SUSPENDED_IOERROR) return NodeEvent::stopped_by_io_error;
      if (detail == VIR_DOMAIN_EVENT_SUSPENDED_PAUSED) return NodeEvent::paused;
      return std::nullopt;  // part of a migration or restore
    case VIR_DOMAIN_EVENT_RESUMED:
      if (detail == VIR_DOMAIN_EVENT_RESUMED_UNPAUSED) return NodeEvent::resumed;
      return std::nullopt;
    case VIR_DOMAIN_EVENT_STOPPED:
      return from_stopped(detail);
    case VIR_DOMAIN_EVENT_CRASHED:
      return NodeEvent::crashed;
    default:
      return std::nullopt;  // defined, undefined, shutting down
  }
}

}  // namespace

void ensure_event_loop() {
  static std::once_flag once;
  std::call_once(once, [] {
    virEventRegisterDefaultImpl();
    std::thread([] {
      while (true) virEventRunDefaultImpl();
    }).detach();
  });
}

struct ConnectionWatch::Target {
  std::mutex mutex;
  bool muted = false;
  ConnectionListener listener;

  // libvirt holds a reference of its own to the target for each callback.
  using Reference = std::shared_ptr<Target>;
  static void release(void* opaque) { delete static_cast<Reference*>(opaque); }

  static int on_event(virConnectPtr, virDomainPtr domain, int event, int detail, void* opaque) {
    const auto known = from_libvirt(event, detail);
    Uuid uuid{};
    if (!known || virDomainGetUUID(domain, uuid.data()) < 0) return 0;
    Target& to = **static_cast<Reference*>(opaque);
    const std::lock_guard lock(to.mutex);
    if (!to.muted) to.listener.on_event(uuid, *known);
    return 0;
  }

  static void on_close(virConnectPtr, int reason, void* opaque) {
    Target& to = **static_cast<Reference*>(opaque);
    const std::lock_guard lock(to.mutex);
    if (to.muted || reason == VIR_CONNECT_CLOSE_REASON_CLIENT) return;
    to.listener.on_close(reason == VIR_CONNECT_CLOSE_REASON_KEEPALIVE
                             ? "it does not answer"
                             : "its libvirtd closed the connection");
  }
};

Result<std::unique_ptr<ConnectionWatch>> ConnectionWatch::start(std::shared_ptr<Connection> connection,
                                                                ConnectionListener listener) {
  auto target = std::make_shared<Target>();
  target->listener = std::move(listener);
  std::unique_ptr<ConnectionWatch> watch(new ConnectionWatch(std::move(connection), target));
  const virConnectPtr libvirt = watch->connection_->get();
  watch->callback_ = virConnectDomainEventRegisterAny(libvirt, nullptr, VIR_DOMAIN_EVENT_ID_LIFECYCLE,
                                                      VIR_DOMAIN_EVENT_CALLBACK(&Target::on_event),
                                                      new Target::Reference(target), Target::release);
  if (watch->callback_ < 0) {
    return tl::unexpected(libvirt_error(*watch->connection_, "cannot listen to its events"));
  }
  if (virConnectRegisterCloseCallback(libvirt, Target::on_close, new Target::Reference(target),
                                      Target::release) < 0) {
    return tl::unexpected(libvirt_error(*watch->connection_, "cannot listen to its connection"));
  }
  return watch;
}

void ConnectionWatch::mute() {
  const std::lock_guard lock(target_->mutex);
  target_->muted = true;
}

ConnectionWatch::~ConnectionWatch() {
  mute();
  if (callback_ >= 0) virConnectDomainEventDeregisterAny(connection_->get(), callback_);
  virConnectUnregisterCloseCallback(connection_->get(), Target::on_close);
}

}  // namespace aliquot
