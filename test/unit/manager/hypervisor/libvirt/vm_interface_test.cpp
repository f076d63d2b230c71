#include "manager/hypervisor/vm_interface.hpp"

#include <gtest/gtest.h>

#include <set>

namespace aliquot {
namespace {

const JobNetwork kNetwork{{{0x0ad30000}, 16}, 1450};

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

JobNetwork of_site() {
  JobNetwork network;
  network.site_bridge = "br0";
  return network;
}

TEST(VmInterface, InTheNetworkOfTheSiteHasAnotherMacThanInThatOfTheJob) {
  const VmInterface made = interface_of({7}, 2, of_site());
  EXPECT_EQ(made.bridge, "br0");
  EXPECT_EQ(made.tap, "aqs7.2");
  EXPECT_EQ(made.mac, "06:00:00:07:00:02");
  EXPECT_LE(interface_of({0xffff'ffff'ffff}, 65'533, of_site()).tap.size(), 15U);
}

TEST(VmInterface, TheElementOfASiteHasItsBridgeAndTheRateInBytes) {
  JobNetwork network = of_site();
  network.bandwidth = {200'000'000};
  EXPECT_EQ(network_element({7}, interface_of({7}, 0, network), {"10.0.0.1"}),
            "<aliquot:network xmlns:aliquot=\"urn:aliquot:network:1\" job=\"7\" site=\"br0\" "
            "tap=\"aqs7.0\" mac=\"06:00:00:07:00:00\" rate=\"25000000\"/>");
  network = kNetwork;
  network.bandwidth = {200'000'000};
  EXPECT_NE(network_element({7}, interface_of({7}, 0, network), {}).find(" rate=\"25000000\" address="),
            std::string::npos);
}

}  // namespace
}  // namespace aliquot
