// libvirt's words on a node's devices: read from recorded descriptions, and listed by libvirt itself from a
// host of its test driver, which is made of the same descriptions.
#include "manager/hypervisor/libvirt/node_devices.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "manager/hypervisor/libvirt/libvirt_calls.hpp"
#include "test/unit/manager/hypervisor/libvirt/recorded_devices.hpp"

namespace aliquot {
namespace {

using namespace test;

NodeDevice read(const std::string& xml) {
  const auto device = parse_node_device(xml);
  EXPECT_TRUE(device) << (device ? "" : device.error().message);
  return device && *device ? **device : NodeDevice{};
}

TEST(NodeDevices, of_a_gpu_are_read_with_group_node_driver_and_types) {
  const NodeDevice a100 = read(kA100);
  EXPECT_EQ(a100.name, "pci_0000_3b_00_0");
  EXPECT_EQ(a100.place, "0000:3b:00.0");
  EXPECT_EQ(a100.sort, "10de:20f1");
  EXPECT_EQ(a100.label, "NVIDIA Corporation GA100 [A100 PCIe 40GB]");
  EXPECT_EQ(a100.driver, "nvidia");
  EXPECT_EQ(a100.iommu_group, 27U);
  EXPECT_EQ(a100.numa_node, 1U);
  EXPECT_EQ(a100.mdev_types, (std::vector<MdevType>{{"nvidia-474", "GRID A100-1-5C", 5},
                                                    {"nvidia-475", "GRID A100-2-10C", 2}}));
  EXPECT_TRUE(a100.is_accelerator());
  EXPECT_FALSE(read(kDisks).is_accelerator());
  EXPECT_EQ(read(kOnboardGraphics).iommu_group, std::nullopt);
}

TEST(NodeDevices, that_are_mediated_have_their_uuid_for_a_place) {
  const NodeDevice mdev = read(kMdev1);
  EXPECT_EQ(mdev.place, "mdev:" + kUuid1);
  EXPECT_EQ(mdev.sort, "mdev:nvidia-474");
  EXPECT_EQ(mdev.parent, "pci_0000_3b_00_0");
  EXPECT_TRUE(mdev.is_mdev());
}

TEST(NodeDevices, of_other_kinds_are_none) {
  const auto usb = parse_node_device(
      "<device><name>usb_1</name><capability type='usb_device'><bus>1</bus></capability></device>");
  ASSERT_TRUE(usb);
  EXPECT_FALSE(*usb);
}

TEST(NodeDevices, that_are_not_as_documented_are_an_error) {
  for (const std::string& xml :
       {std::string(), std::string("<device"), std::string("<domain/>"), std::string("\0", 1),
        std::string("<device><name>x</name><capability type='pci'/></device>"),
        std::string("<device><capability type='mdev'><uuid>1</uuid><type id='a'/></capability></device>"),
        pci_xml("x", "y", "", address_xml("0x030200", 0x3b, 32, 0) + kNvidia + "<product id='0x1'/>"),
        std::string(2 << 20, 'x')}) {
    const auto device = parse_node_device(xml);
    ASSERT_FALSE(device) << xml.substr(0, 200);
    EXPECT_EQ(device.error().kind, ErrorKind::internal);
  }
}

// No entity is followed: neither a file of the host nor a bomb.
TEST(NodeDevices, do_not_reach_beyond_their_own_text) {
  const auto device = parse_node_device(
      "<!DOCTYPE d [<!ENTITY f SYSTEM 'file:///etc/hostname'>]><device><name>&f;</name>"
      "<capability type='usb'/></device>");
  ASSERT_TRUE(device);
  EXPECT_FALSE(*device);
  std::string bomb = "<!DOCTYPE d [<!ENTITY a 'xxxxxxxxxx'>";
  for (char c = 'b'; c <= 'k'; ++c) {
    const std::string before = std::string("&") + static_cast<char>(c - 1) + ';';
    bomb += std::string("<!ENTITY ") + c + " '";
    for (int i = 0; i < 10; ++i) bomb += before;
    bomb += "'>";
  }
  EXPECT_FALSE(parse_node_device(bomb + "]><device><name>&k;</name></device>"));
}

class TestHost {
 public:
  explicit TestHost(const std::string& devices)
      : path_("/tmp/aliquot-test-host-" + std::to_string(getpid()) + ".xml") {
    std::ofstream(path_) << "<node>" << devices << "</node>";
  }
  TestHost(const TestHost&) = delete;
  TestHost& operator=(const TestHost&) = delete;
  ~TestHost() { std::remove(path_.c_str()); }
  [[nodiscard]] std::string uri() const { return "test://" + path_; }

 private:
  std::string path_;
};

// What libvirt has read and written again itself: its own idea of the format, not ours.
TEST(NodeDevices, are_listed_by_libvirt) {
  const TestHost host(kComputer + kV100 + kA100 + kDisks + kMdev1);
  const auto connection = Connection::open("n1", host.uri());
  ASSERT_TRUE(connection) << connection.error().message;
  const auto devices = list_node_devices(**connection);
  ASSERT_TRUE(devices) << devices.error().message;
  ASSERT_EQ(devices->size(), 4U);
  EXPECT_EQ((*devices)[0].place, "0000:00:17.0");
  EXPECT_EQ((*devices)[1].place, "0000:3b:00.0");
  EXPECT_EQ((*devices)[1].mdev_types.size(), 2U);
  EXPECT_EQ((*devices)[1].iommu_group, 27U);
  EXPECT_EQ((*devices)[1].numa_node, 1U);
  EXPECT_EQ((*devices)[2].sort, "10de:1db4");
  EXPECT_EQ((*devices)[3].place, "mdev:" + kUuid1);
}

TEST(NodeDevices, of_a_host_without_any_are_none) {
  const auto connection = Connection::open("n1", "test:///default");
  ASSERT_TRUE(connection) << connection.error().message;
  const auto devices = list_node_devices(**connection);
  ASSERT_TRUE(devices) << devices.error().message;
  EXPECT_TRUE(devices->empty());
}

}  // namespace
}  // namespace aliquot
