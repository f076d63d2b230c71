// The words for devices: read, printed, refused, and turned into slots.
#include "config/device_words.hpp"

#include <gtest/gtest.h>

#include "config/device_names.hpp"

namespace aliquot {
namespace {

std::string why(const std::string& text) {
  const auto word = device_word().parse(text);
  return word ? "taken" : word.error().message;
}

TEST(DeviceWords, are_read_and_printed) {
  for (const char* text : {"V100", "T4*2", "V100@0000:3b:00.0", "A100-1g.5gb*4@mdev:nvidia-474",
                           "A100-1g@mdev:4b20d080-1b54-4048-85b3-a6a62d165c01", "from-libvirt"}) {
    const auto word = device_word().parse(text);
    ASSERT_TRUE(word) << text << ": " << word.error().message;
    EXPECT_EQ(device_word().print(*word), text);
  }
  EXPECT_EQ(*device_word().parse("A100*4@mdev:nvidia-474"), (DeviceWord{"A100", 4, "", "nvidia-474"}));
  EXPECT_EQ(*device_word().parse("V100@0000:3b:1f.7"), (DeviceWord{"V100", 1, "0000:3b:1f.7", ""}));
  EXPECT_EQ(device_word().parse("T4*1")->count, 1U);
}

TEST(DeviceWords, are_refused_with_what_to_write) {
  EXPECT_EQ(why("V100*0"),
            "'V100*0': the count must be from 1 to 64; write a device: MODEL, MODEL*COUNT, "
            "MODEL@PCI-ADDRESS (0000:3b:00.0), MODEL@mdev:UUID, MODEL*COUNT@mdev:TYPE or from-libvirt");
  for (const char* text : {"",
                           "*2",
                           "@0000:3b:00.0",
                           "-x",
                           "V100*",
                           "V100*2x",
                           "V100*-1",
                           "V100*65",
                           "V100*99999999999",
                           "a b",
                           "V100@",
                           "V100@3b:00.0",
                           "V100@0000:3b:00.8",
                           "V100@0000:3B:00.0",
                           "V100@0000:3b:20.0",
                           "V100@0000:3b:00.0 ",
                           "V100*2@0000:3b:00.0",
                           "V100@mdev:",
                           "V100@mdev:a/b",
                           "V100*2@mdev:4b20d080-1b54-4048-85b3-a6a62d165c01",
                           "from-libvirt*2",
                           "from-libvirt@0000:3b:00.0",
                           "V100@mdev:../x"})
    EXPECT_NE(why(text), "taken") << text;
}

TEST(DeviceWords, become_the_slots_of_a_node) {
  const std::vector<DeviceWord> words{{"V100", 2}, {"T4"}, {"V100", 1, "0000:3b:00.0"}};
  std::vector<std::string> models{"T4"};
  const std::vector<Device> slots = slots_of(words, models);
  EXPECT_EQ(models, (std::vector<std::string>{"T4", "V100"}));
  ASSERT_EQ(slots.size(), 4U);
  EXPECT_EQ(slots[0].model.raw, 1);
  EXPECT_EQ(slots[2].model.raw, 0);
  EXPECT_EQ(slots[3].parts, kWholeDevice);
  EXPECT_EQ(slot_places(words), (std::vector<std::string>{"", "", "", "0000:3b:00.0"}));
  EXPECT_TRUE(slot_places({{"V100", 2}}).empty());
}

TEST(DeviceWords, of_one_node_fit_together) {
  EXPECT_EQ(fault_of(std::vector<DeviceWord>{{"V100", 60}, {"T4", 4}}), "");
  EXPECT_EQ(fault_of(std::vector<DeviceWord>{{"V100", 60}, {"T4", 5}}),
            "65 devices; a node has at most 64");
  EXPECT_EQ(fault_of(std::vector<DeviceWord>{{"V100", 1, "0000:3b:00.0"}, {"T4", 1, "0000:3b:00.0"}}),
            "the device 0000:3b:00.0 stands there twice; a device is given once");
  const std::string uuid = "4b20d080-1b54-4048-85b3-a6a62d165c01";
  EXPECT_NE(fault_of(std::vector<DeviceWord>{{"a", 1, "", "", uuid}, {"b", 1, "", "", uuid}}), "");
  EXPECT_EQ(fault_of(std::vector<DeviceWord>{{kFromLibvirt}}), "");
  EXPECT_NE(fault_of(std::vector<DeviceWord>{{kFromLibvirt}, {"T4"}}), "");
}

TEST(DeviceWords, that_ask_libvirt_have_no_slots_yet) {
  const std::vector<DeviceWord> words{{"T4"}, {"slice", 4, "", "nvidia-474"}, {"V100", 1, "0000:3b:00.0"}};
  std::vector<std::string> models;
  EXPECT_TRUE(asks_libvirt(words));
  EXPECT_EQ(slots_of(words, models).size(), 2U);
  EXPECT_EQ(models, (std::vector<std::string>{"T4", "V100"}));
  EXPECT_EQ(slot_places(words), (std::vector<std::string>{"", "0000:3b:00.0"}));
}

TEST(DeviceNames, are_read_and_printed) {
  for (const char* text : {"A100=10de:20f1", "A100-1g.5gb=mdev:nvidia-474"}) {
    const auto name = device_name().parse(text);
    ASSERT_TRUE(name) << text << ": " << name.error().message;
    EXPECT_EQ(device_name().print(*name), text);
  }
  for (const char* text :
       {"", "A100", "=10de:20f1", "A100=", "A100=10DE:20f1", "A100=10de20f1", "A100=10de:20f1 ",
        "A100=mdev:", "A100=mdev:../x", "A100*2=10de:20f1", "from-libvirt=10de:20f1", "a b=10de:20f1",
        "A100=mdev:4b20d080-1b54-4048-85b3-a6a62d165c01"})
    EXPECT_FALSE(device_name().parse(text)) << text;
}

TEST(DeviceNames, of_one_sort_are_one) {
  EXPECT_EQ(fault_of(std::vector<DeviceName>{{"A100", "10de:20f1"}, {"A100", "10de:20b0"}}), "");
  EXPECT_EQ(fault_of(std::vector<DeviceName>{{"A100", "10de:20f1"}, {"big", "10de:20f1"}}),
            "10de:20f1 has two names; a sort of device has one");
}

}  // namespace
}  // namespace aliquot
