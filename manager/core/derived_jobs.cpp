#include "manager/core/derived_jobs.hpp"

#include <algorithm>
#include <utility>

#include "policies/model/hypervisor_kind.hpp"

namespace aliquot {
namespace {

// Policies must not move a job whose VMs cannot be moved now.
bool is_pinned(const ClusterView& view, const Job& job, bool unclear) {
  if (job.phase != Phase::running) return false;
  if (!job.demand.movable || unclear) return true;
  return !all_up(view) && std::ranges::any_of(job.placement, [&](const Share& share) {
    return !view.nodes[share.node.raw].answers();
  });
}

// A job that has been moved stays for a while (moves.hpp).
bool cools_down(const ClusterView& view, const Job& job, const JobRecord& record) {
  const CoolDown& its = record.cool_down;
  if (its.moves == 0 || job.phase != Phase::running || job.held) return false;
  if (its.until <= view.now && !any_migrates(record)) return false;
  return all_up(view) || std::ranges::all_of(job.placement, [&](const Share& share) {
           return view.nodes[share.node.raw].usable();
         });
}

bool stands_on_silent_node(const ClusterView& view, const JobRecord& record) {
  return !all_up(view) && std::ranges::any_of(record.vms, [&](const Vm& vm) {
    return exists(vm) && !view.nodes[vm.node.raw].answers();
  });
}

// Nothing is left of it, and nothing of it is under way.
bool is_nowhere(const Vm& vm) { return vm.state == VmState::absent && !vm.flight && !vm.unclear; }

// The kind of its nodes if it is placed, else of the node on which a VM of it is, or was when it was saved.
std::optional<HypervisorKind> kind_of_vms(const ClusterView& view, const Job& job,
                                          std::span<const Vm> vms) {
  const auto found = std::ranges::find_if_not(vms, is_nowhere);
  if (!job.placement.empty()) return view.nodes[job.placement.front().node.raw].hypervisor;
  if (found == vms.end() || found->node.raw >= view.nodes.size()) return std::nullopt;
  return view.nodes[found->node.raw].hypervisor;
}

// A grouped job, which has fewer VMs than tasks, has no profile.
std::vector<LaterTasks> later_tasks(const Job& job, const JobRecord& record) {
  std::vector<LaterTasks> later;
  if (record.submission->profile.empty() && !record.evolution.any()) return later;
  if (is_grouped(job.demand)) return later;
  if (const std::uint32_t wanted = wanted_tasks(record); wanted > 0 && wanted != job.demand.tasks)
    later.push_back({wanted, {}, {}});
  const std::vector<LaterStep>& profile = record.submission->profile;
  for (std::size_t k = record.evolution.steps_done; k < profile.size(); ++k)
    later.push_back({profile[k].tasks, profile[k].after * kFullYield, {}});
  for (const AnnouncedTasks& next : record.evolution.announced) later.push_back({next.tasks, {}, next.at});
  return later;
}

// Of a job that grows as its profile says, by the part of the tasks of its step that it has
// (size_transitions.hpp). Those that are to leave count until they have left.
Yield part_of_step(const JobRecord& record, Yield rate) {
  if (!record.evolution.by_profile || rate.raw == 0) return rate;
  const auto has = [](const Vm& vm) { return vm.state != VmState::ended && !vm.joins; };
  const std::int64_t wanted = wanted_tasks(record);
  const std::int64_t there = std::ranges::count_if(record.vms, has);
  return there < wanted ? Yield{multiply_divide(rate.raw, there, wanted)} : rate;
}

}  // namespace

// Events and actions mostly come in runs of one job.
DerivedJob* DerivedJobs::find(JobId job) {
  if (!touched_.empty() && touched_.back()->id == job) return touched_.back();
  const auto found = jobs_.find(job);
  return found == jobs_.end() ? nullptr : &found->second;
}

DerivedJob& DerivedJobs::add(JobId id, JobRecord& record, Job* job, std::uint64_t revision) {
  by_node_known_ = false;
  return jobs_.emplace(id, DerivedJob(id, record, job, revision)).first->second;
}

void DerivedJobs::erase(DerivedJob& job) {
  by_node_known_ = false;
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
  if (!touched_.empty()) by_node_known_ = false;
  const bool all_answer = all_up(view);
  for (DerivedJob* job : touched_) {
    job->touched = false;
    if (all_answer && only_migrates(*job))
      job->job->in_flight = job->counters.any(Trait::in_flight);
    else
      update(*job, view, revision);
  }
  touched_.clear();
}

void DerivedJobs::update_all(ClusterView& view, std::uint64_t revision) {
  for (auto& [id, job] : jobs_) update_anew(job, view, revision);
}

void DerivedJobs::update_anew(std::span<DerivedJob* const> jobs, ClusterView& view,
                              std::uint64_t revision) {
  for (DerivedJob* job : jobs) update_anew(*job, view, revision);
}

void DerivedJobs::update_anew(DerivedJob& job, ClusterView& view, std::uint64_t revision) {
  job.spec.reset();  // it tells of nodes
  job.uniform = job.counted = false;
  job.changed = true;
  update(job, view, revision);
}

void DerivedJobs::note_nodes_of(DerivedJob& job) {
  if (job.job)
    for (const Share& share : job.job->placement) by_node_.emplace_back(share.node, &job);
  for (const Vm& vm : job.record->vms) {
    if (exists(vm) || vm.flight) by_node_.emplace_back(vm.node, &job);
    if (vm.flight) by_node_.emplace_back(vm.flight->to, &job);
  }
}

// A job that stands nowhere and has converged has no VM on any node, unless it has been touched since.
std::vector<DerivedJob*> DerivedJobs::on_node(const ClusterView& view, NodeId node) {
  if (!std::exchange(by_node_known_, true)) {
    by_node_.clear();
    for (const JobId id : view.index.placed()) note_nodes_of(jobs_.at(id));
    for (DerivedJob* job : pending_) note_nodes_of(*job);
    std::ranges::sort(by_node_, {}, &std::pair<NodeId, DerivedJob*>::first);
  }
  std::vector<DerivedJob*> jobs;
  const auto add = [&](DerivedJob& job) {
    const bool stands_here = job.job && std::ranges::any_of(job.job->placement, [&](const Share& share) {
                               return share.node == node;
                             });
    const auto is_here = [&](const Vm& vm) { return concerns(vm, node); };
    if (stands_here || std::ranges::any_of(job.record->vms, is_here)) jobs.push_back(&job);
  };
  auto at = std::ranges::lower_bound(by_node_, node, {}, &std::pair<NodeId, DerivedJob*>::first);
  for (; at != by_node_.end() && at->first == node; ++at) add(*at->second);
  for (DerivedJob* job : touched_) add(*job);
  std::ranges::sort(jobs, {}, &DerivedJob::id);
  jobs.erase(std::unique(jobs.begin(), jobs.end()), jobs.end());
  return jobs;
}

void DerivedJobs::bind_all(ClusterView& view) {
  for (auto& [id, job] : jobs_)
    if (job.job) follow_kind(job, view);
}

// A job that asks for a kind is bound to it. Any other keeps its kind while anything of it exists or it is
// placed. Then it may start on any.
void DerivedJobs::follow_kind(const DerivedJob& derived, ClusterView& view) {
  Job& job = *derived.job;
  const std::span<const Vm> vms = representatives(*derived.record, derived.uniform);
  const bool was_bound = job.bound.has_value();
  const bool is_free = job.placement.empty() && std::ranges::all_of(vms, is_nowhere);
  if (job.demand.hypervisor)
    job.bound = asked_kind(view, job.demand);
  else if (is_free)
    job.bound.reset();
  else if (!job.bound)
    job.bound = kind_of_vms(view, job, vms);
  view.index.rebind(was_bound, job.bound.has_value());
}

// A job is tied to nodes once a VM of it stands still on one that keeps what it saves; until then it may
// still be moved. When it is placed again it is pinned until the last of its VMs has been released.
void DerivedJobs::follow_saves(const DerivedJob& derived, ClusterView& view) {
  Job& job = *derived.job;
  const bool is_placed = !job.placement.empty();
  const bool any_stays = std::ranges::any_of(
      derived.record->vms, [&](const Vm& vm) { return goes_on_only_here(view, vm, is_placed); });
  const bool was_tied = !job.tied_to.empty();
  job.tied_to = any_stays && !is_placed ? places_of(*derived.record) : Placement();
  job.pinned = job.pinned || (any_stays && is_placed);
  view.index.retie(was_tied, !job.tied_to.empty());
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
  set_delayed(derived, counters.any(Trait::delayed) || record.pause_again > Instant{});
  set_pending(derived, counters.any(Trait::pending));
  if (!job) return;
  job->in_flight = counters.any(Trait::in_flight);
  job->pinned = is_pinned(view, *job, counters.any(Trait::unclear));
  job->later = later_tasks(*job, record);
  if (!view.index.one_kind()) follow_kind(derived, view);
  if (view.index.any_keeps_saves() || !job->tied_to.empty()) follow_saves(derived, view);
  job->cools_down = !job->pinned && cools_down(view, *job, record);
  job->pinned = job->pinned || job->cools_down;
  const Yield speed = part_of_step(record, counters.rate(representatives(record, derived.uniform)));
  const Yield rate = served_rate(derived, view, speed);
  if (rate != job->progress.rate) job->progress.set_rate(view.now, rate);
}

// The rate, or none while it is not known what its VMs do.
Yield DerivedJobs::served_rate(DerivedJob& derived, const ClusterView& view, Yield rate) {
  std::optional<Progress>& silence = derived.record->silence;
  Progress& progress = derived.job->progress;
  if (stands_on_silent_node(view, *derived.record)) {
    if (!silence) {
      silence = progress;
      silence->set_rate(view.now, progress.rate);
    }
    return {};
  }
  if (!silence) return rate;
  if (derived.counters.any(Trait::unclear)) return {};  // its VMs are being asked for
  Progress meanwhile = *std::exchange(silence, std::nullopt);
  meanwhile.rate = std::min(meanwhile.rate, rate);
  progress.accrued = progress.accrued + (meanwhile.at(view.now) - meanwhile.accrued);
  return rate;
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
