#include "manager/hypervisor/vm_interface.hpp"

#include <gtest/gtest.h>

#include <set>

namespace aliquot {
namespace {

constexpr JobNetwork kNetwork{{{0x0ad30000}, 16}, 1450};

TEST(VmInterface, FollowsFromJobAndTask) {
  const VmInterface made = interface_of({7}, 2, kNetwork);
  EXPECT_EQ(made.bridge, "aqb7");
  EXPECT_EQ(made.tap, "aqt7.2");
  EXPECT_EQ(made.mac, "02:00:00:07:00:02");
  EXPECT_EQ(print_ipv4(made.address), "10.211.0.3");
}

TEST(VmInterface, NamesOfDevicesFitTheKernel) {
  const VmInterface largest = interface_of({0xffff'ffff'ffff}, 65'533, kNetwork);
  EXPECT_EQ(largest.vni, 0xffffffU);
  EXPECT_EQ(largest.mac, "02:ff:ff:ff:ff:fd");
  EXPECT_LE(largest.tap.size(), 15U) << largest.tap;
  EXPECT_LE(largest.bridge.size(), 15U) << largest.bridge;
}

TEST(VmInterface, NoTwoVmsHaveTheSameAddresses) {
  std::set<std::string> macs, taps;
  for (std::uint64_t job : {1, 2, 257, 65'537})
    for (std::uint32_t task : {0U, 1U, 255U, 256U, 9'999U}) {
      macs.insert(interface_of({job}, task, kNetwork).mac);
      taps.insert(interface_of({job}, task, kNetwork).tap);
    }
  EXPECT_EQ(macs.size(), 20U);
  EXPECT_EQ(taps.size(), 20U);
}

TEST(VmInterface, TheElementTellsTheHookAllItNeeds) {
  EXPECT_EQ(network_element({7}, interface_of({7}, 0, kNetwork), {"10.0.0.1", "10.0.0.2"}),
            "<aliquot:network xmlns:aliquot=\"urn:aliquot:network:1\" job=\"7\" vni=\"7\" bridge=\"aqb7\" "
            "tap=\"aqt7.0\" mac=\"02:00:00:07:00:00\" address=\"10.211.0.1\" mtu=\"1450\" "
            "nodes=\"10.0.0.1 10.0.0.2\"/>");
}

}  // namespace
}  // namespace aliquot
