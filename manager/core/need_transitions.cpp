#include "manager/core/need_transitions.hpp"

#include <algorithm>

#include "manager/core/account_yields.hpp"
#include "manager/core/fit_to_capacity.hpp"
#include "manager/core/lost_vms.hpp"
#include "manager/core/moves.hpp"

namespace aliquot {
namespace {

// The CPU that the VMs have, as a share of the new need; at least what is guaranteed.
Yield yield_after(const Job& job, const Demand& later) {
  const Yield same = std::min(at_other_need(job.yield, job.demand.need, later.need), kFullYield);
  return std::max(same, floor_of(later));
}

// Whether what all nodes of the job have given, or guaranteed, fits with so much more for each task.
bool all_have(const ClusterView& view, const Job& job, Cpu NodeLoad::*sum, Cpu more) {
  return std::ranges::all_of(job.placement, [&](const Share& share) {
    return view.index.load(share.node).*sum + more * share.units <= view.nodes[share.node.raw].capacity;
  });
}

// What the VMs have been given stays as it is, counted in shares of the new need.
void convert_caps(JobRecord& record, Cpu before, Cpu now) {
  for (Vm& vm : record.vms) {
    vm.cap = at_other_need(vm.cap, before, now);
    if (vm.flight) vm.flight->yield = at_other_need(vm.flight->yield, before, now);
  }
}

void convert(ClusterState& state, DerivedJob& known, Submission later) {
  Job& job = *known.job;
  JobRecord& record = *known.record;
  state.derived.touch(known, true);
  known.spec.reset();
  const JobEdit edit(state, job);
  const Cpu before = job.demand.need;
  if (!job.placement.empty()) job.yield = yield_after(job, later.demand);
  for (const Vm& vm : record.vms) state.ledger.discharge(record, vm);
  job.demand.need = later.demand.need;
  job.demand.min_yield = later.demand.min_yield;
  record.submission = std::move(later);
  convert_caps(record, before, job.demand.need);
  for (const Vm& vm : record.vms) state.ledger.charge(record, vm);
}

// The policy is asked then. False: it could not have this need.
bool change_need(ClusterState& state, DerivedJob& known, Submission later) {
  const Job& job = *known.job;
  const GuaranteeKept kept = guarantee_kept(state.core, job, later.demand);
  if (kept == GuaranteeKept::not_at_all) {
    known.record->note = "its need was not changed: its nodes do not have the CPU for its guaranteed yield";
    return false;
  }
  if (kept == GuaranteeKept::elsewhere) displace(state, job.id);
  convert(state, known, std::move(later));
  for (const Share& share : Placement(job.placement)) fit_to_capacity(state, share.node);
  state.cause().disturbed = true;
  return true;
}

}  // namespace

GuaranteeKept guarantee_kept(const CoreState& state, const Job& job, const Demand& later) {
  const ClusterView& view = state.view;
  const Cpu guaranteed = guaranteed_cpu(later);
  const bool may_go_back = fits_where_kept(
      view, state.records.at(job.id),
      [&](const Share& share, const Node& node) { return guaranteed * share.units <= node.capacity; });
  if (job.placement.empty()) return may_go_back ? GuaranteeKept::as_it_stands : GuaranteeKept::not_at_all;
  const Cpu more_given = later.need * yield_after(job, later) - job.demand.need * job.yield;
  if (all_have(view, job, &NodeLoad::given, more_given)) return GuaranteeKept::as_it_stands;
  const auto in_service = [&](const Share& share) { return view.nodes[share.node.raw].usable(); };
  if (state.mode != Mode::automatic || !std::ranges::all_of(job.placement, in_service))
    return GuaranteeKept::not_at_all;
  if (all_have(view, job, &NodeLoad::guaranteed, guaranteed - guaranteed_cpu(job.demand)))
    return GuaranteeKept::by_others;
  const bool stays = must_stay(job) || !job.demand.movable || !job.devices.empty();
  return stays || !may_go_back ? GuaranteeKept::not_at_all : GuaranteeKept::elsewhere;
}

void on(ClusterState& state, const NeedChanged& event) {
  DerivedJob* const known = state.derived.find(event.job);
  if (!known || !known->job || event.need.raw <= 0) return;
  JobRecord& record = *known->record;
  Submission later = with_declared_need_within(*record.submission, event.need);
  if (later.demand == record.submission->demand && later.declared == record.submission->declared) return;
  if (change_need(state, *known, std::move(later))) record.learned.reset();
}

void on(ClusterState& state, const NeedLearned& event) {
  DerivedJob* const known = state.derived.find(event.job);
  if (!known || !known->job || event.need.raw <= 0) return;
  JobRecord& record = *known->record;
  if (!can_use(record.submission, event.need)) return;
  Submission later = with_learned_need_within(*record.submission, event.need);
  if (later.demand.need != known->job->demand.need && !change_need(state, *known, std::move(later))) return;
  record.learned = LearnedNeed{event.used, event.confidence, state.core.view.now};
}

}  // namespace aliquot
