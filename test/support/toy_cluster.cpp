#include "test/support/toy_cluster.hpp"

#include <algorithm>
#include <utility>

#include "monitor/record/plan_check.hpp"
#include "test/support/random_view.hpp"

namespace aliquot::test {

ToyCluster::ToyCluster(std::vector<Node> nodes, std::vector<ToyJob> jobs, Duration restart)
    : to_come_(std::move(jobs)) {
  view_.nodes = std::move(nodes);
  view_.costs.restart = restart;
  std::sort(to_come_.begin(), to_come_.end(), [](const ToyJob& a, const ToyJob& b) {
    return std::pair(a.submit, a.id) > std::pair(b.submit, b.id);
  });
}

Instant ToyCluster::next_event() const {
  Instant next = to_come_.empty() ? kNever : to_come_.back().submit;
  for (const auto& [id, job] : view_.jobs) {
    if (job.phase == Phase::running)
      next = std::min(next, job.progress.reaches(alone_.at(id) * kFullYield));
  }
  if (view_.jobs.empty()) return next;
  if (view_.next_tick) next = std::min(next, *view_.next_tick);
  if (wake_at_) next = std::min(next, *wake_at_);
  if (!switches_.empty()) next = std::min(next, switches_.begin()->first);
  return std::max(next, view_.now);
}

void ToyCluster::take_events(ToyResult& result) {
  std::vector<JobId> ended;
  for (const auto& [id, job] : view_.jobs)
    if (job.phase == Phase::running && job.progress.at(view_.now) >= alone_.at(id) * kFullYield)
      ended.push_back(id);
  for (const JobId id : ended) {
    result.end[id] = view_.now;
    view_.cause.completed = true;
    view_.jobs.erase(id);
  }
  while (!switches_.empty() && switches_.begin()->first <= view_.now) {
    policy_ = std::move(*make_policy(switches_.begin()->second));
    switches_.erase(switches_.begin());
    view_.cause.disturbed = true;
    view_.next_tick.reset();
  }
  for (; !to_come_.empty() && to_come_.back().submit <= view_.now; to_come_.pop_back()) {
    const ToyJob& toy = to_come_.back();
    Job job;
    job.id = toy.id;
    job.demand = toy.demand;
    job.submitted = job.phase_since = job.progress.since = view_.now;
    alone_[toy.id] = toy.alone;
    view_.jobs.emplace(toy.id, job);
    view_.cause.arrived.push_back(toy.id);
  }
  view_.cause.woken = wake_at_ && *wake_at_ <= view_.now;
  view_.cause.tick = view_.next_tick && *view_.next_tick == view_.now;
  if (const auto period = policy_->period()) {
    view_.next_tick = Instant{(view_.now.raw / period->raw + 1) * period->raw};
  }
}

void ToyCluster::decide(ToyResult& result) {
  ++result.decisions;
  const Plan plan = policy_->decide(view_);
  for (const Violation& v : check_plan(view_, plan)) result.complaint += v.text + "\n";
  for (const Change& change : plan.changes) {
    if (!change.placement.empty()) result.start.try_emplace(change.job, view_.now);
  }
  for (const auto& [job, booking] : plan.memory.reservations) result.promised.try_emplace(job, booking.at);
  adopt(view_, plan);
  wake_at_ = plan.wake_at;
}

ToyResult ToyCluster::run(const std::string& spec, std::size_t most_decisions) {
  ToyResult result;
  policy_ = std::move(*make_policy(spec));
  while (result.complaint.empty() && !(to_come_.empty() && view_.jobs.empty())) {
    const Instant next = next_event();
    if (next == kNever || result.decisions == most_decisions) {
      result.complaint = "at " + std::to_string(to_seconds(view_.now)) + " s, after " +
                         std::to_string(result.decisions) + " decisions, " +
                         std::to_string(view_.jobs.size()) + " jobs are left under " + policy_->name() +
                         ":";
      for (const auto& [id, job] : view_.jobs)
        result.complaint += "\njob " + std::to_string(id.raw) + ": " + policy_->explain(view_, id).text;
      break;
    }
    view_.now = next;
    take_events(result);
    decide(result);
  }
  return result;
}

}  // namespace aliquot::test
