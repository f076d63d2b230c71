#include "tools/sim/decide/one_decision.hpp"

#include <algorithm>

#include "tools/sim/decide/adopted.hpp"

namespace aliquot {

OneDecision decide_once(const ClusterView& view, const Policy& policy, std::uint64_t repeat,
                        const std::function<std::int64_t()>& nanoseconds) {
  OneDecision made;
  made.nanoseconds.reserve(repeat);
  for (std::uint64_t k = 0; k < repeat; ++k) {
    const std::int64_t before = nanoseconds();
    made.plan = policy.decide(view);
    made.nanoseconds.push_back(nanoseconds() - before);
  }
  std::sort(made.nanoseconds.begin(), made.nanoseconds.end());
  made.violations = check_plan(view, made.plan);
  if (!made.violations.empty()) return made;
  const ClusterView next = adopted(view, made.plan);
  made.yields = yield_bound(next);
  made.placement = policy.proven_gap(view);
  for (const auto& [id, job] : next.jobs) {
    if (!job.placement.empty()) continue;
    if (++made.unplaced <= kMostReasons) made.reasons.push_back({id, policy.explain(next, id)});
  }
  return made;
}

}  // namespace aliquot
