// Algorithm 1: applications beside each other, the rigid baseline, and the laws of every schedule.
#include "policies/evolving/list_schedule.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "policies/batch/free_nodes.hpp"

namespace aliquot::evolving {
namespace {

constexpr std::int64_t kNodes = 20;

EvolutionProfile profile(std::vector<ProfileStep> steps) {
  return EvolutionProfile::of(std::move(steps)).value();
}

std::vector<EvolutionProfile> random_applications(std::mt19937_64& random) {
  const auto up_to = [&](std::uint64_t most) { return static_cast<std::int64_t>(random() % most) + 1; };
  std::vector<EvolutionProfile> made;
  for (int a = 0; a < 15; ++a) {
    std::vector<ProfileStep> steps;
    for (std::int64_t left = up_to(8); left > 0; --left) steps.push_back({Duration{up_to(30)}, up_to(15)});
    made.push_back(profile(steps));
  }
  return made;
}

const std::vector<FitRule>& all_rules() {
  static const std::vector<FitRule> kRules = {{ExpandLimit::none(), false},
                                              {ExpandLimit::times(2), false},
                                              {ExpandLimit::times(2), true},
                                              {ExpandLimit::unlimited(), false},
                                              {ExpandLimit::unlimited(), true}};
  return kRules;
}

TEST(ListSchedule, two_applications_interleave) {
  const std::vector<EvolutionProfile> both = {profile({{seconds(10), 4}, {seconds(10), 1}}),
                                              profile({{seconds(10), 1}, {seconds(10), 3}})};
  const auto given = schedule_in_order(both, 4, {});
  ASSERT_TRUE(given) << given.error().message;
  EXPECT_EQ(given->at(0), (ScheduledProfile{{0}, both[0]}));
  EXPECT_EQ(given->at(1), (ScheduledProfile{Instant{0} + seconds(10), both[1]}));
}

TEST(ListSchedule, an_application_takes_a_hole_before_those_of_the_list) {
  const std::vector<EvolutionProfile> three = {profile({{seconds(10), 3}}), profile({{seconds(10), 4}}),
                                               profile({{seconds(10), 1}})};
  const auto given = schedule_in_order(three, 4, {});
  ASSERT_TRUE(given) << given.error().message;
  EXPECT_EQ(given->at(1).start, Instant{0} + seconds(10));
  EXPECT_EQ(given->at(2).start, Instant{0});
}

TEST(ListSchedule, the_error_names_the_application) {
  const std::vector<EvolutionProfile> both = {profile({{seconds(1), 1}}), profile({{seconds(1), 5}})};
  const auto refused = schedule_in_order(both, 4, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "application 2: a step asks for 5 nodes and the cluster has 4: ask for fewer");
}

// First fit as conservative backfilling finds it: the first instant from which so many nodes stay free.
TEST(ListSchedule, rigid_equals_first_fit_into_free_nodes) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<EvolutionProfile> rigid;
    for (const EvolutionProfile& application : random_applications(random))
      rigid.push_back(application.rigid());
    const auto given = schedule_in_order(rigid, kNodes, {});
    ASSERT_TRUE(given) << given.error().message;
    FreeNodes free({0}, kNodes);
    for (std::size_t a = 0; a < rigid.size(); ++a) {
      const auto [duration, nodes] = rigid[a].steps().front();
      Instant start{0};
      while (free.least(start, start + duration) < nodes) start = free.next_step(start);
      free.add(start, start + duration, -nodes);
      ASSERT_EQ(given->at(a), (ScheduledProfile{start, rigid[a]})) << "round " << round << ", " << a;
    }
  }
}

TEST(ListSchedule, never_uses_more_nodes_than_there_are_and_keeps_every_profile) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 100; ++round) {
    const std::vector<EvolutionProfile> asked = random_applications(random);
    for (const FitRule& rule : all_rules()) {
      const auto given = schedule_in_order(asked, kNodes, rule);
      ASSERT_TRUE(given) << given.error().message;
      FreeNodes free({0}, kNodes);
      for (std::size_t a = 0; a < asked.size(); ++a) {
        const ScheduledProfile& scheduled = given->at(a);
        ASSERT_TRUE(scheduled.profile.expands(asked[a]));
        Instant at = scheduled.start;
        for (const ProfileStep& step : scheduled.profile.steps()) {
          free.add(at, at + step.duration, -step.nodes);
          at = at + step.duration;
        }
      }
      EXPECT_GE(free.least({0}, kNever), 0);
    }
  }
}

TEST(ListSchedule, an_application_that_is_refused_changes_nothing) {
  ListSchedule list(4, {});
  ASSERT_TRUE(list.add(profile({{seconds(1), 4}})));
  const std::size_t before = list.resources().segments();
  EXPECT_FALSE(list.add(profile({{seconds(1), 5}})));
  EXPECT_EQ(list.resources().segments(), before);
}

}  // namespace
}  // namespace aliquot::evolving
