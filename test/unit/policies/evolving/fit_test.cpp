// fit(): the examples of the text, equality with the paper's own algorithm, and what holds of every fit.
#include "policies/evolving/fit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "test/unit/policies/evolving/literal_fit.hpp"
#include "test/unit/policies/evolving/random_fit.hpp"

namespace aliquot::evolving {
namespace {

EvolutionProfile profile(std::vector<ProfileStep> steps) {
  return EvolutionProfile::of(std::move(steps)).value();
}

ScheduledProfile fitted(const EvolutionProfile& request, const ResourceProfile& resources,
                        const FitRule& rule = {}, Instant from = {0}) {
  return fit(request, resources, rule, from).value();
}

literal::Outcome literal_outcome(const RandomFit& random, ExpandLimit limit) {
  const auto finite = limit.is_unlimited() ? std::nullopt : std::optional(limit);
  literal::Fit reference(random.requested, random.occupied, random.nodes, finite);
  return reference.run();
}

// The literal algorithm on everything backwards about the end that it has found.
literal::Outcome literal_compacted(const RandomFit& random, ExpandLimit limit, std::int64_t end) {
  RandomFit backwards = random;
  std::ranges::reverse(backwards.requested);
  backwards.occupied.clear();
  std::int64_t at = 0;
  for (const literal::Step& step : random.occupied) {
    const std::int64_t until = std::min(at + step.d, end);
    if (until > at) backwards.occupied.push_back({until - at, step.n});
    at = until;
  }
  if (at < end) backwards.occupied.push_back({end - at, 0});
  std::ranges::reverse(backwards.occupied);
  literal::Outcome outcome = literal_outcome(backwards, limit);
  std::int64_t length = 0;
  for (const literal::Step& step : outcome.ep_x) length += step.d;
  outcome.t_s = end - outcome.t_s - length;
  std::ranges::reverse(outcome.ep_x);
  return outcome;
}

std::string text(std::int64_t start, const std::vector<ProfileStep>& steps) {
  std::string result = std::to_string(start) + ":";
  for (const ProfileStep& step : steps)
    result += " (" + std::to_string(step.duration.raw) + ", " + std::to_string(step.nodes) + ")";
  return result;
}
std::string text(const ScheduledProfile& scheduled) {
  return text(scheduled.start.raw, scheduled.profile.steps());
}
std::string text(const literal::Outcome& outcome) {
  std::vector<ProfileStep> steps;
  for (const literal::Step& step : outcome.ep_x) steps.push_back({Duration{step.d}, step.n});
  return text(outcome.t_s, steps);
}

TEST(Fit, an_empty_cluster_expands_nothing) {
  const EvolutionProfile request = profile({{seconds(500), 5}, {seconds(3600), 10}});
  EXPECT_EQ(fitted(request, ResourceProfile(10)), (ScheduledProfile{{0}, request}));
}

// The example of sec. 3.1, which holds the nodes of the first step for 15 s more: Algorithm 2 delays it
// instead.
TEST(Fit, the_first_step_waits_without_nodes) {
  ResourceProfile resources(10);
  resources.occupy({{0}, profile({{seconds(2000), 6}, {seconds(515), 1}})});
  const EvolutionProfile request = profile({{seconds(500), 5}, {seconds(3600), 10}});
  const ScheduledProfile given = fitted(request, resources, {ExpandLimit::unlimited(), false});
  EXPECT_EQ(text(given), text({Instant{} + seconds(2015), request}));
}

TEST(Fit, a_step_in_the_middle_holds_its_nodes_until_the_next_one_can_begin) {
  ResourceProfile resources(4);
  resources.occupy({{5}, profile({{Duration{5}, 3}})});
  const EvolutionProfile request = profile({{Duration{2}, 4}, {Duration{2}, 1}, {Duration{2}, 2}});
  // From 2 to 10 instead of to 4.
  EXPECT_EQ(text(fitted(request, resources, {ExpandLimit::unlimited(), false})), "0: (2, 4) (8, 1) (2, 2)");
  EXPECT_EQ(text(fitted(request, resources, {ExpandLimit::times(4), false})), "0: (2, 4) (8, 1) (2, 2)");
  EXPECT_EQ(text(fitted(request, resources, {ExpandLimit::times(3), false})), "2: (2, 4) (6, 1) (2, 2)");
  // It may wait for 4 only, and then the first step would meet what is there.
  EXPECT_EQ(text(fitted(request, resources, {ExpandLimit::times(2), false})), "10: (2, 4) (2, 1) (2, 2)");
  EXPECT_EQ(text(fitted(request, resources)), "10: (2, 4) (2, 1) (2, 2)");
}

TEST(Fit, compacting_starts_later_and_ends_at_the_same_instant) {
  ResourceProfile resources(4);
  resources.occupy({{5}, profile({{Duration{4}, 3}})});
  const EvolutionProfile request = profile({{Duration{2}, 3}, {Duration{2}, 1}, {Duration{2}, 2}});
  EXPECT_EQ(text(fitted(request, resources, {ExpandLimit::unlimited(), false})), "0: (2, 3) (7, 1) (2, 2)");
  EXPECT_EQ(text(fitted(request, resources, {ExpandLimit::unlimited(), true})), "3: (2, 3) (4, 1) (2, 2)");
}

TEST(Fit, nothing_starts_before_now) {
  ResourceProfile resources(4);
  resources.occupy({{10}, profile({{Duration{10}, 3}})});
  const EvolutionProfile request = profile({{Duration{4}, 2}});
  EXPECT_EQ(fitted(request, resources, {}, {3}).start, Instant{3});
  EXPECT_EQ(fitted(request, resources, {}, {7}).start, Instant{20});
  EXPECT_EQ(fitted(request, resources, {ExpandLimit::unlimited(), true}, {35}).start, Instant{35});
}

TEST(Fit, what_can_never_fit_is_refused) {
  const auto too_wide = fit(profile({{seconds(1), 1}, {seconds(1), 11}}), ResourceProfile(10), {}, {0});
  ASSERT_FALSE(too_wide);
  EXPECT_EQ(too_wide.error().kind, ErrorKind::refused);
  EXPECT_EQ(too_wide.error().message, "a step asks for 11 nodes and the cluster has 10: ask for fewer");
  const auto too_late = fit(profile({{seconds(1), 1}}), ResourceProfile(10), {}, kLatest);
  ASSERT_FALSE(too_late);
  EXPECT_EQ(too_late.error().kind, ErrorKind::too_large);
}

TEST(Fit, the_longest_profiles_do_not_overflow) {
  const EvolutionProfile request =
      profile({{Duration{1}, 2}, {kLongestProfile - Duration{2}, 1}, {Duration{1}, 2}});
  ResourceProfile resources(2);
  Instant end{0};
  // Each holds one node for 142 years and both for two microseconds, so they can only follow each other.
  for (int k = 0; k < 100; ++k) {
    const ScheduledProfile given = fitted(request, resources, {ExpandLimit::times(1'000'000), true});
    EXPECT_GE(given.start, Instant{0});
    resources.occupy(given);
    end = std::max(end, given.end());
  }
  EXPECT_EQ(end, *resources.last_change());
  EXPECT_GE(end, Instant{0} + kLongestProfile * 99);
}

TEST(Fit, equals_the_literal_algorithm) {
  std::mt19937_64 random(1);
  for (std::uint64_t k = 0; k < 100'000; ++k) {
    const RandomFit made = random_fit(random, 7, 16);
    const ExpandLimit limit = some_limits()[k % some_limits().size()];
    const literal::Outcome wanted = literal_outcome(made, limit);
    ASSERT_EQ(text(fitted(made.request(), made.resources(), {limit, false})), text(wanted)) << "fit " << k;
    std::int64_t end = wanted.t_s;
    for (const literal::Step& step : wanted.ep_x) end += step.d;
    ASSERT_EQ(text(fitted(made.request(), made.resources(), {limit, true})),
              text(literal_compacted(made, limit, end)))
        << "compacted fit " << k;
  }
}

// What a feasible schedule is, on sizes that the literal algorithm does not finish on.
void expect_feasible(const RandomFit& made, const ScheduledProfile& given, ExpandLimit limit) {
  const EvolutionProfile request = made.request();
  ASSERT_TRUE(given.profile.expands(request));
  const auto& asked = request.steps();
  const auto& steps = given.profile.steps();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const bool fixed = i == 0 || i + 1 == steps.size();
    EXPECT_LE(steps[i].duration, fixed ? asked[i].duration : limit.longest(asked[i].duration)) << i;
  }
  ResourceProfile all = made.resources();
  all.occupy(given);
  EXPECT_FALSE(all.last_shortage({0}, kLatest, 0)) << "more nodes than there are";
}

TEST(Fit, every_schedule_is_feasible_and_compacting_keeps_its_end) {
  std::mt19937_64 random(2);
  for (int k = 0; k < 2'000; ++k) {
    const RandomFit made = random_fit(random, 40, 60);
    const ExpandLimit limit = some_limits()[static_cast<std::size_t>(k) % some_limits().size()];
    SCOPED_TRACE("fit " + std::to_string(k));
    const ScheduledProfile base = fitted(made.request(), made.resources(), {limit, false});
    const ScheduledProfile compacted = fitted(made.request(), made.resources(), {limit, true});
    expect_feasible(made, base, limit);
    expect_feasible(made, compacted, limit);
    EXPECT_EQ(compacted.end(), base.end());
    EXPECT_GE(compacted.start, base.start);
  }
}

TEST(Fit, a_higher_limit_never_ends_later) {
  std::mt19937_64 random(3);
  for (int k = 0; k < 2'000; ++k) {
    const RandomFit made = random_fit(random, 20, 40);
    Instant before = kNever;
    for (const ExpandLimit limit : some_limits()) {
      const Instant end = fitted(made.request(), made.resources(), {limit, false}).end();
      EXPECT_LE(end, before) << "fit " << k;
      before = end;
    }
  }
}

TEST(ExpandLimit, rounds_down_and_never_overflows) {
  EXPECT_EQ(ExpandLimit::none().longest(Duration{7}), Duration{7});
  EXPECT_EQ(ExpandLimit::times(1, 500'000).longest(Duration{7}), Duration{10});
  EXPECT_EQ(ExpandLimit::times(2).longest(Duration{7}), Duration{14});
  EXPECT_EQ(ExpandLimit::times(0, 3), ExpandLimit::none());
  EXPECT_EQ(ExpandLimit::times(-5), ExpandLimit::none());
  EXPECT_EQ(ExpandLimit::times(INT64_MAX).longest(kLongestProfile), ExpandLimit::kForever);
  EXPECT_EQ(ExpandLimit::unlimited().longest(Duration{1}), ExpandLimit::kForever);
}

}  // namespace
}  // namespace aliquot::evolving
