#include "policies/evolving/fit.hpp"

#include <algorithm>
#include <string>

namespace aliquot::evolving {
namespace {

// The least fixpoint. Its lower bounds hold for every feasible schedule: each rises only to where no
// schedule that respects the others can begin the step earlier.
class EarliestSteps {
 public:
  // No step begins before `from`.
  EarliestSteps(const EvolutionProfile& requested, const ResourceProfile& resources, ExpandLimit limit,
                Instant from)
      : steps_(requested.steps()),
        resources_(resources),
        limit_(limit),
        longest_first_(steps_.front().duration),
        begin_(steps_.size(), from) {}

  // The first step has begun: it is expanded instead of being delayed.
  EarliestSteps& running_since(Instant began) {
    begin_.front() = began;
    longest_first_ = limit_.longest(steps_.front().duration);
    return *this;
  }

  // When each step begins.
  std::vector<Instant> find() {
    std::size_t i = 0;
    while (i < steps_.size()) {
      const Instant before = begin_[i];
      hold(i);
      if (i > 0 && begin_[i] > before) {
        --i;  // it must hold its nodes for longer
        continue;
      }
      if (i + 1 < steps_.size()) begin_[i + 1] = std::max(begin_[i + 1], begin_[i] + steps_[i].duration);
      ++i;
    }
    return begin_;
  }

 private:
  // Raises the bound of a step to the first instant from which it can hold its nodes: for as long as it
  // computes (Algorithm 2, lines 5 to 7), and until the next step begins (lines 12 and 13), which may not
  // be too long (lines 8 to 11).
  void hold(std::size_t i) {
    const auto& [duration, nodes] = steps_[i];
    Instant& begin = begin_[i];
    const Instant next = i + 1 < steps_.size() ? begin_[i + 1] : begin;
    begin = std::max(begin, next - (i == 0 ? longest_first_ : limit_.longest(duration)));
    while (const auto end = resources_.last_shortage(begin, std::max(begin + duration, next), nodes))
      begin = *end;
  }

  const std::vector<ProfileStep>& steps_;
  const ResourceProfile& resources_;
  const ExpandLimit limit_;
  Duration longest_first_;
  std::vector<Instant> begin_;  // no feasible schedule begins the step earlier
};

// Each step holds its nodes until the next one begins.
ScheduledProfile schedule_of(const EvolutionProfile& requested, const std::vector<Instant>& begin) {
  std::vector<Duration> durations;
  durations.reserve(begin.size());
  for (std::size_t i = 0; i + 1 < begin.size(); ++i) durations.push_back(begin[i + 1] - begin[i]);
  durations.push_back(requested.steps().back().duration);
  return {begin.front(), requested.expanded(durations)};
}

ScheduledProfile earliest(const EvolutionProfile& requested, const ResourceProfile& resources,
                          ExpandLimit limit, Instant from) {
  return schedule_of(requested, EarliestSteps(requested, resources, limit, from).find());
}

// Sec. 4.2, "Compacting": the steps are placed from last to first, the last one at the end that has been
// found. Seen backwards in time, that is the earliest fit from there on. It ends no later than the given
// schedule does, seen backwards, and so does not start earlier.
ScheduledProfile compacted(const EvolutionProfile& requested, const ResourceProfile& resources,
                           ExpandLimit limit, Instant end) {
  const ScheduledProfile backwards =
      earliest(requested.reversed(), resources.reversed(end), limit, Instant{0});
  return {Instant{end.raw - backwards.end().raw}, backwards.profile.reversed()};
}

// Whether it fits once everything else has ended, and that is an instant.
Result<void> check_sizes(const EvolutionProfile& requested, const ResourceProfile& resources,
                         Instant from) {
  if (requested.most_nodes() > resources.nodes())
    return fail(ErrorKind::refused, "a step asks for " + std::to_string(requested.most_nodes()) +
                                        " nodes and the cluster has " + std::to_string(resources.nodes()) +
                                        ": ask for fewer");
  const Instant free = std::max(from, resources.last_change().value_or(from));
  if (from < kEarliest || free > kLatest - requested.total_duration())
    return fail(ErrorKind::too_large,
                "a schedule would end beyond all time: put fewer or shorter profiles after each other");
  return {};
}

}  // namespace

Result<ScheduledProfile> fit(const EvolutionProfile& requested, const ResourceProfile& resources,
                             const FitRule& rule, Instant from) {
  if (const auto sizes = check_sizes(requested, resources, from); !sizes)
    return tl::unexpected(sizes.error());
  const ScheduledProfile found = earliest(requested, resources, rule.limit, from);
  return rule.compacting ? compacted(requested, resources, rule.limit, found.end()) : found;
}

Result<ScheduledProfile> fit_rest(const EvolutionProfile& rest, Instant began,
                                  const ResourceProfile& resources, ExpandLimit limit, Instant now) {
  if (began < kEarliest || began > now)
    return fail(ErrorKind::invalid_argument, "the step that runs has not begun: fit all of the profile");
  if (const auto sizes = check_sizes(rest, resources, now); !sizes) return tl::unexpected(sizes.error());
  const auto begin = EarliestSteps(rest, resources, limit, now).running_since(began).find();
  if (begin.front() > began)
    return fail(ErrorKind::conflict, "the step that runs cannot hold its " +
                                         std::to_string(rest.steps().front().nodes) +
                                         " nodes until the next one can begin: release what others have "
                                         "been promised, or raise the expand limit");
  return schedule_of(rest, begin);
}

}  // namespace aliquot::evolving
