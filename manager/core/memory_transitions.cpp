#include "manager/core/memory_transitions.hpp"

#include <algorithm>
#include <utility>

#include "manager/core/lost_vms.hpp"
#include "manager/core/moves.hpp"
#include "manager/core/ties.hpp"

namespace aliquot {
namespace {

bool may_leave(const Job& job) { return !must_stay(job) && job.demand.movable && job.devices.empty(); }

std::uint32_t units_on(const Job& job, NodeId node) {
  const auto share = std::ranges::find(job.placement, node, &Share::node);
  return share == job.placement.end() ? 0 : share->units;
}

// The others on the node that may leave it, the newest first.
std::vector<MayLeave> others_on(const ClusterView& view, const Job& job, NodeId node) {
  std::vector<MayLeave> others;
  for (const JobId id : view.index.placed()) {
    const Job& other = view.jobs.at(id);
    const std::uint32_t units = units_on(other, node);
    if (id != job.id && units > 0 && may_leave(other)) others.push_back({id, other.demand.memory * units});
  }
  std::ranges::reverse(others);
  return others;
}

// What the node lacks if each task of the job has so much more.
Memory missing_on(const ClusterView& view, const Share& share, Memory more) {
  return view.index.load(share.node).memory + more * share.units - view.nodes[share.node.raw].memory;
}

bool others_suffice(const ClusterView& view, const Job& job, const Share& share, Memory more) {
  Memory missing = missing_on(view, share, more);
  if (missing.raw <= 0) return true;
  for (const MayLeave& other : others_on(view, job, share.node)) missing -= other.memory;
  return missing.raw <= 0;
}

void count_with(ClusterState& state, DerivedJob& known, Memory memory) {
  Job& job = *known.job;
  JobRecord& record = *known.record;
  state.derived.touch(known, true);
  known.spec.reset();
  const JobEdit edit(state, job);
  for (const Vm& vm : record.vms) state.ledger.discharge(record, vm);
  record.submission = with_counted_memory(*record.submission, memory);
  job.demand.memory = record.submission->demand.memory;
  for (const Vm& vm : record.vms) state.ledger.charge(record, vm);
}

}  // namespace

MemoryFound memory_found(const CoreState& state, const Job& job, Memory later) {
  const ClusterView& view = state.view;
  const Memory more = later - job.demand.memory;
  if (more.raw <= 0) return MemoryFound::as_it_stands;
  const bool may_go_back = fits_where_kept(
      view, state.records.at(job.id),
      [&](const Share& share, const Node& node) { return later * share.units <= node.memory; });
  if (job.placement.empty()) return may_go_back ? MemoryFound::as_it_stands : MemoryFound::not_at_all;
  const auto holds = [&](const Share& share) { return missing_on(view, share, more).raw <= 0; };
  if (std::ranges::all_of(job.placement, holds)) return MemoryFound::as_it_stands;
  const auto in_service = [&](const Share& share) { return view.nodes[share.node.raw].usable(); };
  if (state.mode != Mode::automatic || !std::ranges::all_of(job.placement, in_service))
    return MemoryFound::not_at_all;
  const auto suffice = [&](const Share& share) { return others_suffice(view, job, share, more); };
  if (std::ranges::all_of(job.placement, suffice)) return MemoryFound::by_others;
  return may_leave(job) && may_go_back ? MemoryFound::elsewhere : MemoryFound::not_at_all;
}

std::vector<JobId> which_leave(const std::vector<MayLeave>& jobs, Memory missing) {
  std::vector<MayLeave> leave;
  for (const MayLeave& each : jobs) {
    if (missing.raw <= 0) break;
    leave.push_back(each);
    missing -= each.memory;
  }
  std::vector<JobId> all;
  // What was taken last is the oldest, and the last one was needed: those before it may not have been.
  for (auto each = leave.rbegin(); each != leave.rend(); ++each) {
    const bool is_spared = (missing + each->memory).raw <= 0;
    if (is_spared)
      missing += each->memory;
    else
      all.push_back(each->job);
  }
  std::ranges::reverse(all);
  return all;
}

void on(ClusterState& state, const MemoryLearned& event) {
  DerivedJob* const known = state.derived.find(event.job);
  if (!known || !known->job || event.memory.raw <= 0) return;
  const Job& job = *known->job;
  const Memory later = std::min(event.memory, declared_memory(known->record->submission));
  if (later == job.demand.memory) return;
  const MemoryFound found = memory_found(state.core, job, later);
  if (found == MemoryFound::not_at_all) {
    known->record->note = "it is counted with less memory than it has: its nodes do not have more";
    return;
  }
  const ClusterView& view = state.core.view;
  const Memory more = later - job.demand.memory;
  if (found == MemoryFound::elsewhere) displace(state, job.id);
  for (const Share& share : Placement(job.placement))
    for (const JobId other : which_leave(others_on(view, job, share.node), missing_on(view, share, more)))
      displace(state, other);
  count_with(state, *known, later);
  state.cycles_broken = false;
  state.cause().disturbed = true;
}

}  // namespace aliquot
