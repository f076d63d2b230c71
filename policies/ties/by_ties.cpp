#include "policies/ties/by_ties.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "policies/dfrs/priority.hpp"
#include "policies/draft.hpp"
#include "policies/reasons.hpp"

namespace aliquot {
namespace {

bool any_tied(const ClusterView& view) {
  if (view.index.kept()) return view.index.any_tied();
  return std::ranges::any_of(view.jobs, [](const auto& entry) { return !entry.second.tied_to.empty(); });
}

// The same cluster without any tie.
ClusterView untied(const ClusterView& view) {
  ClusterView free = view;
  free.index.drop();
  for (auto&& [id, job] : free.jobs) job.tied_to.clear();
  return free;
}

const Change* change_of(const Plan& plan, JobId job) {
  const auto at = std::ranges::lower_bound(plan.changes, job, {}, &Change::job);
  return at != plan.changes.end() && at->job == job ? &*at : nullptr;
}

bool all_usable(const ClusterView& view, const Placement& places) {
  return std::ranges::all_of(places,
                             [&](const Share& share) { return view.nodes[share.node.raw].usable(); });
}

// Whether the tasks fit there beside what the draft has.
bool fits(const Draft& draft, const Demand& demand, const Placement& places) {
  return std::ranges::all_of(places, [&](const Share& share) {
    return draft.slots(share.node.raw, demand) >= std::int64_t{share.units};
  });
}

void pause(Job& job) {
  job.phase = Phase::paused;
  job.placement.clear();
  job.devices.clear();
  job.yield = {};
}

// It runs there already, as the trial has it: no decision may take it away.
void stand(Job& job, const Placement& places) {
  job.held = false;
  job.phase = Phase::running;
  job.pinned = true;
  job.placement = places;
  job.yield = floor_of(job.demand);
}

Cpu given_on(const ClusterView& view, NodeId node) {
  Cpu given;
  for (const auto& [id, job] : view.jobs)
    for (const Share& share : job.placement)
      if (share.node == node) given += job.demand.need * job.yield * share.units;
  return given;
}

// The decision for one view with tied jobs.
class TiedDecision {
 public:
  TiedDecision(const Policy& policy, const ClusterView& view)
      : policy_(policy), view_(view), trial_(untied(view)) {}

  [[nodiscard]] Plan make() && {
    Plan plan = policy_.decide(trial_);
    const PolicyMemory first = plan.memory;
    for (std::vector<JobId> wanted; !(wanted = misplaced_by(plan)).empty();) {
      if (asked_ == 0) pause_held_jobs();
      for (const JobId id : wanted)
        if (asked_++ >= kMostAsked || !bring_back(id)) leave_out(id);
      if (asked_ >= kMostAsked) leave_out_the_rest();
      trial_.cause.disturbed = trial_.cause.disturbed || !returned_.empty();
      plan = policy_.decide(trial_);
    }
    complete(plan);
    for (const auto& [id, retry] : first.retries)
      if (trial_.jobs.at(id).held) plan.memory.retries[id] = retry;
    return plan;
  }

 private:
  // The tied jobs that the plan places where they cannot be, by decreasing priority.
  [[nodiscard]] std::vector<JobId> misplaced_by(const Plan& plan) const {
    std::vector<std::pair<double, JobId>> order;
    for (const Change& change : plan.changes) {
      const Job& job = view_.jobs.at(change.job);
      if (!job.tied_to.empty() && !change.placement.empty() && change.placement != job.tied_to)
        order.emplace_back(-priority(job, view_.now), job.id);
    }
    std::ranges::sort(order);
    std::vector<JobId> misplaced;
    for (const auto& entry : order) misplaced.push_back(entry.second);
    return misplaced;
  }

  // As every policy does: on nodes that take nothing new they would stay.
  void pause_held_jobs() {
    const Draft draft(trial_);
    for (auto&& [id, job] : trial_.jobs) {
      if (!job.held || job.placement.empty() || draft.placed(draft.index_of(id))) continue;
      pause(job);
      paused_.push_back(id);
    }
  }

  // The nodes of the first are kept free for it, as EASY does for the first of its queue.
  void leave_out(JobId id) {
    trial_.jobs.at(id).held = true;
    std::erase(trial_.cause.arrived, id);
    if (std::exchange(keeps_free_, true)) return;
    for (const Share& share : view_.jobs.at(id).tied_to)
      if (Node& node = trial_.nodes[share.node.raw]; node.service == NodeService::in_service)
        node.service = NodeService::draining;
  }

