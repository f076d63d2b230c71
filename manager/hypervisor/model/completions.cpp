#include "manager/hypervisor/model/completions.hpp"

#include <algorithm>
#include <utility>

namespace aliquot::model {
namespace {

// It would take longer than any run: such a job does not end, and nothing overflows.
bool never_completes(VirtualTime left, Yield rate) {
  return left.raw >= (Int128{kNever.raw / 4} + 1) * rate.raw;  // as left / rate > a quarter of kNever
}

}  // namespace

void Completions::update_later(JobId id, ModelJob& job, Instant now) {
  // A job with no work left is complete at once.
  if (job.progress.at(now) >= job.work) return update(id, job, now);
  if (!std::exchange(job.late, true)) late_.push_back(id);
}

void Completions::update_late(Instant now) {
  for (const JobId id : late_) {
    const auto found = jobs_.find(id);
    if (found == jobs_.end()) continue;
    found->second.late = false;
    update(id, found->second, now);
  }
  late_.clear();
}

void Completions::update(JobId id, ModelJob& job, Instant now) {
  const Yield rate = job.pace(now);
  if (rate != job.progress.rate) job.progress.set_rate(now, rate);
  const Yield running = rate.raw > 0 ? kFullYield : Yield{};
  if (running != job.running.rate) job.running.set_rate(now, running);
  const VirtualTime next = job.next_change(now);
  const bool completes = rate.raw > 0 && !never_completes(next - job.progress.accrued, rate);
  const Instant end = completes ? job.progress.reaches(next) : kNever;
  if (end == job.ends) return;
  job.ends = end;
  job.version = ++version_;
  top_holds_ = false;
  if (end == kNever) return;
  heap_.push_back({std::max(end, now), agenda_.take_number(), id, job.version});
  std::push_heap(heap_.begin(), heap_.end());
}

const Completion* Completions::next() {
  for (; !heap_.empty(); pop()) {
    if (top_holds_) return &heap_.front();
    const auto job = jobs_.find(heap_.front().job);
    top_holds_ = job != jobs_.end() && job->second.version == heap_.front().version;
    if (top_holds_) return &heap_.front();
  }
  return nullptr;
}

void Completions::pop() {
  std::pop_heap(heap_.begin(), heap_.end());
  heap_.pop_back();
  top_holds_ = false;
}

}  // namespace aliquot::model
