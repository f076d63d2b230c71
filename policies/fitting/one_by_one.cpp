#include "policies/fitting/one_by_one.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "policies/dfrs/average_yield.hpp"
#include "policies/fitting/place_job.hpp"
#include "policies/placement/explanations.hpp"
#include "policies/reasons.hpp"

namespace aliquot {
namespace {

bool waits(const Job& job) { return job.placement.empty() && !job.held; }

// Something may have become free, or other rules hold: everybody is tried again.
bool anybody(const Cause& cause) { return cause.completed || cause.tick || cause.woken || cause.disturbed; }

std::vector<const Job*> queue(const ClusterView& view) {
  std::vector<const Job*> jobs;
  if (anybody(view.cause)) {
    for (const auto& [id, job] : view.jobs)
      if (waits(job)) jobs.push_back(&job);
  } else {
    for (const JobId id : view.cause.arrived)
      if (const auto job = view.jobs.find(id); job != view.jobs.end() && waits(job->second))
        jobs.push_back(&job->second);
  }
  std::ranges::sort(
      jobs, {}, [](const Job* job) { return std::tuple(-job->demand.priority, job->submitted, job->id); });
  return jobs;
}

// Whoever runs below its need, after another policy, gets what is free; the places are added to that.
Plan raised(const ClusterView& view, std::vector<Change> placed) {
  std::ranges::sort(placed, {}, &Change::job);
  Plan plan;
  if (view.index.kept() && view.index.all_served()) {
    plan.changes = std::move(placed);
    return plan;
  }
  Draft draft = placing_draft(view);
  for (const Change& change : placed) draft.place(draft.index_of(change.job), change.placement);
  plan = draft.plan(fair_yields(draft));
  for (Change& change : plan.changes) {
    const auto mine = std::ranges::lower_bound(placed, change.job, {}, &Change::job);
    const bool fresh = mine != placed.end() && mine->job == change.job;
    if (!change.placement.empty())
      change.devices = fresh ? mine->devices : view.jobs.at(change.job).devices;
  }
  return plan;
}

}  // namespace

std::string OneByOne::name() const {
  switch (rule_) {
    case FitRule::best_fit:
      return "FIT-BEST";
    case FitRule::dot_product:
      return "FIT-DOT";
    case FitRule::fgd:
      return "FGD";
    case FitRule::fgd_fill:
      return "FGD-FILL";
  }
  return {};
}

Plan OneByOne::decide(const ClusterView& view) const {
  const std::vector<const Job*> jobs = queue(view);
  std::vector<Change> placed;
  if (!jobs.empty()) {
    nodes_.follow(view);
    for (const Job* job : jobs) {
      auto place = place_job(job->demand, nodes_);
      if (!place) continue;
      for (std::size_t k = 0; k < place->placement.size(); ++k) {
        const Share& share = place->placement[k];
        nodes_.take(share.node.raw, job->demand, share.units,
                    place->devices.empty() ? 0 : place->devices[k]);
      }
      placed.push_back({job->id, std::move(place->placement), kFullYield, std::move(place->devices)});
    }
  }
  return raised(view, std::move(placed));
}

Explanation OneByOne::explain(const ClusterView& view, JobId id) const {
  const Draft draft = placing_draft(view);
  const std::size_t i = draft.index_of(id);
  if (auto plain = plain_reason(draft, i)) return *plain;
  if (auto never = never_fits_whole(draft, i)) return *never;
  NodeOffers now(rule_);
  now.follow(view);
  if (!place_job(view.jobs.at(id).demand, now)) return does_not_fit_now(draft, i);
  Explanation why;
  why.reason = Reason::waiting_for_tick;
  why.text = "there is room for it: it starts at the next decision";
  return why;
}

}  // namespace aliquot
