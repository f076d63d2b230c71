#include "manager/core/fair_share_watch.hpp"

#include <algorithm>

namespace aliquot {
namespace {

using fairness::AccountUser, fairness::ActiveUser;

// Often enough for a half-life, and never more than once a second.
constexpr std::int64_t kLooksInHalfLife = 100;
constexpr Duration kLeastBetween = seconds(1), kMostBetween = seconds(60);

Duration between_looks(Duration half_life) {
  return std::clamp(Duration{half_life.raw / kLooksInHalfLife}, kLeastBetween, kMostBetween);
}

AccountUser user_of(const JobRecord& record) {
  return {record.submission->account, record.submission->uid};
}

Cpu capacity_of(const ClusterView& view) {
  Cpu sum;
  for (const Node& node : view.nodes) sum += node.capacity;
  return sum;
}

}  // namespace

std::vector<ActiveUser> active_users(const Cluster& cluster) {
  std::map<AccountUser, std::size_t> jobs;
  for (const auto& [id, job] : cluster.view().jobs)
    if (!job.held) ++jobs[user_of(*cluster.record(id))];
  std::vector<ActiveUser> active;
  for (const auto& [user, count] : jobs) active.push_back({user, count});
  return active;
}

FairShareWatch::FairShareWatch(fairness::FairShare fair_share, const Cluster& cluster)
    : fair_share_(std::move(fair_share)) {
  for (const auto& [id, record] : cluster.state().records)
    in_force_[user_of(record)] = record.submission->demand.weight;
  if (!in_force_.empty()) look_again(cluster.view().now);
}

void FairShareWatch::follow(const Cluster& cluster, Instant now) {
  const ClusterView& view = cluster.view();
  for (auto& [user, rate] : granted_) rate = {};
  for (const JobId id : view.index.placed()) {
    const Job& job = view.jobs.at(id);
    granted_[user_of(*cluster.record(id))] += job.demand.need * job.yield * job.demand.tasks;
  }
  for (const auto& [user, rate] : granted_) fair_share_.grant(user, rate, now);
  std::erase_if(granted_, [](const auto& entry) { return entry.second.raw == 0; });
  if (next_due_ == kNever && !view.jobs.empty()) next_due_ = now + between_looks(fair_share_.half_life());
}

void FairShareWatch::count_ended(const Step& step) {
  for (const JobOutcome& job : step.ended)
    if (job.started && !job.submission->array)
      fair_share_.count_ended({job.submission->account, job.submission->uid}, step.now);
}

void FairShareWatch::observe(Instant now, const Cluster& cluster, std::vector<Event>& events) {
  if (now < next_due_) return;
  const std::vector<ActiveUser> active = active_users(cluster);
  next_due_ = active.empty() ? kNever : now + between_looks(fair_share_.half_life());
  const std::vector<Weight> weights = fair_share_.weights(active, capacity_of(cluster.view()), now);
  std::map<AccountUser, Weight> in_force;
  WeightsChanged changed;
  for (std::size_t k = 0; k < active.size(); ++k) {
    const AccountUser& user = active[k].user;
    const auto known = in_force_.find(user);
    Weight& its = in_force[user] = known == in_force_.end() ? Weight{} : known->second;
    if (!fairness::differs(its, weights[k])) continue;
    its = weights[k];
    changed.weights.push_back({user.account, user.uid, its});
  }
  in_force_ = std::move(in_force);
  if (!changed.weights.empty()) events.emplace_back(std::move(changed));
}

Weight FairShareWatch::weight_of(const AccountUser& user, const Cluster& cluster, Instant now) {
  const auto known = in_force_.find(user);
  if (known != in_force_.end()) return known->second;
  std::vector<ActiveUser> active = active_users(cluster);
  const auto at = std::ranges::lower_bound(active, user, {}, &ActiveUser::user);
  const auto place = at - active.begin();
  if (at == active.end() || at->user != user) active.insert(at, ActiveUser{user});
  const Weight weight =
      fair_share_.weights(active, capacity_of(cluster.view()), now)[static_cast<std::size_t>(place)];
  in_force_[user] = weight;
  return weight;
}

}  // namespace aliquot
