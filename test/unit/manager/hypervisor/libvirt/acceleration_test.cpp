#include "manager/hypervisor/libvirt/acceleration.hpp"

#include <gtest/gtest.h>

#include "manager/hypervisor/libvirt/libvirt_events.hpp"

namespace aliquot {
namespace {

// A probe takes up to half a minute. Meanwhile the manager may have begun anew, heard that the VM is not
// there, and started it elsewhere.
TEST(Acceleration, what_waits_for_it_gives_up_once_its_backend_is_gone) {
  ensure_event_loop();
  const auto node = Connection::open("n1", "test:///default");
  ASSERT_TRUE(node) << node.error().message;
  AccelerationChoice choice("emulation", nullptr);
  EXPECT_EQ(choice.get(**node).value(), Acceleration::emulation);
  choice.close();
  const auto late = choice.get(**node);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().kind, ErrorKind::unavailable);
  EXPECT_EQ(late.error().message, "the connection to node n1 has been given up");
}

}  // namespace
}  // namespace aliquot
