#include "policies/evolving/fit.hpp"

#include <algorithm>

namespace aliquot::evolving {
namespace {

// The least fixpoint. Its lower bounds hold for every feasible schedule: each rises only to where no
// schedule that respects the others can begin the step earlier.
class EarliestSteps {
 public:
  EarliestSteps(const EvolutionProfile& requested, const ResourceProfile& resources, ExpandLimit limit,
                Instant from)
      : steps_(requested.steps()), resources_(resources), limit_(limit), begin_(steps_.size(), from) {}

  // When each step begins.
  std::vector<Instant> find() && {
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
    return std::move(begin_);
  }

 private:
  // Raises the bound of a step to the first instant from which it can hold its nodes: for as long as it
  // computes (Algorithm 2, lines 5 to 7), and until the next step begins (lines 12 and 13), which may not
  // be too long (lines 8 to 11).
  void hold(std::size_t i) {
    const auto& [duration, nodes] = steps_[i];
    Instant& begin = begin_[i];
    const Instant next = i + 1 < steps_.size() ? begin_[i + 1] : begin;
    begin = std::max(begin, next - (i == 0 ? duration : limit_.longest(duration)));
    while (const auto end = resources_.last_shortage(begin, std::max(begin + duration, next), nodes))
      begin = *end;
  }

  const std::vector<ProfileStep>& steps_;
  const ResourceProfile& resources_;
  const ExpandLimit limit_;
  std::vector<Instant> begin_;  // no feasible schedule begins the step earlier
};

ScheduledProfile earliest(const EvolutionProfile& requested, const ResourceProfile& resources,
                          ExpandLimit limit, Instant from) {
  const std::vector<Instant> begin = EarliestSteps(requested, resources, limit, from).find();
  std::vector<Duration> durations;
  durations.reserve(begin.size());
  for (std::size_t i = 0; i + 1 < begin.size(); ++i) durations.push_back(begin[i + 1] - begin[i]);
  durations.push_back(requested.steps().back().duration);
  return {begin.front(), requested.expanded(durations)};
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

}  // namespace

Result<ScheduledProfile> fit(const EvolutionProfile& requested, const ResourceProfile& resources,
                             const FitRule& rule, Instant from) {
  if (requested.most_nodes() > resources.nodes())
    return fail(ErrorKind::refused, "a step asks for " + std::to_string(requested.most_nodes()) +
                                        " nodes and the cluster has " + std::to_string(resources.nodes()) +
                                        ": ask for fewer");
  // Where everything else has ended it fits without expansion, so that it ends no later than this.
  const Instant free = std::max(from, resources.last_change().value_or(from));
  if (from < kEarliest || free > kLatest - requested.total_duration())
    return fail(ErrorKind::too_large,
                "a schedule would end beyond all time: put fewer or shorter profiles after each other");
  const ScheduledProfile found = earliest(requested, resources, rule.limit, from);
  return rule.compacting ? compacted(requested, resources, rule.limit, found.end()) : found;
}

}  // namespace aliquot::evolving
