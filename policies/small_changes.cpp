#include "policies/small_changes.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace aliquot {
namespace {

// Of a job that would stand where it stands, at nearly the same yield.
bool is_small(const ClusterView& view, const Change& change) {
  const Job& job = view.jobs.at(change.job);
  const std::int64_t by = std::abs(change.yield.raw - job.yield.raw);
  return job.yield.raw > 0 && change.yield < kFullYield && job.yield >= job.demand.min_yield &&
         by * kMillion <= view.costs.least_change.raw * job.yield.raw &&
         change.placement == job.placement && change.devices == job.devices;
}

// What the nodes would give more than they have.
class Excess {
 public:
  explicit Excess(const ClusterView& view) : view_(view), cpu_(view.nodes.size()) {
    for (std::size_t n = 0; n < cpu_.size(); ++n) {
      const NodeId node{static_cast<std::uint32_t>(n)};
      cpu_[n] = (view.index.kept() ? view.index.load(node).given : Cpu{}) - view.nodes[n].capacity;
    }
    if (view.index.kept()) return;
    for (const auto& [id, job] : view.jobs) add(job.placement, job.demand.need * job.yield);
  }

  void make(const Change& change) {
    const Job& job = view_.jobs.at(change.job);
    add(job.placement, Cpu{} - job.demand.need * job.yield);
    add(change.placement, job.demand.need * change.yield);
  }
  [[nodiscard]] bool is_on_any(const Placement& placement) const {
    return std::ranges::any_of(placement, [&](const Share& share) { return cpu_[share.node.raw] > Cpu{}; });
  }

 private:
  void add(const Placement& placement, Cpu each) {
    for (const Share& share : placement) cpu_[share.node.raw] += each * std::int64_t{share.units};
  }

  const ClusterView& view_;
  std::vector<Cpu> cpu_;  // by node
};

class WithoutSmallChanges : public Policy {
 public:
  explicit WithoutSmallChanges(std::unique_ptr<Policy> policy) : policy_(std::move(policy)) {}

  [[nodiscard]] std::string name() const override { return policy_->name(); }
  [[nodiscard]] std::optional<Duration> period() const override { return policy_->period(); }
  [[nodiscard]] bool shares_cpu() const override { return policy_->shares_cpu(); }
  [[nodiscard]] bool reads_predictions() const override { return policy_->reads_predictions(); }
  [[nodiscard]] Plan decide(const ClusterView& view) const override {
    Plan plan = policy_->decide(view);
    leave_small_changes(view, plan);
    return plan;
  }
  [[nodiscard]] std::optional<ProvenGap> proven_gap(const ClusterView& view) const override {
    return policy_->proven_gap(view);
  }
  [[nodiscard]] Explanation explain(const ClusterView& view, JobId job) const override {
    return policy_->explain(view, job);
  }

 private:
  std::unique_ptr<Policy> policy_;
};

}  // namespace

// A small change that gives a job less is made where a node would give more than it has without it, those
// first that give the most back. With all of them made, no node gives more than in the plan as it was: the
// others are left because they give more.
void leave_small_changes(const ClusterView& view, Plan& plan) {
  if (view.costs.least_change.raw == 0) return;
  std::vector<bool> left(plan.changes.size());
  std::vector<std::pair<Cpu, std::size_t>> frees;  // of each node, and whose change it is
  Excess excess(view);
  for (std::size_t k = 0; k < plan.changes.size(); ++k) {
    const Change& change = plan.changes[k];
    const Job& job = view.jobs.at(change.job);
    left[k] = is_small(view, change);
    if (!left[k]) excess.make(change);
    if (left[k] && change.yield < job.yield)
      frees.emplace_back(job.demand.need * job.yield - job.demand.need * change.yield, k);
  }
  std::ranges::sort(frees, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  for (const auto& [cpu, k] : frees) {
    if (!excess.is_on_any(plan.changes[k].placement)) continue;
    left[k] = false;
    excess.make(plan.changes[k]);
  }
  std::size_t k = 0;
  std::erase_if(plan.changes, [&](const Change&) { return left[k++]; });
}

std::unique_ptr<Policy> without_small_changes(std::unique_ptr<Policy> policy) {
  return std::make_unique<WithoutSmallChanges>(std::move(policy));
}

}  // namespace aliquot
