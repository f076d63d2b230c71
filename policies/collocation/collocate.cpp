#include "policies/collocation/collocate.hpp"

#include <algorithm>
#include <utility>

#include "policies/collocation/eviction.hpp"
#include "policies/hybrid/division.hpp"

namespace aliquot {
namespace {

// The view once P's plan is in force; what P remembers by then is in it.
ClusterView with_placed(const ClusterView& view, const Plan& placed) {
  ClusterView after = view;
  after.index = {};
  for (const Change& change : placed.changes) {
    Job& job = after.jobs.at(change.job);
    job = placed_by(std::move(job), change, view);
  }
  after.memory.state = placed.memory.state;
  return after;
}

// Q's changes against the view in which the evicted jobs are paused, as changes against the real one.
void unpause(Plan& shared, const ClusterView& view, const std::vector<JobId>& evicted) {
  for (const JobId id : evicted)
    if (std::ranges::find(shared.changes, id, &Change::job) == shared.changes.end())
      shared.changes.push_back({id, {}, {}});
  std::ranges::sort(shared.changes, {}, &Change::job);
  std::erase_if(shared.changes, [&](const Change& change) {
    const Job& job = view.jobs.at(change.job);
    return job.placement == change.placement && job.yield == change.yield;
  });
}

}  // namespace

std::string Collocate::name() const { return "COLLOCATE(" + places_->name() + "," + shares_->name() + ")"; }

Plan Collocate::place(const ClusterView& view) const {
  Plan placed = places_->decide(placing_view(view, places_->period(), true));
  keep_moves(placed, view);
  if (!any_waits(view, placed)) return placed;
  const ClusterView after = with_placed(view, placed);
  ClusterView without_others = placing_view(after, places_->period(), false);
  without_others.cause.disturbed = true;  // there is more room than P has seen
  Plan more = places_->decide(without_others);
  keep_moves(more, after);
  std::ranges::move(more.changes, std::back_inserter(placed.changes));
  std::ranges::sort(placed.changes, {}, &Change::job);
  more.changes = std::move(placed.changes);
  more.memory.reservations.merge(placed.memory.reservations);
  return more;
}

Plan Collocate::decide(const ClusterView& view) const {
  Plan placed = place(view);
  const std::vector<JobId> evicted = evicted_by(view, placed);
  Plan shared = shares_->decide(with_paused(sharing_view(view, placed), evicted));
  unpause(shared, view, evicted);
  Plan plan = joined(view, std::move(shared), std::move(placed));
  // Immovable jobs are in the way: P places no job now.
  if (!fits(view, plan)) plan = sharing_alone(*shares_, view);
  wake_for(*places_, view, plan);
  return plan;
}

Explanation Collocate::explain(const ClusterView& view, JobId job) const {
  if (!is_constrained(view.jobs.at(job).demand)) return shares_->explain(sharing_view(view, {}), job);
  return places_->explain(placing_view(view, places_->period(), false), job);
}

std::optional<ProvenGap> Collocate::proven_gap(const ClusterView& view) const {
  return places_->proven_gap(placing_view(view, places_->period(), true));
}

}  // namespace aliquot
