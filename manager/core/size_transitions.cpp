#include "manager/core/size_transitions.hpp"

#include <algorithm>

#include "manager/core/fit_to_capacity.hpp"
#include "manager/core/job_transitions.hpp"
#include "manager/core/refused_announcements.hpp"
#include "policies/evolving/places.hpp"

namespace aliquot {
namespace {

void keep_leaving(ClusterState& state, DerivedJob& known, std::uint32_t& more) {
  for (Vm& vm : known.record->vms) {
    if (more == 0) return;
    if (vm.state == VmState::ended || vm.leaving != Leaving::asked || vm.flight) continue;
    const VmEdit edit(state, known, vm);
    vm.leaving = Leaving::no;
    --more;
  }
}

void shrink(ClusterState& state, DerivedJob& known, std::uint32_t fewer) {
  std::vector<Vm>& vms = known.record->vms;
  const std::uint32_t waived = std::min(fewer, known.record->evolution.growth);
  known.record->evolution.growth -= waived;
  fewer -= waived;
  for (auto vm = vms.rbegin(); fewer > 0 && vm != vms.rend(); ++vm) {
    if (!stays(*vm)) continue;
    const VmEdit edit(state, known, *vm);
    vm->leaving = Leaving::asked;
    --fewer;
  }
  follow_leaving(state, known.id);
}

// What announced changes ask for is checked one by one: all together they may ask for more.
std::uint32_t numbers_left(const JobRecord& record) {
  const std::uint64_t most = most_numbers(*record.submission);
  const std::uint64_t given = record.vms.size() + record.evolution.growth;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(most - std::min(most, given), kMaxTasks));
}

// By increasing instant; of two for one instant the later one counts.
void announce(Evolution& its, const TasksChanged& event) {
  std::erase_if(its.announced, [&](const AnnouncedTasks& known) { return known.at == event.at; });
  const auto at = std::ranges::upper_bound(its.announced, event.at, {}, &AnnouncedTasks::at);
  its.announced.insert(at, {event.at, event.tasks, event.why});
}

// Asked at every event of every VM, so that not all VMs of its job may be looked at.
bool any_has_gone(const DerivedJob& job) {
  if (job.counted) return job.counters.any(Trait::gone);
  return !job.uniform || has_gone(job.record->vms.front());
}

// All that it has now can go on beside the new tasks.
bool may_grow(const CoreState& core, const Job& job, const JobRecord& record) {
  if (record.evolution.growth == 0 || job.phase != Phase::running || job.held) return false;
  if (record.silence || std::ranges::any_of(record.vms, &Vm::rolls_back)) return false;
  return std::ranges::all_of(job.placement,
                             [&](const Share& share) { return answers(core.view, share.node); });
}

}  // namespace

bool may_evolve(const JobRecord& record) {
  return !record.array &&
         (record.evolution.any() || !record.submission->profile.empty() ||
          std::ranges::any_of(record.vms, [](const Vm& vm) { return vm.leaving != Leaving::no; }));
}

void on(ClusterState& state, const TasksChanged& event) {
  DerivedJob* const known = state.derived.find(event.job);
  if (!known || !known->job || event.tasks == 0) return;
  JobRecord& record = *known->record;
  Evolution& its = record.evolution;
  state.evolving.insert(event.job);
  if (event.guest && !hear(its.heard, *event.guest)) return;
  if (event.step > 0) {
    if (event.step <= its.steps_done) return;
    its.steps_done = event.step;
  } else if (event.at > state.now()) {
    state.derived.touch(*known);
    return announce(its, event);
  } else {
    std::erase_if(its.announced, [&](const AnnouncedTasks& past) { return past.at <= event.at; });
  }
  state.derived.touch(*known);
  state.cause().disturbed = true;
  its.by_profile = event.step > 0;
  const std::uint32_t size = wanted_tasks(record);
  if (event.tasks < size) return shrink(state, *known, size - event.tasks);
  std::uint32_t more = event.tasks - size;
  keep_leaving(state, *known, more);
  if (!can_grow(*record.submission)) return;
  its.growth += std::min(more, numbers_left(record));
  its.why = event.why;
}

