#include "tools/sim/placement/layouts.hpp"

namespace aliquot {

void Layouts::on_step(const Step& step, const ClusterView&) {
  if (!step.decision || !step.decision->adopted) return;
  for (const Change& change : step.decision->plan.changes) {
    if (change.placement.empty() || layouts_.contains(change.job)) continue;
    layouts_[change.job] = layout_of(change.placement);
  }
}

}  // namespace aliquot
