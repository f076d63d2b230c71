#include "manager/hypervisor/libvirt/connection_pool.hpp"

#include <utility>

namespace aliquot {

std::shared_ptr<ConnectionPool> ConnectionPool::make(std::string node, std::string uri) {
  return std::shared_ptr<ConnectionPool>(new ConnectionPool(std::move(node), std::move(uri)));
}

Result<std::shared_ptr<Connection>> ConnectionPool::take() {
  std::uint32_t generation = 0;
  std::vector<std::shared_ptr<Connection>> dead;  // closed after the mutex is released: that may block
  {
    const std::lock_guard lock(mutex_);
    generation = generation_;
    while (!idle_.empty()) {
      std::shared_ptr<Connection> connection = std::move(idle_.back());
      idle_.pop_back();
      if (connection->alive()) return lend(std::move(connection), generation);
      dead.push_back(std::move(connection));
    }
  }
  auto opened = Connection::open(node_, uri_);
  if (!opened) return opened;
  return lend(std::move(*opened), generation);
}

std::shared_ptr<Connection> ConnectionPool::lend(std::shared_ptr<Connection> connection,
                                                 std::uint32_t generation) {
  Connection* const lent = connection.get();
  return {lent, [pool = shared_from_this(), kept = std::move(connection), generation](Connection*) mutable {
            pool->give_back(std::move(kept), generation);
          }};
}

void ConnectionPool::give_back(std::shared_ptr<Connection> connection, std::uint32_t generation) {
  if (!connection->alive()) return;
  const std::lock_guard lock(mutex_);
  if (generation == generation_) idle_.push_back(std::move(connection));
}

void ConnectionPool::clear() {
  std::vector<std::shared_ptr<Connection>> closing;  // destroyed after the lock: that may block
  const std::lock_guard lock(mutex_);
  ++generation_;
  closing.swap(idle_);
}

std::size_t ConnectionPool::idle() const {
  const std::lock_guard lock(mutex_);
  return idle_.size();
}

}  // namespace aliquot