void on(ClusterState& state, const TasksAdded& event) {
  DerivedJob* const known = state.derived.find(event.job);
  if (!known || !known->job || known->job->phase != Phase::running) return;
  JobRecord& record = *known->record;
  std::uint64_t more = 0;
  for (const Share& share : event.more) more += share.units;
  const std::size_t nodes = state.core.view.nodes.size();
  if (std::ranges::any_of(event.more, [&](const Share& share) { return share.node.raw >= nodes; })) return;
  if (more == 0 || more > record.evolution.growth) return;
  record.evolution.growth -= static_cast<std::uint32_t>(more);
  state.derived.touch(*known);
  known->spec.reset();
  {
    const JobEdit edit(state, *known->job);
    known->job->demand.tasks += static_cast<std::uint32_t>(more);
    for (const Share& share : event.more) evolving::put_on(known->job->placement, share);
  }
  const bool has_run = std::ranges::any_of(record.vms, &Vm::has_run);
  for (const Share& share : event.more) {
    Vm vm;
    vm.wanted = share.node;
    vm.joins = has_run;  // a job that has yet to begin does so with all its tasks
    record.vms.insert(record.vms.end(), share.units, vm);
  }
  for (const Share& share : event.more) fit_to_capacity(state, share.node);
  state.cause().disturbed = true;
}

std::vector<TasksChanged> due_changes(const ClusterState& state) {
  std::vector<TasksChanged> due;
  for (const JobId id : state.evolving) {
    const JobRecord& record = state.core.records.at(id);
    const Evolution& its = record.evolution;
    for (const AnnouncedTasks& next : its.announced)
      if (next.at <= state.now()) due.push_back({id, next.tasks, next.at, next.why, 0, true});
    const VirtualTime done = state.core.view.jobs.at(id).progress.at(state.now());
    const std::vector<LaterStep>& profile = record.submission->profile;
    for (std::uint32_t k = its.steps_done; k < profile.size(); ++k) {
      if (done < profile[k].after * kFullYield) break;
      const std::string why = "step " + std::to_string(k + 2) + " of its profile";
      due.push_back({id, profile[k].tasks, state.now(), why, k + 1});
    }
  }
  return due;
}

std::optional<TasksAdded> next_growth(const ClusterState& state, bool slows_others) {
  if (state.core.mode != Mode::automatic) return std::nullopt;
  for (const JobId id : state.evolving) {
    const Job& job = state.core.view.jobs.at(id);
    const JobRecord& record = state.core.records.at(id);
    if (!may_grow(state.core, job, record)) continue;
    auto room = evolving::places_beside(state.core.view, job, record.evolution.growth, slows_others);
    if (room) return TasksAdded{id, std::move(*room)};
  }
  return std::nullopt;
}

Instant next_change(const ClusterState& state) {
  Instant next = kNever;
  for (const JobId id : state.evolving) {
    const JobRecord& record = state.core.records.at(id);
    const Evolution& its = record.evolution;
    if (!its.announced.empty()) next = std::min(next, its.announced.front().at);
    const std::vector<LaterStep>& profile = record.submission->profile;
    if (its.steps_done < profile.size())
      next = std::min(
          next, state.core.view.jobs.at(id).progress.reaches(profile[its.steps_done].after * kFullYield));
    for (const Vm& vm : record.vms)
      if (vm.leaving == Leaving::told && vm.state == VmState::running && vm.leave_by > state.now())
        next = std::min(next, vm.leave_by);
  }
  return next;
}

void dismiss_joining(ClusterState& state, JobId job) {
  DerivedJob* const known = state.derived.find(job);
  if (!known || !known->job) return;
  std::vector<Vm>& vms = known->record->vms;
  const auto joins = [](const Vm& vm) { return vm.joins && stays(vm); };
  const auto is_over = [](const Vm& vm) { return vm.joins || vm.state == VmState::ended; };
  if (std::ranges::none_of(vms, joins) || !std::ranges::all_of(vms, is_over)) return;
  state.derived.touch(*known);
  for (Vm& vm : vms) {
    if (!joins(vm)) continue;
    const VmEdit edit(state, *known, vm);
    vm.leaving = Leaving::asked;
  }
  follow_leaving(state, job);
}

void follow_leaving(ClusterState& state, JobId job) {
  const DerivedJob* known = state.derived.find(job);
  if (!known || !any_has_gone(*known)) return;
  for (std::uint32_t task = 0; known && known->job && task < vm_count(*known->record); ++task) {
    const Vm& vm = known->record->vms[task];
    if (!has_gone(vm)) continue;
    on(state, TaskEnded{job, {task, 1}, vm.incarnation, 0, {}});
    known = state.derived.find(job);
  }
}

LeavingStep leaving_step(const Vm& vm, Instant now) {
  if (vm.leaving == Leaving::no || !exists(vm) || vm.rolls_back) return LeavingStep::nothing;
  if (!vm.has_run) return LeavingStep::destroy;
  if (vm.state != VmState::running) return LeavingStep::nothing;
  if (vm.leaving == Leaving::asked) return LeavingStep::notify;
  return vm.leave_by <= now ? LeavingStep::destroy : LeavingStep::nothing;
}

}  // namespace aliquot
