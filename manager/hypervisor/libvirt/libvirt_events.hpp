// libvirt's event loop, one thread for the whole process, and the events of one connection. Callbacks run
// on that thread: they must pass the event on and return.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "manager/hypervisor/libvirt/libvirt_calls.hpp"
#include "manager/hypervisor/libvirt/lifecycle.hpp"

namespace aliquot {

// Starts the loop at the first call. Must be called before the first connection is opened.
void ensure_event_loop();

struct ConnectionListener {
  std::function<void(const Uuid&, NodeEvent)> on_event;
  std::function<void(std::string why)> on_close;
};

// Listens from construction to destruction; no callback runs after that. The destructor may block until the
// connection answers or is found dead.
class ConnectionWatch {
 public:
  [[nodiscard]] static Result<std::unique_ptr<ConnectionWatch>> start(
      std::shared_ptr<Connection> connection, ConnectionListener listener);
  ~ConnectionWatch();
  ConnectionWatch(const ConnectionWatch&) = delete;
  ConnectionWatch& operator=(const ConnectionWatch&) = delete;
  // Stops the callbacks at once, without a call to the node.
  void mute();

 private:
  struct Target;
  ConnectionWatch(std::shared_ptr<Connection> connection, std::shared_ptr<Target> target)
      : connection_(std::move(connection)), target_(std::move(target)) {}
  std::shared_ptr<Connection> connection_;
  std::shared_ptr<Target> target_;
  int callback_ = -1;
};

}  // namespace aliquot
