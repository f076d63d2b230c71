// Which devices may be given away, and why not the others.
#include "manager/hypervisor/device_stock.hpp"

#include <gtest/gtest.h>

#include "manager/hypervisor/libvirt/node_devices.hpp"
#include "test/unit/manager/hypervisor/libvirt/recorded_devices.hpp"

namespace aliquot {
namespace {

using namespace test;

std::vector<NodeDevice> found(const std::vector<std::string>& descriptions) {
  std::vector<NodeDevice> out;
  for (const std::string& xml : descriptions) out.push_back(parse_node_device(xml).value().value());
  return out;
}
const std::vector<NodeDevice>& server() {
  static const auto all = found({kDisks, kOnboardGraphics, kA100, kV100, kT4, kSound, kMdev1, kMdev2});
  return all;
}

const std::vector<DeviceName> kNames{
    {"A100", "10de:20f1"}, {"V100", "10de:1db4"}, {"T4", "10de:1eb8"}, {"A100-1g", "mdev:nvidia-474"}};

const StockLine& at(const Stock& stock, const std::string& place) {
  for (const StockLine& line : stock.lines)
    if (line.device.place == place) return line;
  ADD_FAILURE() << "no line for " << place;
  return stock.lines.front();
}

TEST(DeviceStock, from_libvirt_is_what_has_a_name_and_is_free) {
  const Stock stock = take_stock({{kFromLibvirt}}, kNames, server());
  EXPECT_EQ(stock.words, (std::vector<DeviceWord>{{"V100", 1, "0000:af:00.0"},
                                                  {"A100-1g", 1, "", "", kUuid1},
                                                  {"A100-1g", 1, "", "", kUuid2}}));
  EXPECT_EQ(at(stock, "0000:af:00.0").model, "V100");
  EXPECT_EQ(at(stock, "0000:3b:00.0").why_not,
            "the host's driver nvidia has it: bind it to vfio-pci, or make mediated devices of it");
  EXPECT_EQ(at(stock, "0000:d8:00.0").why_not,
            "it shares IOMMU group 40 with 0000:d8:00.1, which the host's driver snd_hda_intel has: bind "
            "that to vfio-pci too");
  EXPECT_NE(at(stock, "0000:03:00.0").why_not.find("no IOMMU group"), std::string::npos);
  for (const StockLine& line : stock.lines)
    EXPECT_NE(line.device.place, "0000:00:17.0") << "a disk controller is nothing that jobs ask for";
}

TEST(DeviceStock, without_names_gives_nothing_and_says_what_to_write) {
  const Stock stock = take_stock({{kFromLibvirt}}, {}, server());
  EXPECT_TRUE(stock.words.empty());
  EXPECT_EQ(at(stock, "0000:af:00.0").why_not, "no name: add MODEL=10de:1db4 to device_models");
  EXPECT_EQ(at(stock, "mdev:" + kUuid2).why_not, "no name: add MODEL=mdev:nvidia-474 to device_models");
}

TEST(DeviceStock, a_bridge_in_the_group_does_not_hinder) {
  const std::string bridge = pci_xml(
      "pci_0000_ae_00_0", "computer", "pcieport",
      address_xml("0x060400", 0xae, 0, 0) + "<product id='0x2030'/><vendor id='0x8086'/>" + group_xml(31));
  EXPECT_EQ(take_stock({{kFromLibvirt}}, kNames, found({bridge, kV100})).words.size(), 1U);
}

TEST(DeviceStock, of_a_type_is_as_many_as_asked_for_and_made) {
  const Stock two = take_stock({{"slice", 2, "", "nvidia-474"}}, {}, server());
  ASSERT_EQ(two.words.size(), 2U);
  EXPECT_EQ(place_of(two.words[0]), "mdev:" + kUuid1);
  const Stock one = take_stock({{"slice", 1, "", "nvidia-474"}}, kNames, server());
  EXPECT_EQ(one.words.size(), 1U);
  EXPECT_EQ(at(one, "mdev:" + kUuid2).why_not,
            "the node's `devices` do not name it: add A100-1g@mdev:" + kUuid2);
  const Stock five = take_stock({{"slice", 5, "", "nvidia-474"}}, {}, server());
  EXPECT_EQ(five.words.size(), 2U);
  EXPECT_EQ(five.lines.back().why_not, "3 of 5 configured have not been made: make them with mdevctl");
}

TEST(DeviceStock, one_named_by_its_uuid_is_not_given_again_as_one_of_its_type) {
  const Stock stock =
      take_stock({{"slice", 2, "", "nvidia-474"}, {"mine", 1, "", "", kUuid1}}, {}, server());
  EXPECT_EQ(stock.words,
            (std::vector<DeviceWord>{{"mine", 1, "", "", kUuid1}, {"slice", 1, "", "", kUuid2}}));
}

TEST(DeviceStock, what_is_configured_by_its_address_is_given_and_judged) {
  const std::vector<DeviceWord> words{{"A100", 1, "0000:3b:00.0"}, {"V100", 1, "0000:99:00.0"}, {"T4", 2}};
  const Stock stock = take_stock(words, {}, server());
  EXPECT_EQ(stock.words, words) << "the configuration decides";
  EXPECT_EQ(at(stock, "0000:3b:00.0").model, "A100");
  EXPECT_NE(at(stock, "0000:3b:00.0").why_not.find("driver nvidia has it"), std::string::npos);
  EXPECT_EQ(at(stock, "0000:99:00.0").why_not, "libvirt does not find it on the node");
}

TEST(DeviceStock, is_at_most_what_a_node_can_have) {
  std::vector<NodeDevice> many;
  for (int i = 0; i < 70; ++i) {
    NodeDevice mdev = server().back();
    mdev.place.replace(mdev.place.size() - 2, 2, std::to_string(10 + i));
    many.push_back(mdev);
  }
  const Stock stock = take_stock({{kFromLibvirt}}, kNames, many);
  EXPECT_EQ(stock.words.size(), kMostDevices);
  EXPECT_EQ(stock.lines.back().why_not, "a node has at most 64 devices");
}

}  // namespace
}  // namespace aliquot