  void leave_out_the_rest() {
    for (const auto& [id, job] : view_.jobs)
      if (!job.tied_to.empty() && trial_.jobs.at(id).placement.empty()) leave_out(id);
  }

  // The job on the nodes that keep its VMs, and the jobs that the policy would pause for it paused. False:
  // there is no room for it now.
  bool bring_back(JobId id) {
    const Placement& places = view_.jobs.at(id).tied_to;
    if (!all_usable(trial_, places)) return false;
    const Plan plan = policy_.decide(cluster_of(id));
    const Change* const own = change_of(plan, id);
    const bool is_placed = own != nullptr && !own->placement.empty();
    // The policy may be one that would never put so much on one node, after one that did.
    if (!is_placed && !are_idle(places)) return false;
    Draft draft(trial_);
    const std::vector<JobId> paused = is_placed ? taken_off(draft, plan) : std::vector<JobId>();
    if (!fits(draft, view_.jobs.at(id).demand, places)) return false;
    for (const JobId other : paused) pause(trial_.jobs.at(other));
    paused_.insert(paused_.end(), paused.begin(), paused.end());
    stand(trial_.jobs.at(id), places);
    returned_.push_back(id);
    for (const Share& share : places) fit_yields(trial_.nodes[share.node.raw]);
    return true;
  }

  // What the node has too little of, all jobs there give up, down to their guarantees: a policy may keep
  // the yields that are in force. Ends, since the guarantees fit.
  void fit_yields(const Node& node) {
    for (bool any_lower = true; any_lower;) {
      any_lower = false;
      const Cpu given = given_on(trial_, node.id);
      if (given <= node.capacity) return;
      for (auto&& [id, job] : trial_.jobs) {
        const auto at = std::ranges::find(job.placement, node.id, &Share::node);
        const Yield share{multiply_divide(job.yield.raw, node.capacity.raw, given.raw)};
        const Yield lower = std::max(floor_of(job.demand), share);
        if (at == job.placement.end() || lower >= job.yield) continue;
        job.yield = lower;
        slowed_.insert(id);
        any_lower = true;
      }
    }
  }

  [[nodiscard]] bool are_idle(const Placement& places) const {
    return std::ranges::none_of(trial_.jobs, [&](const auto& entry) {
      return std::ranges::any_of(entry.second.placement, [&](const Share& share) {
        return std::ranges::find(places, share.node, &Share::node) != places.end();
      });
    });
  }

  // The jobs that the plan pauses or moves; the draft is left without them.
  static std::vector<JobId> taken_off(Draft& draft, const Plan& plan) {
    std::vector<JobId> taken;
    for (const Change& change : plan.changes) {
      const std::size_t i = draft.index_of(change.job);
      if (!draft.placed(i) || draft.placement(i) == Shares(change.placement)) continue;
      draft.remove(i);
      taken.push_back(change.job);
    }
    return taken;
  }

  // The nodes of this job alone, as they are now, with no other job that waits for them.
  [[nodiscard]] ClusterView cluster_of(JobId id) const {
    ClusterView alone = trial_;
    const Placement& places = view_.jobs.at(id).tied_to;
    for (Node& node : alone.nodes)
      if (std::ranges::find(places, node.id, &Share::node) == places.end() &&
          node.service == NodeService::in_service)
        node.service = NodeService::draining;
    for (auto&& [other, job] : alone.jobs)
      if (job.placement.empty()) job.held = true;
    alone.jobs.at(id).held = false;
    const bool has_arrived = std::ranges::count(view_.cause.arrived, id) > 0;
    alone.cause.arrived.clear();
    if (has_arrived) alone.cause.arrived.push_back(id);
    alone.cause.disturbed = true;
    return alone;
  }

