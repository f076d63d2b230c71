#include "manager/core/derived_jobs.hpp"

#include <algorithm>
#include <utility>

namespace aliquot {
namespace {

bool answers(const Node& node) { return node.state == NodeState::up || node.state == NodeState::draining; }

// Policies must not move a job whose VMs cannot be moved now.
bool is_pinned(const ClusterView& view, const Job& job, bool unclear) {
  if (job.phase != Phase::running) return false;
  if (!job.demand.movable || unclear) return true;
  const bool all_up = view.index.kept() && view.index.usable_count() == view.nodes.size();
  return !all_up && std::any_of(job.placement.begin(), job.placement.end(),
                                [&](const Share& share) { return !answers(view.nodes[share.node.raw]); });
}

}  // namespace

// Events and actions mostly come in runs of one job.
DerivedJob* DerivedJobs::find(JobId job) {
  if (!touched_.empty() && touched_.back()->id == job) return touched_.back();
  const auto found = jobs_.find(job);
  return found == jobs_.end() ? nullptr : &found->second;
}

DerivedJob& DerivedJobs::add(JobId id, JobRecord& record, Job* job, std::uint64_t revision) {
  return jobs_.emplace(id, DerivedJob(id, record, job, revision)).first->second;
}

void DerivedJobs::erase(DerivedJob& job) {
  if (job.touched) std::erase(touched_, &job);
  set_pending(job, false);
  set_delayed(job, false);
  jobs_.erase(job.id);
}

void DerivedJobs::touch(DerivedJob& job, bool alike) {
  touch_counted(job, alike);
  job.counted = false;
  job.changed = true;
}

void DerivedJobs::touch_counted(DerivedJob& job, bool alike) {
  job.uniform = job.uniform && alike;
  if (job.touched) return;
  job.touched = true;
  touched_.push_back(&job);
}

// Some of its VMs began to migrate, or arrived, and nothing else happened. Then nothing else follows than
// whether an action is in flight.
bool DerivedJobs::only_migrates(const DerivedJob& job) {
  constexpr Traits others =
      bit(Trait::unclear) | bit(Trait::delayed) | bit(Trait::pending) | bit(Trait::stopped);
  return job.counted && !job.changed && job.job && job.counters.any(Trait::moves) &&
         ((job.counters.present() ^ job.derived_from) & others) == 0;
}

void DerivedJobs::update(ClusterView& view, std::uint64_t revision) {
  for (DerivedJob* job : touched_) {
    job->touched = false;
    if (only_migrates(*job))
      job->job->in_flight = job->counters.any(Trait::in_flight);
    else
      update(*job, view, revision);
  }
  touched_.clear();
}

void DerivedJobs::update_all(ClusterView& view, std::uint64_t revision) {
  for (auto& [id, job] : jobs_) {
    job.uniform = job.counted = false;
    job.changed = true;
    update(job, view, revision);
  }
}

void DerivedJobs::update(DerivedJob& derived, ClusterView& view, std::uint64_t revision) {
  Job* const job = derived.job;
  const JobRecord& record = *derived.record;
  VmCounters& counters = derived.counters;
  const bool migrates = derived.counted && counters.any(Trait::moves);  // so it cannot be uniform
  if (!derived.uniform && !migrates) derived.uniform = is_uniform(record);
  if (derived.uniform)
    counters.take_from(job, record.vms.front());
  else if (!derived.counted)
    counters.count(job, record.vms);
  derived.counted = !derived.uniform;
  if (std::exchange(derived.changed, false)) derived.changed_in = revision;
  derived.derived_from = counters.present();
  set_delayed(derived, counters.any(Trait::delayed));
  set_pending(derived, counters.any(Trait::pending));
  if (!job) return;
  job->in_flight = counters.any(Trait::in_flight);
  job->pinned = is_pinned(view, *job, counters.any(Trait::unclear));
  const Yield rate = counters.rate(representatives(record, derived.uniform));
  if (rate != job->progress.rate) job->progress.set_rate(view.now, rate);
}

void DerivedJobs::set_pending(DerivedJob& job, bool pending) {
  if (std::exchange(job.pending, pending) == pending) return;
  const auto at = std::ranges::lower_bound(pending_, job.id, {}, &DerivedJob::id);
  if (pending)
    pending_.insert(at, &job);
  else
    pending_.erase(at);
}

void DerivedJobs::set_delayed(DerivedJob& job, bool delayed) {
  if (std::exchange(job.delayed, delayed) == delayed) return;
  delayed ? ++delayed_ : --delayed_;
}

}  // namespace aliquot
