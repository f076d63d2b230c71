// libvirt's event loop, one thread for the whole process, and what it tells of one connection. Callbacks
// run on that thread: they hand on and return.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "manager/hypervisor/libvirt/libvirt_calls.hpp"
#include "manager/hypervisor/libvirt/lifecycle.hpp"

namespace aliquot {

// Starts the loop at its first call. To be called before the first connection is opened.
void ensure_event_loop();

struct ConnectionListener {
  std::function<void(const Uuid&, NodeEvent)> on_event;
  std::function<void(std::string why)> on_close;
};

// Listens from construction to destruction; after that nothing is called any more. Destruction may block
// as long as the connection takes to answer or to be found dead.
class ConnectionWatch {
 public:
  [[nodiscard]] static Result<std::unique_ptr<ConnectionWatch>> start(
      std::shared_ptr<Connection> connection, ConnectionListener listener);
  ~ConnectionWatch();
  ConnectionWatch(const ConnectionWatch&) = delete;
  ConnectionWatch& operator=(const ConnectionWatch&) = delete;
  // At once, without asking the other side.
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