  // The plan is about the trial: it becomes one about the view.
  void complete(Plan& plan) const {
    std::vector<Change> missing;
    for (const JobId id : returned_)
      if (!change_of(plan, id))
        missing.push_back({id, view_.jobs.at(id).tied_to, trial_.jobs.at(id).yield});
    for (const JobId id : paused_)
      if (!change_of(plan, id)) missing.push_back({id, {}, {}});
    for (const JobId id : slowed_) {
      const Job& job = trial_.jobs.at(id);
      if (!change_of(plan, id) && !job.placement.empty() && view_.jobs.at(id).tied_to.empty())
        missing.push_back({id, job.placement, job.yield, job.devices});
    }
    std::ranges::move(missing, std::back_inserter(plan.changes));
    std::erase_if(plan.changes, [&](const Change& change) {
      const Job& job = view_.jobs.at(change.job);
      return change.placement == job.placement && change.yield == job.yield;
    });
    std::ranges::sort(plan.changes, {}, &Change::job);
  }

  const Policy& policy_;
  const ClusterView& view_;
  ClusterView trial_;  // the cluster without ties, as it is to be looked at
  std::size_t asked_ = 0;
  bool keeps_free_ = false;
  std::vector<JobId> returned_;
  std::vector<JobId> paused_;  // for them
  std::set<JobId> slowed_;     // for them
};

// "n1 (2 tasks, 512 MiB free) and n3 (1 task, draining)"
std::string places_text(const Draft& draft, const Placement& places) {
  constexpr std::size_t kMostNamed = 4;
  std::string text;
  for (std::size_t k = 0; k < std::min(places.size(), kMostNamed); ++k) {
    const Node& node = draft.node(places[k].node.raw);
    const std::string tasks = std::to_string(places[k].units) + (places[k].units == 1 ? " task" : " tasks");
    const std::string state = node.usable()    ? text_of(draft.ledger(node.id.raw).free) + " free"
                              : node.answers() ? "takes nothing new"
                                               : "does not answer";
    text += (k == 0 ? "" : ", ") + node.name + " (" + tasks + ", " + state + ")";
  }
  if (places.size() > kMostNamed)
    text += " and " + std::to_string(places.size() - kMostNamed) + " more nodes";
  return text;
}

class ByTies : public Policy {
 public:
  explicit ByTies(std::unique_ptr<Policy> policy) : policy_(std::move(policy)) {}

  [[nodiscard]] std::string name() const override { return policy_->name(); }
  [[nodiscard]] std::optional<Duration> period() const override { return policy_->period(); }

  [[nodiscard]] bool shares_cpu() const override { return policy_->shares_cpu(); }
  [[nodiscard]] bool reads_predictions() const override { return policy_->reads_predictions(); }
  [[nodiscard]] Plan decide(const ClusterView& view) const override {
    return any_tied(view) ? TiedDecision(*policy_, view).make() : policy_->decide(view);
  }

  // Of the decision without ties, which bounds what is possible with them.
  [[nodiscard]] std::optional<ProvenGap> proven_gap(const ClusterView& view) const override {
    if (!any_tied(view)) return policy_->proven_gap(view);
    return policy_->proven_gap(untied(view));
  }

  [[nodiscard]] Explanation explain(const ClusterView& view, JobId id) const override {
    const Job& job = view.jobs.at(id);
    if (!any_tied(view)) return policy_->explain(view, id);
    if (job.tied_to.empty() || job.held) return policy_->explain(untied(view), id);
    const ClusterView free = untied(view);
    const Draft draft(free);
    const std::string where =
        "its saved VMs are kept by " + places_text(draft, job.tied_to) + ", and it can go on only there";
    if (!all_usable(view, job.tied_to)) return explained(Reason::nodes_unavailable, where);
    if (!fits(draft, job.demand, job.tied_to)) {
      Explanation why = explained(Reason::tied, where + ": " + tasks_text(job.demand) + " do not fit now");
      why.tightest = "memory";
      why.held_by = holders(draft, id, job.tied_to);
      return why;
    }
    Explanation why = policy_->explain(free, id);
    why.text += "; " + where;
    return why;
  }

 private:
  static std::vector<JobId> holders(const Draft& draft, JobId id, const Placement& places) {
    return largest_holders(draft, draft.index_of(id), [&](std::size_t j) {
      std::int64_t held = 0;
      for (const Share& share : draft.placement(j))
        if (std::ranges::find(places, share.node, &Share::node) != places.end())
          held += draft.job(j).demand.memory.raw * std::int64_t{share.units};
      return held;
    });
  }

  std::unique_ptr<Policy> policy_;
};

}  // namespace

std::unique_ptr<Policy> by_ties(std::unique_ptr<Policy> policy) {
  return std::make_unique<ByTies>(std::move(policy));
}

}  // namespace aliquot
