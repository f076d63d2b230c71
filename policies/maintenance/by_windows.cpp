#include "policies/maintenance/by_windows.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "policies/reasons.hpp"

namespace aliquot {
namespace {

// Whether the job has ended by then if it starts now: what its limits say.
bool ends_by(const ClusterView& view, const Job& job, Instant then, Yield slowest) {
  const Duration left = then - view.now;
  if (job.wall_limit && *job.wall_limit <= left) return true;
  const Yield least = std::max(slowest, job.demand.min_yield);
  return job.time_limit && left * least >= *job.time_limit * kFullYield;
}

// It stays where it is started.
bool will_be_fixed(const Job& job) { return job.placement.empty() && !job.demand.movable; }

bool may_start(const Job& job) { return job.placement.empty() && !job.held; }

// Decides in stages for a view of which some nodes close.
class StagedDecision {
 public:
  StagedDecision(const Policy& policy, const ClusterView& view)
      : policy_(policy), view_(view), slowest_(slowest_yield(policy.shares_cpu())), trial_(view) {
    trial_.index.drop();
  }

  [[nodiscard]] Plan make() && {
    for (const Instant opens : stages()) decide(opens);
    Plan plan;
    for (const auto& [id, job] : trial_.jobs) {
      const Job& before = view_.jobs.at(id);
      if (job.placement != before.placement || job.yield != before.yield)
        plan.changes.push_back({id, job.placement, job.yield, job.devices});
    }
    plan.memory = std::move(memory_);
    plan.wake_at = wake_at_;
    return plan;
  }

 private:
  // Each stage opens the nodes that close then or later; kNever: none of them.
  [[nodiscard]] std::vector<Instant> stages() const {
    std::vector<Instant> all{kNever};
    for (const NodeClosing& closing : view_.closings)
      if (view_.nodes[closing.node.raw].usable()) all.push_back(closing.from);
    std::ranges::sort(all, std::greater());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    if (all.size() > kMostStages) {
      all[kMostStages - 1] = all.back();
      all.resize(kMostStages);
    }
    return all;
  }

  void decide(Instant opens) {
    ClusterView stage = trial_;
    for (const NodeClosing& closing : view_.closings)
      if (Node& node = stage.nodes[closing.node.raw];
          closing.from < opens && node.service == NodeService::in_service)
        node.service = NodeService::draining;
    for (auto&& [id, job] : stage.jobs)
      if (opens != kNever && will_be_fixed(job) && !ends_by(view_, job, opens, slowest_)) job.held = true;
    std::erase_if(stage.cause.arrived, [&](JobId id) { return !may_start(stage.jobs.at(id)); });
    Plan plan = policy_.decide(stage);
    adopt(stage, plan);
    trial_.cause.disturbed = true;
  }

  void adopt(const ClusterView& stage, Plan& plan) {
    for (Change& change : plan.changes) {
      Job& job = trial_.jobs.at(change.job);
      if (!change.placement.empty())
        job.phase = Phase::running;
      else if (job.phase == Phase::running)
        job.phase = Phase::paused;
      job.placement = std::move(change.placement);
      job.devices = std::move(change.devices);
      job.yield = change.yield;
    }
    // Those that this stage has left out have had their attempt.
    const FlatMap<JobId, Retry> attempts = std::move(memory_.retries);
    memory_ = std::move(plan.memory);
    for (const auto& [id, retry] : attempts)
      if (is_left_out(stage, id)) memory_.retries[id] = retry;
    if (plan.wake_at) wake_at_ = std::min(wake_at_.value_or(kNever), *plan.wake_at);
  }

  [[nodiscard]] bool is_left_out(const ClusterView& stage, JobId id) const {
    const auto job = stage.jobs.find(id);
    return job != stage.jobs.end() && job->second.held && !view_.jobs.at(id).held;
  }

  const Policy& policy_;
  const ClusterView& view_;
  const Yield slowest_;
  // As it is to be, by the stages so far. But each of them has the memory with which the view has come: a
  // policy that decides once in an interval would do so in the first stage alone.
  ClusterView trial_;
  PolicyMemory memory_;  // of the newest stage
  std::optional<Instant> wake_at_;
};

// What stands in the way of the job is how much room there is, and nodes that close could have some.
bool is_for_want_of_nodes(Reason reason) {
  switch (reason) {
    case Reason::memory:
    case Reason::min_yield:
    case Reason::nodes_busy:
    case Reason::nodes_unavailable:
    case Reason::devices:
    case Reason::spread:
      return true;
    default:
      return false;
  }
}

std::string why_text(const NodeClosing& closing) {
  return closing.window.empty() ? "a drain is announced" : "maintenance window " + closing.window;
}

// "n1 (maintenance window ram), n2 (a drain is announced) and 3 more nodes are"
std::string closings_text(const ClusterView& view, const std::vector<const NodeClosing*>& closings) {
  constexpr std::size_t kMostNamed = 4;
  std::string text;
  for (std::size_t k = 0; k < std::min(closings.size(), kMostNamed); ++k)
    text +=
        (k == 0 ? "" : ", ") + view.nodes[closings[k]->node.raw].name + " (" + why_text(*closings[k]) + ")";
  if (closings.size() > kMostNamed)
    text += " and " + std::to_string(closings.size() - kMostNamed) + " more nodes";
  return text + (closings.size() == 1 ? " is" : " are");
}

class ByWindows : public Policy {
 public:
  explicit ByWindows(std::unique_ptr<Policy> policy) : policy_(std::move(policy)) {}

