#include "tools/sim/metrics/yield_clock.hpp"

#include <algorithm>

namespace aliquot {
namespace {

double ratio(Int128 a, Int128 b) { return static_cast<double>(a) / static_cast<double>(b); }

// Yields change without a plan: what a node lacks, or a job that has grown needs, all on the node give up.
bool lowers_yields(const Event& event) {
  return std::holds_alternative<NodeChanged>(event) || std::holds_alternative<Configured>(event) ||
         std::holds_alternative<TasksAdded>(event);
}

}  // namespace

void YieldClock::take(const Step& step, const ClusterView& after) {
  pass(step.now);
  for (const JobOutcome& outcome : step.ended) remove(outcome.job);
  if (std::ranges::any_of(step.events, lowers_yields)) return follow(after);
  if (!step.decision || !step.decision->adopted) return;
  for (const Change& change : step.decision->plan.changes) {
    if (change.placement.empty())
      remove(change.job);
    else
      set(change.job, change.yield);
  }
}

void YieldClock::pass(Instant now) {
  if (!began_) began_at_ = now_ = now;
  began_ = true;
  const Duration span = now - now_;
  now_ = now;
  if (span.raw <= 0 || yields_.empty()) return;
  if (at_lowest_ == 0) {
    lowest_ = *std::ranges::min_element(yields_);
    at_lowest_ = static_cast<std::size_t>(std::ranges::count(yields_, lowest_));
  }
  yield_time_ += sum_ * span.raw;
  lowest_time_ += Int128{lowest_.raw} * span.raw;
  job_time_ += static_cast<Int128>(yields_.size()) * span.raw;
  busy_ += span;
  lowest_ever_ = std::min(lowest_ever_, lowest_);
}

void YieldClock::leave_lowest(Yield yield) {
  sum_ -= yield.raw;
  if (yield == lowest_ && at_lowest_ > 0) --at_lowest_;
}

void YieldClock::meet_lowest(Yield yield) {
  sum_ += yield.raw;
  if (at_lowest_ == 0 && yields_.size() > 1) return;  // unknown until the next search
  if (at_lowest_ == 0 || yield < lowest_) {
    lowest_ = yield;
    at_lowest_ = 1;
  } else if (yield == lowest_) {
    ++at_lowest_;
  }
}

void YieldClock::set(JobId job, Yield yield) {
  const auto [found, fresh] = place_.emplace(job, yields_.size());
  if (fresh) {
    yields_.push_back(yield);
    jobs_.push_back(job);
  } else {
    leave_lowest(yields_[found->second]);
    yields_[found->second] = yield;
  }
  meet_lowest(yield);
}

void YieldClock::remove(JobId job) {
  const auto found = place_.find(job);
  if (found == place_.end()) return;
  const std::size_t place = found->second;
  leave_lowest(yields_[place]);
  place_.erase(job);
  if (place + 1 < yields_.size()) {
    yields_[place] = yields_.back();
    jobs_[place] = jobs_.back();
    place_[jobs_[place]] = place;
  }
  yields_.pop_back();
  jobs_.pop_back();
}

void YieldClock::follow(const ClusterView& view) {
  for (std::size_t i = jobs_.size(); i-- > 0;) remove(jobs_[i]);
  for (const auto& [id, job] : view.jobs)
    if (job.phase == Phase::running) set(id, job.yield);
}

YieldFigures YieldClock::figures() const {
  YieldFigures figures;
  if (busy_.raw == 0) return figures;
  figures.mean = ratio(yield_time_, job_time_ * kMillion);
  figures.lowest = ratio(lowest_ever_.raw, kMillion);
  figures.mean_lowest = ratio(lowest_time_, Int128{busy_.raw} * kMillion);
  figures.mean_running = ratio(job_time_, (now_ - began_at_).raw);
  return figures;
}

}  // namespace aliquot
