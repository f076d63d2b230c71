#include "policies/kinds/by_kind.hpp"

#include <algorithm>
#include <utility>

#include "policies/draft.hpp"
#include "policies/kinds/division.hpp"
#include "policies/reasons.hpp"

namespace aliquot {
namespace {

bool has_event(const Cause& cause) {
  return !cause.arrived.empty() || cause.completed || cause.tick || cause.woken || cause.disturbed;
}

bool is_placed(const Plan& plan, JobId job) {
  const auto at = std::ranges::lower_bound(plan.changes, job, {}, &Change::job);
  return at != plan.changes.end() && at->job == job && !at->placement.empty();
}

// The decision for one view of several kinds.
class Decision {
 public:
  Decision(const Policy& policy, const ClusterView& view) : policy_(policy), view_(view), division_(view) {
    for (const HypervisorKind kind : division_.kinds()) decide(kind);
  }

  void offer_elsewhere() {
    PerKind<bool> changed;
    std::vector<JobId> moved;
    for (const HypervisorKind kind : division_.kinds()) {
      std::vector<JobId> left = left_out_for(kind);
      std::erase_if(left, [&](JobId job) { return std::ranges::count(moved, job) > 0; });
      if (left.empty()) continue;
      Division trial = division_;
      for (const JobId job : left) trial.offer(job, kind);
      const Plan plan = policy_.decide(trial.view_of(kind));
      for (const JobId job : left) {
        if (!is_placed(plan, job)) continue;
        changed[division_.kind_of(job)] = changed[kind] = true;
        division_.offer(job, kind);
        moved.push_back(job);
      }
    }
    for (const HypervisorKind kind : division_.kinds())
      if (changed[kind]) decide(kind);
  }

  [[nodiscard]] Plan joined() && {
    Plan plan;
    PerKind<KindsState::Part> parts;
    for (const HypervisorKind kind : division_.kinds()) {
      Plan& own = plans_[kind];
      std::ranges::move(own.changes, std::back_inserter(plan.changes));
      for (auto& [job, retry] : own.memory.retries) plan.memory.retries[job] = retry;
      plan.memory.reservations.merge(own.memory.reservations);
      parts[kind] = std::move(own.memory.state);
      if (own.wake_at) plan.wake_at = std::min(plan.wake_at.value_or(*own.wake_at), *own.wake_at);
    }
    std::ranges::sort(plan.changes, {}, &Change::job);
    KindsState::Offers offers;
    for (const JobId job : division_.free_jobs())
      if (!is_placed(plan, job)) offers[job] = division_.kind_of(job);
    plan.memory.state = std::make_shared<KindsState>(std::move(parts), std::move(offers));
    return plan;
  }

 private:
  void decide(HypervisorKind kind) { plans_[kind] = policy_.decide(division_.view_of(kind)); }

  // The free jobs that wait for nodes of another kind, and that nodes of this one could hold.
  [[nodiscard]] std::vector<JobId> left_out_for(HypervisorKind kind) const {
    std::vector<JobId> left;
    for (const JobId id : division_.free_jobs()) {
      const Job& job = view_.jobs.at(id);
      const HypervisorKind now = division_.kind_of(id);
      if (now != kind && !job.held && !is_placed(plans_[now], id) && division_.could_hold(kind, job.demand))
        left.push_back(id);
    }
    return left;
  }

