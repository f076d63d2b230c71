#include "tools/sim/placement/layouts.hpp"

namespace aliquot {

void Layouts::on_step(const Step& step, const ClusterView&) {
  if (!step.decision || !step.decision->adopted) return;
  for (const Change& change : step.decision->plan.changes) {
    if (change.placement.empty() || layouts_.contains(change.job)) continue;
    std::vector<std::uint32_t> nodes;
    for (const Share& share : change.placement) nodes.push_back(share.node.raw);
    layouts_[change.job] = ip::layout_of(nodes);
  }
}

}  // namespace aliquot
