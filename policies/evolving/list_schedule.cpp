#include "policies/evolving/list_schedule.hpp"

namespace aliquot::evolving {

Result<ScheduledProfile> ListSchedule::add(const EvolutionProfile& requested) {
  auto scheduled = fit(requested, resources_, rule_, Instant{0});  // lines 3 and 4
  if (scheduled) resources_.occupy(*scheduled);                    // line 5
  return scheduled;
}

Result<std::vector<ScheduledProfile>> schedule_in_order(std::span<const EvolutionProfile> requested,
                                                        std::int64_t nodes, const FitRule& rule) {
  ListSchedule list(nodes, rule);
  std::vector<ScheduledProfile> schedule;
  schedule.reserve(requested.size());
  for (const EvolutionProfile& application : requested) {
    auto scheduled = list.add(application);
    if (!scheduled)
      return fail(scheduled.error().kind,
                  "application " + std::to_string(schedule.size() + 1) + ": " + scheduled.error().message);
    schedule.push_back(*std::move(scheduled));
  }
  return schedule;
}

}  // namespace aliquot::evolving
