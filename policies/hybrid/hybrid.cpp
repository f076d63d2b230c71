#include "policies/hybrid/hybrid.hpp"

#include <algorithm>
#include <utility>

#include "policies/hybrid/views.hpp"
#include "policies/model/plan_check.hpp"

namespace aliquot {
namespace {

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

std::optional<Instant> earlier(std::optional<Instant> a, std::optional<Instant> b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

// Of P's jobs, once the plan is in force.
bool somebody_waits(const ClusterView& view, const Plan& plan) {
  return std::any_of(view.jobs.begin(), view.jobs.end(), [&](const auto& entry) {
    const Job& job = entry.second;
    if (!job.placement.empty() || job.held || !is_constrained(job.demand)) return false;
    const auto change = std::ranges::lower_bound(plan.changes, job.id, {}, &Change::job);
    return change == plan.changes.end() || change->job != job.id;
  });
}

// Of what P wants, only where its own jobs go: how much they get is for Q to say.
void keep_moves(Plan& placed, const ClusterView& view) {
  std::erase_if(placed.changes, [&](const Change& change) {
    const Job& job = view.jobs.at(change.job);
    return !is_constrained(job.demand) || job.placement == change.placement;
  });
}

// Q's changes, those of P's jobs among them with their devices; then P's that Q leaves as they are.
std::vector<Change> joined(const ClusterView& view, std::vector<Change> shared,
                           std::vector<Change> placed) {
  const auto of = [](std::vector<Change>& changes, JobId job) {
    const auto at = std::ranges::lower_bound(changes, job, {}, &Change::job);
    return at != changes.end() && at->job == job ? &*at : nullptr;
  };
  for (Change& change : shared) {
    if (!is_constrained(view.jobs.at(change.job).demand)) continue;
    const Change* fresh = of(placed, change.job);
    change.devices = fresh ? fresh->devices : view.jobs.at(change.job).devices;
  }
  std::erase_if(placed, [&](const Change& change) { return of(shared, change.job) != nullptr; });
  std::ranges::move(placed, std::back_inserter(shared));
  std::ranges::sort(shared, {}, &Change::job);
  return shared;
}

}  // namespace

std::string Hybrid::name() const { return "HYBRID(" + places_->name() + "," + shares_->name() + ")"; }

Plan Hybrid::both(const ClusterView& view, bool others_in_the_way) const {
  Plan placed = places_->decide(placing_view(view, places_->period(), others_in_the_way));
  keep_moves(placed, view);
  Plan plan = shares_->decide(sharing_view(view, placed));
  plan.changes = joined(view, std::move(plan.changes), std::move(placed.changes));
  plan.memory.state = std::move(placed.memory.state);
  plan.memory.reservations.merge(placed.memory.reservations);
  plan.wake_at = earlier(plan.wake_at, placed.wake_at);
  return plan;
}

Plan Hybrid::decide(const ClusterView& view) const {
  const bool all_may_move = view.cause.tick && shares_->period();
  Plan plan;
  bool lawful = false;
  if (all_may_move) {
    plan = both(view, false);
    lawful = check_plan(view, plan).empty();
  }
  if (!lawful) {
    plan = both(view, true);
    lawful = check_plan(view, plan).empty();
  }
  // Whoever shares did not make the room that was counted on: nobody is placed now.
  if (!lawful) {
    plan = shares_->decide(sharing_view(view, {}));
    plan.changes = joined(view, std::move(plan.changes), {});
    plan.memory.state = view.memory.state;
  }
  if (places_->period() && somebody_waits(view, plan))
    plan.wake_at = earlier(plan.wake_at, next_multiple(view.now, *places_->period()));
  return plan;
}

Explanation Hybrid::explain(const ClusterView& view, JobId job) const {
  if (!is_constrained(view.jobs.at(job).demand)) return shares_->explain(sharing_view(view, {}), job);
  return places_->explain(placing_view(view, places_->period(), true), job);
}

std::optional<ProvenGap> Hybrid::proven_gap(const ClusterView& view) const {
  return places_->proven_gap(placing_view(view, places_->period(), true));
}

Result<HybridParts> hybrid_parts(const PolicyName& name) {
  std::string_view text = trimmed(name.rest);
  if (!text.starts_with('(') || !text.ends_with(')'))
    return refuse(name.text,
                  "write HYBRID(P,Q): P places jobs with devices, Q shares the rest; for example "
                  "HYBRID(IPSCHED,DYNMCB8-ASAP-PER-600+match)");
  text.remove_prefix(1);
  text.remove_suffix(1);
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')') --depth;
    if (text[i] != ',' || depth != 0) continue;
    return HybridParts{std::string(trimmed(text.substr(0, i))), std::string(trimmed(text.substr(i + 1)))};
  }
  return refuse(name.text, "two policies stand in the brackets, with a comma between them");
}

}  // namespace aliquot