  const Policy& policy_;
  const ClusterView& view_;
  Division division_;
  PerKind<Plan> plans_;
};

std::string names_of_nodes(const ClusterView& view, HypervisorKind kind) {
  constexpr std::size_t kMostNamed = 4;
  std::string names;
  std::size_t count = 0;
  for (const Node& node : view.nodes)
    if (node.hypervisor == kind && ++count <= kMostNamed) names += (names.empty() ? "" : ", ") + node.name;
  return count > kMostNamed ? names + " and " + std::to_string(count - kMostNamed) + " more" : names;
}

// The nodes of other kinds, which the policy has seen as removed, are counted as what they are.
void count_other_kinds(const ClusterView& view, HypervisorKind kind, Explanation& why) {
  const auto removed = std::ranges::find(why.nodes, "removed", &NodeCount::what);
  if (removed == why.nodes.end()) return;
  for (const HypervisorKind other : kHypervisorKinds) {
    const auto count = static_cast<std::uint32_t>(std::ranges::count(view.nodes, other, &Node::hypervisor));
    if (other == kind || count == 0) continue;
    std::ranges::find(why.nodes, "removed", &NodeCount::what)->nodes -= count;
    why.nodes.push_back({"of hypervisor " + std::string(name(other)), count});
  }
  std::erase_if(why.nodes, [](const NodeCount& count) { return count.nodes == 0; });
}

// Whether nodes of another kind could take the job now, were it not for its VMs.
bool would_fit_elsewhere(const Division& division, const Job& job, HypervisorKind kind) {
  if (is_constrained(job.demand)) return false;  // a draft knows of CPU and memory only
  return std::ranges::any_of(division.kinds(), [&](HypervisorKind other) {
    if (other == kind || !division.could_hold(other, job.demand)) return false;
    const ClusterView there = division.view_of(other);
    return Draft(there).fits(job.demand);
  });
}

std::string why_no_node(const Job& job, HypervisorKind kind) {
  const std::string word(name(kind));
  if (job.demand.hypervisor)
    return "it runs only on nodes of " + word + ", and there is none: add one, or cancel the job";
  return "its VMs are of " + word +
         ", and no node of that kind is left: add one, or let the job start anew";
}

// Added for a job that does not run: which nodes have been looked at, and why only these.
std::string why_only_these(const ClusterView& view, const Division& division, const Job& job) {
  const HypervisorKind kind = division.kind_of(job.id);
  const std::string word(name(kind));
  if (!bound_kind(view, job))
    return "; this is about the nodes of " + word + ", to which it is offered first";
  if (job.demand.hypervisor && job.phase == Phase::waiting)
    return "; it runs only on nodes of " + word + ": " + names_of_nodes(view, kind);
  const std::string rest = would_fit_elsewhere(division, job, kind)
                               ? "; other nodes could take it now if it were started anew"
                               : "";
  return "; its VMs are of " + word + " and can go on only on nodes of " + word + ": " +
         names_of_nodes(view, kind) + rest;
}

class ByKind : public Policy {
 public:
  explicit ByKind(std::unique_ptr<Policy> policy) : policy_(std::move(policy)) {}

  [[nodiscard]] std::string name() const override { return policy_->name(); }
  [[nodiscard]] std::optional<Duration> period() const override { return policy_->period(); }

  [[nodiscard]] bool shares_cpu() const override { return policy_->shares_cpu(); }
  [[nodiscard]] bool reads_predictions() const override { return policy_->reads_predictions(); }
  [[nodiscard]] Plan decide(const ClusterView& view) const override {
    if (is_undivided(view)) return policy_->decide(view);
    Decision decision(*policy_, view);
    if (has_event(view.cause)) decision.offer_elsewhere();
    return std::move(decision).joined();
  }

  // The sums over all kinds: no division of the jobs is better than the best of each.
  [[nodiscard]] std::optional<ProvenGap> proven_gap(const ClusterView& view) const override {
    if (is_undivided(view)) return policy_->proven_gap(view);
    const Division division(view);
    std::optional<ProvenGap> sum;
    for (const HypervisorKind kind : division.kinds()) {
      const auto own = policy_->proven_gap(division.view_of(kind));
      if (own) sum = sum ? sum_of(*sum, *own) : own;
    }
    return sum;
  }

  [[nodiscard]] Explanation explain(const ClusterView& view, JobId id) const override {
    if (is_undivided(view)) return policy_->explain(view, id);
    const Division division(view);
    const HypervisorKind kind = division.kind_of(id);
    const Job& job = view.jobs.at(id);
    if (!division.has_nodes(kind)) return explained(Reason::nodes_unavailable, why_no_node(job, kind));
    Explanation why = policy_->explain(division.view_of(kind), id);
    count_other_kinds(view, kind, why);
    if (job.placement.empty() && why.reason != Reason::held)
      why.text += why_only_these(view, division, job);
    return why;
  }

 private:
  [[nodiscard]] static bool is_undivided(const ClusterView& view) {
    return has_one_kind(view) && !view.memory.state_as<KindsState>();
  }

  static ProvenGap sum_of(ProvenGap a, const ProvenGap& b) {
    a.incumbent += b.incumbent;
    a.bound += b.bound;
    a.gap = a.bound > 0 ? (a.bound - a.incumbent) / a.bound : 0;
    a.jobs += b.jobs;
    a.classes += b.classes;
    a.work += b.work;
    a.finished = a.finished && b.finished;
    return a;
  }

  std::unique_ptr<Policy> policy_;
};

}  // namespace

std::unique_ptr<Policy> by_kind(std::unique_ptr<Policy> policy) {
  return std::make_unique<ByKind>(std::move(policy));
}

}  // namespace aliquot
