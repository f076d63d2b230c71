// The rest of an application that runs, beside a search through all schedules of a few microseconds.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>

#include "policies/evolving/fit.hpp"
#include "test/unit/policies/evolving/random_fit.hpp"

namespace aliquot::evolving {
namespace {

EvolutionProfile profile(std::vector<ProfileStep> steps) {
  return EvolutionProfile::of(std::move(steps)).value();
}

// The reference implementation: tries every instant for every step.
class AllSchedules {
 public:
  AllSchedules(const EvolutionProfile& rest, const ResourceProfile& resources, ExpandLimit limit,
               Instant now)
      : steps_(rest.steps()), resources_(resources), limit_(limit), now_(now) {
    latest_ = std::max(now, resources.last_change().value_or(now)) + rest.total_duration();
  }

  // The earliest end of a schedule in which step i begins then; none: there is no such schedule.
  std::optional<Instant> earliest_end(std::size_t i, Instant begin) const {
    const auto& [duration, nodes] = steps_[i];
    const Instant computed = begin + duration;
    if (resources_.last_shortage(begin, computed, nodes)) return std::nullopt;
    if (i + 1 == steps_.size()) return computed;
    std::optional<Instant> best;
    for (Instant next = std::max(computed, now_); next <= latest_; next = next + Duration{1}) {
      if (next - begin > limit_.longest(duration) || resources_.last_shortage(begin, next, nodes)) break;
      const auto end = earliest_end(i + 1, next);
      if (end && (!best || *end < *best)) best = end;
    }
    return best;
  }

 private:
  const std::vector<ProfileStep>& steps_;
  const ResourceProfile& resources_;
  const ExpandLimit limit_;
  const Instant now_;
  Instant latest_;
};

// The steps of a schedule from one of them on, as they were asked for, and when that one begins.
struct Rest {
  EvolutionProfile profile;
  Instant began;
  Instant until;  // it holds its nodes
};

Rest rest_from(const EvolutionProfile& requested, const ScheduledProfile& given, std::size_t step) {
  const auto& asked = requested.steps();
  Instant began = given.start;
  for (std::size_t i = 0; i < step; ++i) began = began + given.profile.steps()[i].duration;
  return {profile({asked.begin() + static_cast<std::ptrdiff_t>(step), asked.end()}), began,
          began + given.profile.steps()[step].duration};
}

TEST(FitRest, a_step_that_runs_holds_its_nodes_until_the_next_one_can_begin) {
  ResourceProfile resources(4);
  resources.occupy({{0}, profile({{Duration{10}, 3}})});
  const EvolutionProfile rest = profile({{Duration{4}, 1}, {Duration{2}, 2}});
  const auto given = fit_rest(rest, {1}, resources, ExpandLimit::unlimited(), {3});
  ASSERT_TRUE(given) << given.error().message;
  EXPECT_EQ(*given, (ScheduledProfile{{1}, profile({{Duration{9}, 1}, {Duration{2}, 2}})}));
}

TEST(FitRest, what_cannot_go_on_is_a_conflict) {
  ResourceProfile resources(4);
  resources.occupy({{0}, profile({{Duration{10}, 3}})});
  const EvolutionProfile rest = profile({{Duration{4}, 1}, {Duration{2}, 2}});
  const auto impatient = fit_rest(rest, {1}, resources, ExpandLimit::times(2), {3});
  ASSERT_FALSE(impatient);
  EXPECT_EQ(impatient.error().kind, ErrorKind::conflict);
  resources.occupy({{7}, profile({{Duration{1}, 1}})});  // one that counts on its node
  const auto displaced = fit_rest(rest, {1}, resources, ExpandLimit::unlimited(), {3});
  ASSERT_FALSE(displaced);
  EXPECT_EQ(displaced.error().kind, ErrorKind::conflict);
}

TEST(FitRest, a_step_that_has_not_begun_is_refused) {
  const auto early =
      fit_rest(profile({{seconds(1), 1}}), {5}, ResourceProfile(4), ExpandLimit::none(), {4});
  ASSERT_FALSE(early);
  EXPECT_EQ(early.error().kind, ErrorKind::invalid_argument);
}

// Nothing has changed, so nothing changes.
TEST(FitRest, the_rest_of_a_schedule_is_the_schedule_of_the_rest) {
  std::mt19937_64 random(4);
  for (int k = 0; k < 5'000; ++k) {
    const RandomFit made = random_fit(random, 8, 16);
    const ExpandLimit limit = some_limits()[static_cast<std::size_t>(k) % some_limits().size()];
    const EvolutionProfile request = made.request();
    const ResourceProfile resources = made.resources();
    const ScheduledProfile whole = fit(request, resources, {limit, false}, {0}).value();
    const std::size_t step = random() % request.steps().size();
    const Rest rest = rest_from(request, whole, step);
    const auto steps = static_cast<std::uint64_t>((rest.until - rest.began).raw);
    const Instant now = rest.began + Duration{static_cast<std::int64_t>(random() % (steps + 1))};
    const auto given = fit_rest(rest.profile, rest.began, resources, limit, now);
    ASSERT_TRUE(given) << "fit " << k << ": " << given.error().message;
    EXPECT_EQ(given->start, rest.began);
    EXPECT_EQ(given->end(), whole.end());
    EXPECT_TRUE(std::ranges::equal(
        given->profile.steps(),
        std::ranges::subrange(whole.profile.steps().begin() + static_cast<std::ptrdiff_t>(step),
                              whole.profile.steps().end())))
        << "fit " << k << " from step " << step;
  }
}

TEST(FitRest, ends_as_early_as_any_schedule_and_conflicts_where_there_is_none) {
  std::mt19937_64 random(5);
  int conflicts = 0;
  for (int k = 0; k < 5'000; ++k) {
    const RandomFit made = random_fit(random, 4, 5);
    const ExpandLimit limit = some_limits()[static_cast<std::size_t>(k) % some_limits().size()];
    const EvolutionProfile rest = made.request();
    const ResourceProfile resources = made.resources();
    const Instant began{static_cast<std::int64_t>(random() % 4)};
    const Instant now = began + Duration{static_cast<std::int64_t>(random() % 6)};
    const auto given = fit_rest(rest, began, resources, limit, now);
    const auto wanted = AllSchedules(rest, resources, limit, now).earliest_end(0, began);
    ASSERT_EQ(given.has_value(), wanted.has_value()) << "fit " << k;
    if (given) {
      EXPECT_EQ(given->end(), *wanted) << "fit " << k;
      EXPECT_EQ(given->start, began);
    }
    conflicts += given ? 0 : 1;
  }
  EXPECT_GT(conflicts, 500);
  EXPECT_LT(conflicts, 4'500);
}

}  // namespace
}  // namespace aliquot::evolving
