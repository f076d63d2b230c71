#include "test/property/added_policy/first_fit.hpp"

#include <algorithm>

#include "policies/dfrs/fair_yields.hpp"
#include "policies/draft.hpp"
#include "policies/reasons.hpp"

namespace aliquot::test {

namespace {

Placement first_nodes(const Draft& draft, const Demand& demand) {
  Placement placement;
  std::int64_t missing = demand.tasks;
  for (std::uint32_t n = 0; n < draft.nodes() && missing > 0; ++n) {
    const std::int64_t here = std::min(missing, draft.slots(n, demand));
    if (here > 0) placement.push_back({{n}, static_cast<std::uint32_t>(here)});
    missing -= here;
  }
  return missing > 0 ? Placement{} : placement;
}

}  // namespace

const PolicyGrammar<FirstFitSpec>& first_fit_grammar() {
  static const PolicyGrammar<FirstFitSpec> grammar{
      "FIRST-FIT", {}, '+', {flag("+in-order", &FirstFitSpec::in_order)}};
  return grammar;
}

Plan FirstFit::decide(const ClusterView& view) const {
  Draft draft(view);
  for (std::size_t i = 0; i < draft.size(); ++i) {
    if (!draft.candidate(i) || draft.job(i).demand.tasks == 0) continue;
    const Placement placement = first_nodes(draft, draft.job(i).demand);
    if (!placement.empty()) draft.place(i, placement);
    if (placement.empty() && spec_.in_order) break;
  }
  return draft.plan(fair_yields(draft));
}

Explanation FirstFit::explain(const ClusterView& view, JobId job) const {
  const Draft draft(view);
  const std::size_t i = draft.index_of(job);
  if (auto plain = plain_reason(draft, i)) return *plain;
  if (!draft.fits(draft.job(i).demand)) return capacity_reason(draft, i);
  Explanation why;
  why.reason = Reason::lower_priority;
  why.text = "would fit now; a job ahead of it does not";
  return why;
}

}  // namespace aliquot::test
