// The resource profile beside an array of node counts, one for each microsecond.
#include "policies/evolving/resource_profile.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

namespace aliquot::evolving {
namespace {

constexpr std::int64_t kEnd = 60;

// The reference implementation. What it says of an instant holds until the next one.
class Counts {
 public:
  void add(const ScheduledProfile& by, std::int64_t sign) {
    std::int64_t at = by.start.raw;
    for (const ProfileStep& step : by.profile.steps())
      for (std::int64_t k = 0; k < step.duration.raw; ++k)
        occupied_[static_cast<std::size_t>(at++)] += sign * step.nodes;
  }
  std::int64_t at(std::int64_t t) const {
    return t < 0 || t >= kEnd ? 0 : occupied_[static_cast<std::size_t>(t)];
  }
  std::optional<Instant> last_shortage(std::int64_t from, std::int64_t to, std::int64_t most) const {
    for (std::int64_t t = to - 1; t >= from; --t) {
      if (at(t) <= most) continue;
      while (at(t + 1) == at(t)) ++t;
      return Instant{t + 1};
    }
    return std::nullopt;
  }

 private:
  std::array<std::int64_t, kEnd> occupied_{};
};

ScheduledProfile random_profile(std::mt19937_64& random) {
  const auto up_to = [&](std::uint64_t most) { return static_cast<std::int64_t>(random() % most) + 1; };
  std::vector<ProfileStep> steps;
  const std::int64_t count = up_to(5);
  for (std::int64_t i = 0; i < count; ++i) steps.push_back({Duration{up_to(5)}, up_to(4)});
  return {{up_to(30)}, EvolutionProfile::of(steps).value()};
}

TEST(ResourceProfile, an_empty_cluster_is_never_short) {
  const ResourceProfile empty(10);
  EXPECT_EQ(empty.nodes(), 10);
  EXPECT_EQ(empty.occupied({0}), 0);
  EXPECT_FALSE(empty.last_change());
  EXPECT_FALSE(empty.last_shortage(kEarliest, kLatest, 10));
  EXPECT_EQ(empty.last_shortage({0}, {1}, 11), kNever);
}

// 10 nodes are busy for 1,200 s, then 20 for 3,600 s.
TEST(ResourceProfile, the_example_of_the_paper) {
  ResourceProfile resources(30);
  resources.occupy({{0}, EvolutionProfile::of({{seconds(1200), 10}, {seconds(3600), 20}}).value()});
  const Instant middle = Instant{0} + seconds(1200);
  EXPECT_EQ(resources.occupied(middle), 20);
  EXPECT_EQ(resources.last_shortage({0}, middle, 11), std::nullopt);
  EXPECT_EQ(resources.last_shortage({0}, middle, 21), middle);
  EXPECT_EQ(resources.last_shortage({0}, middle + seconds(1), 11), middle + seconds(3600));
  EXPECT_EQ(resources.last_change(), middle + seconds(3600));
}

TEST(ResourceProfile, equals_a_count_for_each_instant) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 300; ++round) {
    ResourceProfile resources(12);
    Counts reference;
    std::vector<ScheduledProfile> there;
    for (int k = 0; k < 8; ++k) {
      if (!there.empty() && random() % 4 == 0) {
        resources.release(there.back());
        reference.add(there.back(), -1);
        there.pop_back();
      } else {
        there.push_back(random_profile(random));
        resources.occupy(there.back());
        reference.add(there.back(), 1);
      }
      for (std::int64_t t = -1; t <= kEnd; ++t) ASSERT_EQ(resources.occupied({t}), reference.at(t));
      for (int ask = 0; ask < 40; ++ask) {
        const auto from = static_cast<std::int64_t>(random() % kEnd);
        const std::int64_t to = from + static_cast<std::int64_t>(random() % 10);
        const auto nodes = static_cast<std::int64_t>(random() % 13);
        ASSERT_EQ(resources.last_shortage({from}, {to}, nodes),
                  reference.last_shortage(from, to, 12 - nodes))
            << from << " to " << to << ", " << nodes << " nodes";
      }
    }
  }
}

TEST(ResourceProfile, what_is_released_leaves_no_segment) {
  std::mt19937_64 random(2);
  ResourceProfile resources(100);
  std::vector<ScheduledProfile> there;
  for (int k = 0; k < 20; ++k) resources.occupy(there.emplace_back(random_profile(random)));
  EXPECT_GT(resources.segments(), 10U);
  std::ranges::shuffle(there, random);
  for (const ScheduledProfile& each : there) resources.release(each);
  EXPECT_EQ(resources.segments(), 1U);
}

TEST(ResourceProfile, backwards_the_same_is_in_use) {
  std::mt19937_64 random(3);
  ResourceProfile resources(100);
  for (int k = 0; k < 10; ++k) resources.occupy(random_profile(random));
  const ResourceProfile backwards = resources.reversed({50});
  // The instant before t, seen backwards, is the one after it.
  for (std::int64_t t = 0; t <= kEnd; ++t)
    EXPECT_EQ(backwards.occupied({50 - t - 1}), resources.occupied({t}));
}

}  // namespace
}  // namespace aliquot::evolving
