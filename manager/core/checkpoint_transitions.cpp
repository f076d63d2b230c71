#include "manager/core/checkpoint_transitions.hpp"

#include <algorithm>
#include <set>

#include "manager/core/migrations.hpp"
#include "manager/core/time_limits.hpp"

namespace aliquot {
namespace {

// Between two attempts, after so many failures in a row.
Duration back_off(std::uint32_t failures) {
  return seconds(std::min<std::int64_t>(600, std::int64_t{15} << std::min(failures, 6U)));
}

void follow(std::optional<Duration>& mean, Duration value) {
  mean = mean ? Duration{mean->raw + (value.raw - mean->raw) / 8} : value;
}

// When the next checkpoint of the job is due, if one could be made of it as it is now; else kNever.
Instant due(const ClusterState& state, JobId id, const Checkpoints& its) {
  const DerivedJob& known = state.derived.at(id);
  const Job* const job = known.job;
  if (!job || job->phase != Phase::running || known.pending) return kNever;
  const bool all_answer = std::ranges::all_of(known.record->vms, [&](const Vm& vm) {
    return vm.state == VmState::ended || answers(state.core.view, vm.node);
  });
  return all_answer ? its.due(*known.record->submission->checkpoint, job->progress) : kNever;
}

std::set<NodeId> nodes_of(const JobRecord& record) {
  std::set<NodeId> nodes;
  for (const Vm& vm : record.vms)
    if (vm.state != VmState::ended) nodes.insert(vm.node);
  return nodes;
}

Checkpoints* find(ClusterState& state, JobId job) {
  const auto found = state.core.checkpoints.find(job);
  return found == state.core.checkpoints.end() ? nullptr : &found->second;
}

// Every VM is to be as it was at the newest checkpoint, and so is the virtual time.
void rewind(ClusterState& state, DerivedJob& known, Checkpoints& its,
            const std::function<bool(const Vm&)>& is_lost) {
  ++its.rollbacks;
  forget_warning(state, known);
  state.derived.touch(known);
  for (Vm& vm : known.record->vms) {
    if (vm.state == VmState::ended) continue;
    const VmEdit edit(state, known, vm);
    vm.rolls_back = vm.has_run = true;
    vm.keeps_place = false;
    vm.failures = 0;
    vm.not_before = {};
    if (is_lost(vm)) {
      vm.flight.reset();
      vm.unclear = false;
      vm.state = VmState::saved;
    } else if (vm.flight) {
      vm.flight->rolls_back = false;  // a restore that is under way is not of this checkpoint
    } else if (!exists(vm)) {
      vm.state = VmState::saved;
    }
    if (vm.state == VmState::saved) vm.cap = {};
  }
  const Instant now = state.now();
  Progress& progress = known.job->progress;
  progress.accrued = its.protected_until();
  progress.since = progress.stalled_until = now;
  known.record->pause_again = {};
  known.record->silence.reset();  // what it did meanwhile is lost
}

}  // namespace

std::vector<JobId> due_checkpoints(const ClusterState& state) {
  std::vector<JobId> jobs;
  std::set<NodeId> busy;
  for (const auto& [id, its] : state.core.checkpoints)
    if (its.under_way) busy.merge(nodes_of(state.core.records.at(id)));
  for (const auto& [id, its] : state.core.checkpoints) {
    if (due(state, id, its) > state.now()) continue;
    std::set<NodeId> nodes = nodes_of(state.core.records.at(id));
    if (std::ranges::any_of(nodes, [&](NodeId node) { return busy.contains(node); })) continue;
    busy.merge(nodes);
    jobs.push_back(id);
  }
  return jobs;
}

Instant next_checkpoint(const ClusterState& state) {
  Instant next = kNever;
  for (const auto& [id, its] : state.core.checkpoints)
    if (const Instant at = due(state, id, its); at > state.now()) next = std::min(next, at);
  return next;
}

void begin_checkpoint(ClusterState& state, JobId job, std::uint32_t number) {
  Checkpoints* const its = find(state, job);
  const auto found = state.core.view.jobs.find(job);
  if (!its || found == state.core.view.jobs.end()) return;
  its->last_number = number;
  its->under_way = CheckpointMark{number, state.now(), found->second.progress.at(state.now())};
}

void fail_checkpoint(ClusterState& state, JobId job, const std::string& why) {
  Checkpoints* const its = find(state, job);
  if (!its || !its->under_way) return;
  its->under_way.reset();
  ++its->failures;
  its->not_before = state.now() + back_off(its->failures);
  its->fault = why;
}

void finish_checkpoint(ClusterState& state, const DerivedJob& known, Duration pause) {
  Checkpoints* const its = find(state, known.id);
  if (!its || !its->under_way) return;
  const auto is_written = [](const Vm& vm) {
    return !vm.flight || vm.flight->kind != ActionKind::checkpoint;
  };
  if (!std::ranges::all_of(known.record->vms, is_written)) return;
  follow(its->pause, pause);
  its->last_pause = pause;
  follow(its->took, state.now() - its->under_way->at);
  its->kept.push_back(*its->under_way);
  if (its->kept.size() > kKeptCheckpoints) its->kept.erase(its->kept.begin());
  its->under_way.reset();
  its->failures = 0;
  its->not_before = {};
  its->fault.clear();
}

void drop_checkpoints(ClusterState& state, JobId job) {
  if (Checkpoints* const its = find(state, job)) its->kept.clear();
}

bool roll_back(ClusterState& state, DerivedJob& known, const std::function<bool(const Vm&)>& is_lost) {
  Checkpoints* const its = find(state, known.id);
  if (!known.job || !its || its->kept.empty()) return false;
  its->under_way.reset();
  rewind(state, known, *its, is_lost);
  const JobEdit edit(state, *known.job);
  Job& job = *known.job;
  if (job.phase == Phase::running) job.phase_since = state.now();
  job.phase = Phase::paused;
  job.placement.clear();
  job.yield = {};
  return true;
}

bool roll_back_further(ClusterState& state, DerivedJob& known) {
  Checkpoints* const its = find(state, known.id);
  if (!known.job || !its || its->kept.size() < 2) return false;
  its->kept.pop_back();
  rewind(state, known, *its, [](const Vm&) { return false; });
  return true;
}

}  // namespace aliquot
