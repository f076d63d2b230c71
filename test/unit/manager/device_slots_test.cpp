// Slots keep their numbers while a VM holds them, whatever the configuration or libvirt says next.
#include "manager/device_slots.hpp"

#include <gtest/gtest.h>

#include "config/device_words.hpp"

namespace aliquot {
namespace {

constexpr DeviceModel kFirst{0}, kSecond{1};
const std::string kA = "0000:3b:00.0", kB = "0000:af:00.0",
                  kC = "mdev:4b20d080-1b54-4048-85b3-a6a62d165c01";

Node node(std::vector<std::string> places, DeviceModel model = kFirst) {
  Node made;
  made.devices.assign(places.size(), {model});
  made.device_places = std::move(places);
  return made;
}

std::vector<std::string> kept(const Node& before, DeviceSet held, Node now) {
  keep_slots(before, held, now);
  EXPECT_TRUE(now.device_places.empty() || now.device_places.size() == now.devices.size());
  return now.device_places;
}

using Places = std::vector<std::string>;

TEST(DeviceSlots, follow_the_new_order_where_nobody_holds_anything) {
  EXPECT_EQ(kept(node({kA, kB}), 0, node({kB, kC})), (Places{kB, kC}));
  EXPECT_EQ(kept(node({kA, kB}), 0, node({})), (Places{}));
}

TEST(DeviceSlots, stay_where_they_are_held) {
  EXPECT_EQ(kept(node({kA, kB}), 0b01, node({kB, kA})), (Places{kA, kB}));
  EXPECT_EQ(kept(node({kA, kB}), 0b10, node({kC, kA, kB})), (Places{kC, kB, kA}));
  EXPECT_EQ(kept(node({kA, kB}), 0b11, node({kA, kB})), (Places{kA, kB}));
}

TEST(DeviceSlots, whose_device_is_gone_stay_until_they_are_free) {
  Node now = node({kB});
  keep_slots(node({kA, kB}), 0b11, now);
  EXPECT_EQ(now.device_places, (Places{"gone:" + kA, kB}));
  EXPECT_EQ(now.devices[0].parts, kWholeDevice) << "who holds it holds all of it: nobody else gets it";
  EXPECT_FALSE(has_spent_slots(now, std::vector<std::int32_t>{0, 0}));
  EXPECT_TRUE(has_spent_slots(now, std::vector<std::int32_t>{1000, 0}));
  EXPECT_FALSE(has_spent_slots(node({kA}), std::vector<std::int32_t>{1000}));
  EXPECT_EQ(kept(now, 0b11, node({kA, kB})), (Places{kA, kB})) << "it is back";
  EXPECT_EQ(kept(now, 0b10, node({kB})), (Places{"gone:", kB}));
  EXPECT_EQ(kept(now, 0, node({kB})), (Places{kB}));
}

TEST(DeviceSlots, below_a_held_one_are_nothing_if_nothing_fills_them) {
  Node now = node({kC});
  keep_slots(node({kA, kB, kC}), 0b100, now);
  ASSERT_EQ(now.device_places, (Places{"gone:", "gone:", kC}));
  EXPECT_EQ(now.devices[0].parts, 0);
  EXPECT_FALSE((DeviceDemand{1}.suits(now.devices[0]))) << "nobody can be given it";
  EXPECT_EQ(kept(now, 0b100, node({kC, kB})), (Places{kB, "gone:", kC})) << "what comes fills them";
}

TEST(DeviceSlots, of_stand_ins_are_known_by_their_model) {
  Node now = node({"", ""}, kSecond);
  Node before = node({"", ""});
  before.devices[1].model = kSecond;
  keep_slots(before, 0b10, now);
  EXPECT_TRUE(now.device_places.empty());
  EXPECT_EQ(now.devices, (std::vector<Device>{{kSecond}, {kSecond}}));
}

TEST(DeviceSlots, are_held_where_less_is_free_than_there_is) {
  const Node three = node({kA, kB, kC});
  const std::vector<std::int32_t> free{1000, 0, 250};
  EXPECT_EQ(held_slots(three, free), 0b110U);
  EXPECT_EQ(held_slots(three, {}), 0U);
}

TEST(DeviceSlots, never_exceed_what_a_node_can_have) {
  Places many;
  for (int i = 0; i < 64; ++i) many.push_back("old" + std::to_string(i));
  Places other;
  for (int i = 0; i < 64; ++i) other.push_back("new" + std::to_string(i));
  const Places after = kept(node(many), 0b11, node(other));
  ASSERT_EQ(after.size(), kMostDevices);
  EXPECT_EQ(after[1], "gone:old1");
  EXPECT_EQ(after[2], "new0");
}

}  // namespace
}  // namespace aliquot
