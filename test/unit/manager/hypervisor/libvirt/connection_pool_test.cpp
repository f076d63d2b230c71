#include "manager/hypervisor/libvirt/connection_pool.hpp"

#include <gtest/gtest.h>

#include "manager/hypervisor/libvirt/libvirt_events.hpp"

namespace aliquot {
namespace {

// libvirt's driver for tests lives in this process and needs no daemon.
std::shared_ptr<ConnectionPool> test_driver() {
  ensure_event_loop();
  return ConnectionPool::make("n1", "test:///default");
}

TEST(ConnectionPool, two_users_at_once_have_two_connections) {
  const auto pool = test_driver();
  const auto first = pool->take();
  const auto second = pool->take();
  ASSERT_TRUE(first && second);
  EXPECT_NE(first->get(), second->get());
}

TEST(ConnectionPool, a_connection_that_was_given_back_is_lent_again) {
  const auto pool = test_driver();
  const Connection* used = nullptr;
  {
    const auto connection = pool->take();
    ASSERT_TRUE(connection);
    used = connection->get();
    EXPECT_EQ(pool->idle(), 0U);
  }
  EXPECT_EQ(pool->idle(), 1U);
  const auto again = pool->take();
  ASSERT_TRUE(again);
  EXPECT_EQ(again->get(), used);
}

TEST(ConnectionPool, connections_of_a_lost_node_are_not_kept) {
  const auto pool = test_driver();
  {
    const auto in_use = pool->take();
    ASSERT_TRUE(in_use);
    { ASSERT_TRUE(pool->take()); }
    EXPECT_EQ(pool->idle(), 1U);
    pool->clear();
    EXPECT_EQ(pool->idle(), 0U);
  }
  EXPECT_EQ(pool->idle(), 0U) << "given back after the node was lost";
}

TEST(ConnectionPool, a_node_without_libvirtd_is_an_error_that_names_it) {
  ensure_event_loop();
  const auto pool = ConnectionPool::make("n7", "qemu+unix:///system?socket=/nonexistent/libvirt-sock");
  const auto connection = pool->take();
  ASSERT_FALSE(connection);
  EXPECT_EQ(connection.error().kind, ErrorKind::unavailable);
  EXPECT_NE(connection.error().message.find("node n7"), std::string::npos);
}

}  // namespace
}  // namespace aliquot
