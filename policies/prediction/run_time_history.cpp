#include "policies/prediction/run_time_history.hpp"

#include <algorithm>
#include <cmath>

namespace aliquot::prediction {
namespace {

constexpr double kStepsOfTwo = 256;         // so many steps widen a side by a factor of 2
constexpr std::int32_t kStepsOfMiss = 9;    // against one of a hit: a miss in ten is in balance
constexpr std::int64_t kNewestCounts = 10;  // a tenth
constexpr std::int64_t kMuch = 4;           // a quarter: by so much a coarser class must be better
constexpr Duration kUnbounded{INT64_MAX};

double widening(std::int32_t steps) { return std::exp2(steps / kStepsOfTwo); }

Duration scaled(Duration span, double factor) {
  const double value = static_cast<double>(span.raw) * factor;
  return value < 9e18 ? Duration{static_cast<std::int64_t>(value)} : kUnbounded;
}

Duration apart(Duration a, Duration b) { return std::max(a - b, b - a); }
Duration less(Duration span, Duration done) { return std::max(Duration{}, span - done); }

}  // namespace

RunTimeHistory::RunTimeHistory(std::size_t most) : most_(std::max(most, kLevels)) {}

void RunTimeHistory::learn(const RunTraits& traits, Duration run_time,
                           const std::optional<SaidInterval>& said) {
  if (said) follow_misses(run_time, *said);
  compare_classes(traits, run_time);
  for (std::size_t level = 0; level < kLevels; ++level) {
    Entry& entry = entry_of(class_of(static_cast<ClassLevel>(level), traits));
    remember(entry, run_time);
  }
  while (entries_.size() > most_) forget_least_recent();
}

void RunTimeHistory::compare_classes(const RunTraits& traits, Duration run_time) {
  std::optional<Duration> coarser;
  for (std::size_t level = kLevels; level-- > 0;) {
    const auto known = entries_.find(class_of(static_cast<ClassLevel>(level), traits));
    if (known == entries_.end()) continue;
    const Prediction own = from(*known->second, {});
    if (own.runs < kLeastRuns) continue;
    Duration& behind = known->second->known.behind;
    if (coarser) {
      const Duration off = apart(*coarser, run_time);
      const Duration more = apart(own.rest, run_time) - (off + Duration{off.raw / kMuch});
      behind.raw = multiply_divide(behind.raw, kNewestCounts - 1, kNewestCounts) + more.raw / kNewestCounts;
    }
    if (!coarser || behind.raw <= 0) coarser = own.rest;
  }
}

// Keeps the last kRunsKept of them, and the same in order of length.
void RunTimeHistory::remember(Entry& entry, Duration run_time) {
  std::vector<Duration>& runs = entry.known.runs;
  std::vector<Duration>& sorted = entry.sorted;
  if (runs.size() == kRunsKept) {
    sorted.erase(std::ranges::lower_bound(sorted, runs.front()));
    runs.erase(runs.begin());
  }
  runs.push_back(run_time);
  sorted.insert(std::ranges::upper_bound(sorted, run_time), run_time);
}

void RunTimeHistory::follow_misses(Duration run_time, const SaidInterval& said) {
  const auto follow = [](std::int32_t& steps, bool missed) {
    steps = std::clamp(steps + (missed ? kStepsOfMiss : -1), 0, kMostSteps);
  };
  follow(steps_below_, run_time < said.least);
  follow(steps_above_, run_time > said.most);
}

// The most recently taught one from now on.
RunTimeHistory::Entry& RunTimeHistory::entry_of(const RunClass& one) {
  const auto known = entries_.find(one);
  if (known == entries_.end()) {
    order_.push_back({{one, {}}, {}});
    entries_.emplace(one, std::prev(order_.end()));
  } else {
    order_.splice(order_.end(), order_, known->second);
  }
  return order_.back();
}

void RunTimeHistory::forget_least_recent() {
  entries_.erase(order_.front().known.of);
  order_.pop_front();
}

Prediction RunTimeHistory::predict(const RunTraits& traits, Duration done,
                                   std::optional<Duration> limit) const {
  Prediction made{std::max(kStretchBound, Duration{done.raw / 4}), {}, kUnbounded, 0, std::nullopt};
  for (std::size_t level = 0; level < kLevels; ++level) {
    const auto known = entries_.find(class_of(static_cast<ClassLevel>(level), traits));
    if (known == entries_.end()) continue;
    const Prediction found = from(*known->second, done);
    if (found.runs < kLeastRuns || known->second->known.behind.raw > 0) continue;
    made = found;
    break;
  }
  if (!limit) return made;
  const Duration left = less(*limit, done);
  for (Duration* const span : {&made.rest, &made.earliest, &made.latest}) *span = std::min(*span, left);
  return made;
}

Prediction RunTimeHistory::from(const Entry& entry, Duration done) const {
  const auto first = std::ranges::upper_bound(entry.sorted, done);
  const auto count = static_cast<std::size_t>(entry.sorted.end() - first);
  if (count == 0) return {};
  const auto of_rank = [&](std::size_t rank) {  // from 1
    return *(first + static_cast<std::ptrdiff_t>(std::clamp<std::size_t>(rank, 1, count) - 1));
  };
  Int128 sum = 0;
  for (auto run = first; run != entry.sorted.end(); ++run) sum += run->raw;
  const Duration mean{static_cast<std::int64_t>(sum / static_cast<Int128>(count))};
  const std::size_t of_tenths = count + 1;
  const Duration low = scaled(of_rank(of_tenths / 10), 1 / widening(steps_below_));
  const Duration high = scaled(of_rank((9 * of_tenths + 9) / 10), widening(steps_above_));
  return {less(mean, done), less(low, done), less(high, done), static_cast<std::uint32_t>(count),
          entry.known.of.level};
}

std::size_t RunTimeHistory::forget(std::uint32_t user) {
  const auto is_of_user = [user](const Entry& entry) {
    const ClassLevel level = entry.known.of.level;
    return level <= ClassLevel::user && entry.known.of.traits.user == user;
  };
  std::erase_if(entries_, [&](const auto& entry) { return is_of_user(*entry.second); });
  return order_.remove_if(is_of_user);
}

std::vector<RunTimeHistory::Known> RunTimeHistory::list() const {
  std::vector<Known> all;
  for (const Entry& entry : order_) all.push_back(entry.known);
  return all;
}

}  // namespace aliquot::prediction