  [[nodiscard]] std::string name() const override { return policy_->name(); }
  [[nodiscard]] std::optional<Duration> period() const override { return policy_->period(); }
  [[nodiscard]] bool shares_cpu() const override { return policy_->shares_cpu(); }
  [[nodiscard]] bool reads_predictions() const override { return policy_->reads_predictions(); }

  [[nodiscard]] Plan decide(const ClusterView& view) const override {
    Plan plan = policy_->decide(view);
    if (view.closings.empty() || std::ranges::none_of(plan.changes, [&](const Change& change) {
          return starts_where_kept_off(view, change);
        }))
      return plan;
    return StagedDecision(*policy_, view).make();
  }

  // Of the decision without windows, which bounds what is possible with them.
  [[nodiscard]] std::optional<ProvenGap> proven_gap(const ClusterView& view) const override {
    return policy_->proven_gap(view);
  }

  [[nodiscard]] Explanation explain(const ClusterView& view, JobId id) const override {
    const std::vector<const NodeClosing*> closed = closed_to(view, view.jobs.at(id));
    if (closed.empty()) return policy_->explain(view, id);
    ClusterView open = view;
    open.index.drop();
    for (const NodeClosing* closing : closed) open.nodes[closing->node.raw].service = NodeService::draining;
    Explanation why = policy_->explain(open, id);
    tell_from_drained(why, static_cast<std::uint32_t>(closed.size()));
    if (is_for_want_of_nodes(why.reason)) {
      why.reason = Reason::maintenance;
      for (const NodeClosing* closing : closed)
        if (closing->to) why.retry_at = std::min(why.retry_at.value_or(kNever), *closing->to);
    }
    why.text = "can be neither saved nor moved, and may run longer than until " +
               closings_text(view, closed) + " to be empty; on the other nodes it " + why.text;
    return why;
  }

 private:
  [[nodiscard]] bool starts_where_kept_off(const ClusterView& view, const Change& change) const {
    return std::ranges::any_of(change.placement, [&](const Share& share) {
      return kept_off_by(view, view.jobs.at(change.job), share.node, *policy_) != nullptr;
    });
  }

  // The nodes on which it could be started, were it not for their maintenance.
  [[nodiscard]] std::vector<const NodeClosing*> closed_to(const ClusterView& view, const Job& job) const {
    std::vector<const NodeClosing*> closed;
    if (job.held || job.in_flight) return closed;
    for (const NodeClosing& closing : view.closings)
      if (view.nodes[closing.node.raw].usable() && kept_off_by(view, job, closing.node, *policy_))
        closed.push_back(&closing);
    return closed;
  }

  // The policy has seen so many nodes as drained that are in service.
  static void tell_from_drained(Explanation& why, std::uint32_t closed) {
    const auto drained = std::ranges::find(why.nodes, "draining", &NodeCount::what);
    if (drained == why.nodes.end()) return;
    drained->nodes -= std::min(drained->nodes, closed);
    if (drained->nodes == 0) why.nodes.erase(drained);
    why.nodes.push_back({"to be empty too soon for it", closed});
  }

  std::unique_ptr<Policy> policy_;
};

}  // namespace

const NodeClosing* outstayed_by(const ClusterView& view, const Job& job, NodeId node, Yield slowest) {
  if (view.closings.empty() || job.demand.movable) return nullptr;
  const auto closing = std::ranges::lower_bound(view.closings, node, {}, &NodeClosing::node);
  if (closing == view.closings.end() || closing->node != node) return nullptr;
  return ends_by(view, job, closing->from, slowest) ? nullptr : &*closing;
}

const NodeClosing* kept_off_by(const ClusterView& view, const Job& job, NodeId node, Yield slowest) {
  return will_be_fixed(job) ? outstayed_by(view, job, node, slowest) : nullptr;
}

const NodeClosing* kept_off_by(const ClusterView& view, const Job& job, NodeId node, const Policy& policy) {
  return kept_off_by(view, job, node, slowest_yield(policy.shares_cpu()));
}

std::unique_ptr<Policy> by_windows(std::unique_ptr<Policy> policy) {
  return std::make_unique<ByWindows>(std::move(policy));
}

}  // namespace aliquot
