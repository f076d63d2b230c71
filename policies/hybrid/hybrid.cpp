#include "policies/hybrid/hybrid.hpp"

#include <utility>

namespace aliquot {

std::string Hybrid::name() const { return "HYBRID(" + places_->name() + "," + shares_->name() + ")"; }

Plan Hybrid::decide_both(const ClusterView& view, bool others_in_the_way) const {
  Plan placed = places_->decide(placing_view(view, places_->period(), others_in_the_way));
  keep_moves(placed, view);
  Plan shared = shares_->decide(sharing_view(view, placed));
  return joined(view, std::move(shared), std::move(placed));
}

Plan Hybrid::decide(const ClusterView& view) const {
  const bool all_may_move = view.cause.tick && shares_->period();
  Plan plan;
  if (all_may_move) plan = decide_both(view, false);
  if (!all_may_move || !fits(view, plan)) plan = decide_both(view, true);
  // Q did not free what P counted on: P places no job now.
  if (!fits(view, plan)) plan = sharing_alone(*shares_, view);
  wake_for(*places_, view, plan);
  return plan;
}

Explanation Hybrid::explain(const ClusterView& view, JobId job) const {
  if (!is_constrained(view.jobs.at(job).demand)) return shares_->explain(sharing_view(view, {}), job);
  return places_->explain(placing_view(view, places_->period(), true), job);
}

std::optional<ProvenGap> Hybrid::proven_gap(const ClusterView& view) const {
  return places_->proven_gap(placing_view(view, places_->period(), true));
}

}  // namespace aliquot
