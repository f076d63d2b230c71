// When the work of a job ends, as its VMs run now: reckoned anew after every change of its rate.
#include <algorithm>
#include <utility>

#include "manager/hypervisor/model/model_hypervisor.hpp"

namespace aliquot {
namespace {

// Later than any run can take: such a job does not end, and nothing overflows.
bool out_of_sight(VirtualTime left, Yield rate) {
  return left.raw >= (Int128{kNever.raw / 4} + 1) * rate.raw;  // as left / rate > a quarter of kNever
}

}  // namespace

void ModelHypervisor::reckon_later(JobId id, ModelJob& job) {
  // What has nothing left to do is done at once.
  if (job.progress.at(now_) >= job.work) return reckon(id, job);
  if (!std::exchange(job.late, true)) late_.push_back(id);
}

void ModelHypervisor::reckon_late() {
  for (const JobId id : late_) {
    const auto found = jobs_.find(id);
    if (found == jobs_.end()) continue;
    found->second.late = false;
    reckon(id, found->second);
  }
  late_.clear();
}

void ModelHypervisor::reckon(JobId id, ModelJob& job) {
  const Yield rate = job.rate();
  if (rate != job.progress.rate) job.progress.set_rate(now_, rate);
  const Yield running = rate.raw > 0 ? kFullYield : Yield{};
  if (running != job.running.rate) job.running.set_rate(now_, running);
  const bool ends = rate.raw > 0 && !out_of_sight(job.work - job.progress.accrued, rate);
  const Instant end = ends ? job.progress.reaches(job.work) : kNever;
  if (end == job.ends) return;
  job.ends = end;
  job.version = ++version_;
  done_holds_ = false;
  if (end == kNever) return;
  done_.push_back({std::max(end, now_), sequence_++, id, job.version});
  std::push_heap(done_.begin(), done_.end());
}

}  // namespace aliquot
