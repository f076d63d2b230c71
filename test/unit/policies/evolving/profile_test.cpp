// Evolution profiles: what is refused, and what is computed from them.
#include "policies/evolving/profile.hpp"

#include <gtest/gtest.h>

namespace aliquot::evolving {
namespace {

EvolutionProfile profile(std::vector<ProfileStep> steps) {
  return EvolutionProfile::of(std::move(steps)).value();
}

void expect_refused(std::vector<ProfileStep> steps, const std::string& why) {
  const auto refused = EvolutionProfile::of(std::move(steps));
  ASSERT_FALSE(refused) << why;
  EXPECT_NE(refused.error().message.find(why), std::string::npos) << refused.error().message;
}

TEST(EvolutionProfile, has_a_duration_a_width_and_an_area) {
  const EvolutionProfile two = profile({{seconds(500), 5}, {seconds(3600), 10}});
  EXPECT_EQ(two.total_duration(), seconds(4100));
  EXPECT_EQ(two.most_nodes(), 10);
  EXPECT_EQ(two.area().to_node_seconds(), 38'500);
  EXPECT_EQ(two.rigid(), profile({{seconds(4100), 10}}));
  EXPECT_EQ(two.reversed(), profile({{seconds(3600), 10}, {seconds(500), 5}}));
}

TEST(EvolutionProfile, what_is_malformed_is_named) {
  expect_refused({}, "no step");
  expect_refused({{seconds(1), 1}, {Duration{0}, 1}}, "step 2 has no duration");
  expect_refused({{Duration{-1}, 1}}, "step 1 has no duration");
  expect_refused({{seconds(1), 0}}, "step 1 has 0 nodes");
  expect_refused({{seconds(1), 1}, {seconds(1), 1}, {seconds(1), kMostNodes + 1}},
                 "step 3 has 1000001 nodes");
  expect_refused({{kLongestProfile, 1}, {Duration{1}, 1}}, "step 2 ends more than 142 years");
  expect_refused({{Duration{INT64_MAX}, 1}, {Duration{INT64_MAX}, 1}}, "step 1 ends more than 142 years");
  expect_refused(std::vector<ProfileStep>(kMostSteps + 1, {Duration{1}, 1}), "10001 steps");
}

TEST(EvolutionProfile, the_largest_area_does_not_overflow) {
  const EvolutionProfile largest = profile({{kLongestProfile, kMostNodes}});
  EXPECT_EQ(largest.area().raw, static_cast<Int128>(kLongestProfile.raw) * kMostNodes);
}

TEST(EvolutionProfile, an_expanded_profile_keeps_order_and_nodes_and_no_step_is_shorter) {
  const EvolutionProfile asked = profile({{seconds(2), 3}, {seconds(2), 1}});
  EXPECT_TRUE(asked.expands(asked));
  EXPECT_TRUE(asked.expanded({seconds(2), seconds(5)}).expands(asked));
  EXPECT_EQ(asked.expanded({seconds(1), seconds(5)}), profile({{seconds(2), 3}, {seconds(5), 1}}));
  EXPECT_FALSE(asked.reversed().expands(asked));
  EXPECT_FALSE(profile({{seconds(2), 3}, {seconds(1), 1}}).expands(asked));
  EXPECT_FALSE(profile({{seconds(2), 3}}).expands(asked));
}

TEST(ScheduledProfile, ends_when_its_last_step_does) {
  const ScheduledProfile given{{7}, profile({{Duration{2}, 3}, {Duration{4}, 1}})};
  EXPECT_EQ(given.end(), Instant{13});
}

}  // namespace
}  // namespace aliquot::evolving
