// Sets of device models: what a demand accepts, and how users write it.
#include "policies/model/device_models.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace aliquot {
namespace {

const std::vector<std::string> kKnown{"V100M16", "V100M32", "T4", "P100"};

std::string why(const std::string& text) {
  const auto read = read_models(text, kKnown);
  if (!read) return read.error().message;
  return read->unknown.empty() ? "all known" : "unknown: " + read->unknown;
}

TEST(DeviceModels, accept_any_model_if_none_is_named) {
  const DeviceModels any;
  EXPECT_TRUE(any.empty());
  EXPECT_TRUE(any.accept({0}));
  EXPECT_EQ(DeviceModels{kAnyModel}, any);
  EXPECT_EQ(any.begin(), any.end());
}

TEST(DeviceModels, are_a_set_of_at_most_eight) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    std::mt19937_64 dice(seed);
    DeviceModels models;
    std::set<DeviceModel> reference;
    for (int i = 0; i < 12; ++i) {
      const DeviceModel model{static_cast<std::uint16_t>(dice() % 10)};
      const bool fits = reference.contains(model) || reference.size() < DeviceModels::kMost;
      EXPECT_EQ(models.add(model), fits) << "seed " << seed;
      if (fits) reference.insert(model);
    }
    EXPECT_TRUE(std::equal(models.begin(), models.end(), reference.begin(), reference.end()));
    for (std::uint16_t raw = 0; raw < 12; ++raw)
      EXPECT_EQ(models.accept({raw}), reference.contains({raw})) << "seed " << seed;
  }
}

TEST(DeviceModels, a_device_of_one_of_them_suits) {
  DeviceDemand demand{1, kWholeDevice, DeviceModel{1}};
  demand.models.add({3});
  EXPECT_TRUE(demand.suits({{1}}));
  EXPECT_TRUE(demand.suits({{3}}));
  EXPECT_FALSE(demand.suits({{0}}));
  EXPECT_FALSE(demand.suits({{3}, 500})) << "a part of a device is no whole one";
}

TEST(DeviceModels, are_read_and_written_in_one_order) {
  const auto read = read_models("P100|V100M16|P100", kKnown);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(text_of(read->models, kKnown), "V100M16|P100");
  EXPECT_EQ(read_models("V100M16|P100", kKnown)->models, read->models);
  EXPECT_EQ(names_of(read->models, kKnown), (std::vector<std::string>{"V100M16", "P100"}));
  EXPECT_TRUE(read_models("", kKnown)->models.empty());
  EXPECT_EQ(text_of(DeviceModels{}, kKnown), "");
}

TEST(DeviceModels, the_first_unknown_name_is_told) {
  EXPECT_EQ(why("T4"), "all known");
  EXPECT_EQ(why("T4|K80|H100"), "unknown: K80");
  EXPECT_EQ(why("t4"), "unknown: t4");
}

TEST(DeviceModels, empty_and_too_many_names_are_refused) {
  for (const char* bad : {"|", "T4|", "|T4", "T4||P100"})
    EXPECT_EQ(why(bad), "a name is missing beside '|'; write A, or A|B") << bad;
  EXPECT_EQ(why("T4|T4|T4|T4|T4|T4|T4|T4"), "all known");
  EXPECT_EQ(why("T4|T4|T4|T4|T4|T4|T4|T4|T4"), "names 9 models; at most 8 may be named");
}

}  // namespace
}  // namespace aliquot
