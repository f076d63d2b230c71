#include "manager/core/cluster.hpp"

#include <algorithm>
#include <bit>

#include "manager/core/account_limits.hpp"
#include "manager/core/array_transitions.hpp"
#include "manager/core/checkpoint_transitions.hpp"
#include "manager/core/deferral.hpp"
#include "manager/core/job_transitions.hpp"
#include "manager/core/lost_vms.hpp"
#include "manager/core/maintenance_windows.hpp"
#include "manager/core/memory_transitions.hpp"
#include "manager/core/moves.hpp"
#include "manager/core/need_transitions.hpp"
#include "manager/core/node_transitions.hpp"
#include "manager/core/refused_announcements.hpp"
#include "manager/core/size_transitions.hpp"
#include "manager/core/time_limits.hpp"
#include "manager/core/vm_transitions.hpp"
#include "manager/core/weight_transitions.hpp"

namespace aliquot {
namespace {

CoreState of_nodes(std::vector<Node> nodes) {
  CoreState state;
  state.view.nodes = std::move(nodes);
  return state;
}

// Where the hardware behind these slots is. A slot that the node does not have any more counts as gone.
std::vector<std::string> device_places(const Node& node, DeviceSet slots) {
  std::vector<std::string> places;
  for (; slots != 0; slots &= slots - 1) {
    const auto slot = static_cast<std::size_t>(std::countr_zero(slots));
    std::string place = slot < node.devices.size() ? node.device_place(slot) : std::string(kGone);
    if (!place.empty()) places.push_back(std::move(place));
  }
  return places;
}

std::vector<std::string> addresses_of(const std::vector<Node>& nodes) {
  std::vector<std::string> addresses;
  for (const Node& node : nodes)
    if (!node.address.empty() && node.service != NodeService::removed) addresses.push_back(node.address);
  return addresses;
}

std::shared_ptr<const JobSpec> make_spec(const DerivedJob& known, const std::vector<Node>& nodes) {
  const JobRecord& record = *known.record;
  auto spec = std::make_shared<JobSpec>();
  spec->job = known.id;
  spec->submission = record.submission;
  spec->submitted = known.job ? known.job->submitted : record.leaving->submitted;
  spec->tasks.reserve(record.vms.size());
  for (const Vm& vm : record.vms)
    spec->tasks.push_back({vm.incarnation, vm.node, vm.state == VmState::ended, vm.units, 0, has_left(vm)});
  spec->places.reserve(record.devices.size());
  for (std::size_t k = 0; k < record.devices.size(); ++k) {
    spec->tasks[k].devices = record.devices[k];
    spec->places.push_back(device_places(nodes[record.vms[k].node.raw], record.devices[k]));
  }
  if (record.submission->network) spec->node_addresses = addresses_of(nodes);
  return spec;
}

// What jobs count with may be another after the event: of the job that it names, or of those that an event
// of nodes or of time has changed. A job that is held before it has begun gives back what it was counted
// with.
template <class E>
void follow_uses(ClusterState& state, const E& event) {
  if constexpr (requires { event.job; })
    recount(state, event.job);
  else
    recount_touched(state);
  if constexpr (std::is_same_v<E, HoldChanged>)
    if (DerivedJob* const known = state.derived.find(event.job); known && event.held)
      withdraw(state, *known);
}

}  // namespace

Cluster::Cluster(std::vector<Node> nodes) : state_(of_nodes(std::move(nodes))) {}

const JobRecord* Cluster::record(JobId job) const {
  const auto found = state().records.find(job);
  return found == state().records.end() ? nullptr : &found->second;
}

std::shared_ptr<const JobSpec> Cluster::spec(JobId job) const {
  const DerivedJob& known = state_.derived.at(job);
  if (!known.spec) known.spec = make_spec(known, view().nodes);
  return known.spec;
}

void Cluster::advance(Instant now) { state_.core.view.now = std::max(view().now, now); }

void Cluster::apply(std::span<const Event> events) {
  state_.ledger.begin_revision();
  end_cool_downs(state_);
  for (const Event& event : events) {
    std::visit(
        [this](const auto& e) {
          on(state_, e);
          follow_uses(state_, e);
        },
        event);
    tell_arrays(state_);
    tell_dependents(state_);
    admit_within_limits(state_);
  }
  state_.update_derived();
}

void Cluster::set_ticks(Instant base, std::optional<Instant> next) {
  state_.core.tick_base = base;
  state_.core.view.next_tick = next;
}

void Cluster::adopt(const Plan& plan) {
  take_over(plan);
  state_.core.view.memory = plan.memory;
}

void Cluster::adopt(const Decision& decision) {
  take_over(decision.plan);
  remember(decision.memory, state_.core.view.memory);
}

void Cluster::take_over(const Plan& plan) {
  state_.ledger.begin_revision();
  for (const Change& change : plan.changes) {
    aliquot::adopt(state_, change);
    recount(state_, change.job);
  }
  state_.update_derived();
  if (!plan.changes.empty()) state_.cycles_broken = false;
  state_.core.wake_at = plan.wake_at;
}

void Cluster::issue(const std::vector<Action>& actions) {
  state_.ledger.begin_revision();
  for (const Action& action : actions) {
    aliquot::issue(state_, action);
    recount(state_, head(action).job);
  }
  state_.update_derived();
  state_.cycles_broken = true;
}

void Cluster::list_pending(std::vector<PendingJob>& jobs) const {
  for (const DerivedJob* known : state_.derived.pending())
    jobs.push_back({known->id, known->job, known->record, known->counters.pending_work(), known->uniform,
                    known->delayed, known->changed_in});
}

std::vector<VmQuery> Cluster::unclear() const {
  std::vector<VmQuery> queries;
  for (const DerivedJob* known : state_.derived.pending()) {
    const JobRecord& record = *known->record;
    for (std::uint32_t task = 0; task < record.vms.size(); ++task) {
      const Vm& vm = record.vms[task];
      if (!vm.unclear) continue;
      VmQuery query{known->id, task, vm.incarnation, {vm.node}, exists(vm), vm.missing && !record.leaving};
      if (vm.flight && vm.flight->to != vm.node) query.nodes.push_back(vm.flight->to);
      // On a node that is off there is nothing. What a VM left in shared storage tells the rest.
      std::erase_if(query.nodes,
                    [&](NodeId node) { return view().nodes[node.raw].state == NodeState::fenced; });
      queries.push_back(std::move(query));
    }
  }
  return queries;
}

std::vector<JobId> Cluster::due_checkpoints() const { return aliquot::due_checkpoints(state_); }

std::vector<TasksChanged> Cluster::due_changes() const { return aliquot::due_changes(state_); }

std::vector<Submitted> Cluster::due_members() const { return aliquot::due_members(state_); }

std::optional<TasksAdded> Cluster::next_growth(bool slows_others) const {
  return aliquot::next_growth(state_, slows_others);
}

Instant Cluster::next_timer() const {
  if (!state_.arrays.making.empty()) return view().now;
  if (state_.uses.may_admit()) return view().now;
  Instant next = std::min({next_checkpoint(state_), next_change(state_), next_begin(state_),
                           next_limit(state_), next_maintenance(state_.core)});
  if (!state_.derived.any_delayed()) return next;
  for (const DerivedJob* known : state_.derived.pending()) {
    const JobRecord& record = *known->record;
    if (record.pause_again > view().now) next = std::min(next, record.pause_again);
    for (const Vm& vm : record.vms)
      if (!vm.flight && !vm.unclear && vm.not_before > view().now) next = std::min(next, vm.not_before);
  }
  return next;
}

}  // namespace aliquot
