// The connections of one node on which calls are made. A connection has one user at a time: two calls at
// once are made on two connections.
//
// The reason is a fault of libvirt's client before version 10.3 (CVE-2024-4418; Debian 12 has 9.0): when
// two threads wait for answers on one connection, an event source of the one may stay behind and later
// writes to its stack. Seen as a crash of the manager beside a libvirtd that did not answer.
//
// Thread-safe. Taking a connection may block as long as opening one does; the caller's deadline bounds it.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "manager/hypervisor/libvirt/libvirt_calls.hpp"

namespace aliquot {

class ConnectionPool : public std::enable_shared_from_this<ConnectionPool> {
 public:
  [[nodiscard]] static std::shared_ptr<ConnectionPool> make(std::string node, std::string uri);

  // A connection that nothing else uses; its last owner gives it back to the pool. An error if none can be
  // opened.
  [[nodiscard]] Result<std::shared_ptr<Connection>> take();
  // The node was lost: idle connections are closed, and those in use are closed when they are given back.
  // May block until they are found dead.
  void clear();
  [[nodiscard]] std::size_t idle() const;

 private:
  ConnectionPool(std::string node, std::string uri) : node_(std::move(node)), uri_(std::move(uri)) {}
  [[nodiscard]] std::shared_ptr<Connection> lend(std::shared_ptr<Connection> connection,
                                                 std::uint32_t generation);
  void give_back(std::shared_ptr<Connection> connection, std::uint32_t generation);

  const std::string node_;
  const std::string uri_;
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<Connection>> idle_;
  std::uint32_t generation_ = 0;  // counts calls of clear()
};

}  // namespace aliquot
