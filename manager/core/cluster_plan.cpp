// How a wish becomes the wanted state, and how issued actions become flights.
#include <algorithm>

#include "manager/core/assign_tasks.hpp"
#include "manager/core/cluster.hpp"
#include "manager/core/cluster_edit.hpp"
#include "manager/core/in_step.hpp"

namespace aliquot {
namespace {

bool has_run(const JobRecord& record) {
  return std::any_of(record.vms.begin(), record.vms.end(), [](const Vm& vm) { return vm.has_run; });
}

std::int64_t units(const Placement& placement) {
  std::int64_t sum = 0;
  for (const Share& share : placement) sum += share.units;
  return sum;
}

// How many units the second placement has where the first has fewer: those that must move. Both are by
// increasing node.
std::int64_t units_moved(const Placement& from, const Placement& to) {
  std::int64_t moved = 0;
  auto old = from.begin();
  for (const Share& share : to) {
    while (old != from.end() && old->node < share.node) ++old;
    const bool here = old != from.end() && old->node == share.node;
    moved += share.units - (here ? std::min(old->units, share.units) : 0);
  }
  return moved;
}

bool answers(const Node& node) { return node.state == NodeState::up || node.state == NodeState::draining; }

bool must_stay(const ClusterView& view, const Job& job, bool unclear) {
  if (job.phase != Phase::running) return false;
  if (!job.demand.movable || unclear) return true;
  const bool all_up = view.index.kept() && view.index.usable_count() == view.nodes.size();
  return !all_up && std::any_of(job.placement.begin(), job.placement.end(),
                                [&](const Share& share) { return !answers(view.nodes[share.node.raw]); });
}

}  // namespace

void Cluster::adopt(const Plan& plan) {
  ++version_;
  for (const Change& change : plan.changes) adopt_change(change);
  close();
  if (!plan.changes.empty()) cycles_broken_ = false;
  state_.view.memory = plan.memory;
  state_.wake_at = plan.wake_at;
}

// Counts a preemption or a migration once per decision, and only of a job that has really run.
void Cluster::adopt_change(const Change& change) {
  Side& side = sides_.at(change.job);
  Job& job = *side.job;
  JobRecord& record = *side.record;
  if (!change.placement.empty() && change.placement == job.placement) {  // it may not get other devices
    open(side, true);
    state_.view.index.regive(job, change.yield);
    job.yield = change.yield;
    return;
  }
  open(side, !is_grouped(job.demand) && none_stands(telling(record, side.in_step)));
  const PlanEdit edit(state_.view, job);
  const bool counts = job.phase == Phase::running && has_run(record);
  if (change.placement.empty()) {
    if (counts) {
      ++record.preemptions;
      record.preempted += job.demand.memory * units(job.placement);
    }
    job.phase = has_run(record) ? Phase::paused : Phase::waiting;
  } else {
    if (counts) {
      ++record.migrations;
      record.migrated += job.demand.memory * units_moved(job.placement, change.placement);
    }
    if (is_grouped(job.demand)) {
      for (const Vm& vm : record.vms) charge(record, vm, -1);
      assign_groups(record, change);
      for (const Vm& vm : record.vms) charge(record, vm, 1);
    } else {
      assign_tasks(record, change.placement);
    }
    job.phase = Phase::running;
  }
  if (job.placement.empty() != change.placement.empty()) job.phase_since = state_.view.now;
  job.placement = change.placement;
  job.yield = change.yield;
  if (is_grouped(job.demand)) job.devices = change.devices;
}

void Cluster::note(const std::vector<Action>& actions) {
  ++version_;
  for (const Action& action : actions) note_action(action);
  close();
  cycles_broken_ = true;
}

void Cluster::open(Side& side, bool alike) {
  open_counted(side, alike);
  side.counted = false;
  side.changed = true;
}

void Cluster::open_counted(Side& side, bool alike) {
  side.in_step = side.in_step && alike;
  if (side.open) return;
  side.open = true;
  open_.push_back(&side);
}

// Where nothing has happened but that some of several tasks moved on, no more follows than that an action
// is under way or is not; and the rest is asked of the tally itself.
bool Cluster::only_moves_on(const Side& side) {
  constexpr std::uint32_t telling = bit(Trait::unclear, true) | bit(Trait::delayed, true) |
                                    bit(Trait::unsettled, true) | bit(Trait::still, true);
  return side.counted && !side.changed && side.job && side.tally.any(Trait::moves) &&
         ((side.tally.some() ^ side.derived_from) & telling) == 0;
}

void Cluster::close() {
  for (Side* side : open_) {
    side->open = false;
    if (only_moves_on(*side))
      side->job->in_flight = side->tally.any(Trait::under_way);
    else
      derive(*side);
  }
  open_.clear();
}

void Cluster::note_action(const Action& action) {
  const ActionHead& what = head(action);
  state_.next_op.raw = std::max(state_.next_op.raw, what.op.raw + 1);
  const ActionKind how = kind(action);
  if (how == ActionKind::abort) return;
  Yield yield;
  const TaskNodes* to = nullptr;
  if (const auto* create = std::get_if<Create>(&action)) to = &create->nodes, yield = create->yield;
  if (const auto* restore = std::get_if<Restore>(&action)) to = &restore->nodes, yield = restore->yield;
  if (const auto* migrate = std::get_if<Migrate>(&action)) to = &migrate->to;
  if (const auto* cap = std::get_if<Cap>(&action)) yield = cap->yield;
  const bool arrives = how == ActionKind::create || how == ActionKind::restore;
  Side& side = *this->side(what.job);
  JobRecord& record = *side.record;
  open_counted(side, what.tasks.count == record.vms.size());
  const auto begin = [&](Vm& vm, std::uint32_t task) {
    const NodeId target = to ? (*to)[task - what.tasks.first] : NodeId{};
    Flight& flight = vm.flight.emplace();  // made in place: one for each of many VMs
    flight.op = what.op;
    flight.kind = how;
    flight.to = target;
    flight.yield = yield;
    flight.since = state_.view.now;
    if (arrives) vm.node = target;
    if (how == ActionKind::create) ++vm.incarnation;
  };
  if (side.in_step && how != ActionKind::migrate) {
    side.changed = true;
    const bool stay = !to && exists(record.vms.front());
    change_all(side, begin);
    side.in_step = stay || std::ranges::all_of(record.vms, is_at_home);
  } else {
    for (std::uint32_t task = what.tasks.first; task < what.tasks.first + what.tasks.count; ++task) {
      if (Vm& vm = record.vms[task];
          how == ActionKind::migrate && !vm.flight && VmMove::is_plain(side, vm)) {
        const VmMove move(*this, side, vm);
        begin(vm, task);
        move.has_begun();
        side.in_step = false;
        continue;
      }
      side.changed = true;
      const VmEdit edit(*this, side, record.vms[task]);
      begin(record.vms[task], task);
      side.in_step = side.in_step && is_at_home(record.vms[task]);
    }
  }
  if (arrives) side.sheet.reset();
}

Cluster::Unsettled Cluster::unsettled(const Side& side) {
  return {side.id, side.job, side.record, side.tally.chores(), side.in_step, side.delayed, side.changed_in};
}

void Cluster::list_unsettled(std::vector<Unsettled>& all) const {
  for (const Side* side : unsettled_) all.push_back(unsettled(*side));
}

void Cluster::count_unsettled(Side& side, bool unsettled) {
  if (std::exchange(side.unsettled, unsettled) == unsettled) return;
  const auto at = std::ranges::lower_bound(unsettled_, side.id, {}, &Side::id);
  if (unsettled)
    unsettled_.insert(at, &side);
  else
    unsettled_.erase(at);
}

std::shared_ptr<const JobSpec> Cluster::sheet(JobId job) const {
  Side& side = sides_.at(job);
  std::shared_ptr<const JobSpec>& sheet = side.sheet;
  if (!sheet) {
    const JobRecord& record = *side.record;
    auto fresh = std::make_shared<JobSpec>();
    fresh->job = job;
    fresh->submission = record.submission;
    fresh->tasks.resize(record.vms.size());
    auto task = fresh->tasks.begin();
    for (const Vm& vm : record.vms)
      *task++ = {vm.incarnation, vm.node, vm.state == VmState::ended, vm.units, 0};
    fresh->places.reserve(record.devices.size());
    for (std::size_t k = 0; k < record.devices.size(); ++k) {
      fresh->tasks[k].devices = record.devices[k];
      fresh->places.push_back(device_places(record.vms[k].node, record.devices[k]));
    }
    sheet = std::move(fresh);
  }
  return sheet;
}

void Cluster::charge(const JobRecord& record, const Vm& vm, int sign) {
  for_each_charge(record.submission->demand, vm, [&](NodeId node, const NodeCharge& each) {
    sign > 0 ? charge(node, each) : discharge(node, each);
  });
  if (!record.devices.empty()) charge_devices(record, vm, sign);
}

void Cluster::charge(NodeId node, const NodeCharge& more) {
  NodeCharge& charged = books_[node.raw].charged;
  charged.memory += more.memory;
  charged.cpu += more.cpu;
}

void Cluster::discharge(NodeId node, const NodeCharge& less) {
  NodeBook& book = books_[node.raw];
  book.charged.memory -= less.memory;
  book.charged.cpu -= less.cpu;
  book.freed_in = version_;
}

void Cluster::open_books() {
  books_.resize(state_.view.nodes.size());
  for (const Node& node : state_.view.nodes) {
    NodeBook& book = books_[node.id.raw];
    book.whole = {node.memory, node.capacity};
    book.freed_in = version_;
  }
}

void Cluster::derive_all() {
  for (auto& [id, side] : sides_) {
    side.in_step = side.counted = false;
    side.changed = true;
    derive(side);
  }
}

// Who moves is not in step.
void Cluster::derive(Side& side) {
  Job* const job = side.job;
  if (!side.in_step && !(side.counted && side.tally.any(Trait::moves)))
    side.in_step = in_step(*side.record);
  VmTally& tally = side.tally;
  if (side.in_step)
    tally.read(job, side.record->vms.front());
  else if (!side.counted)
    tally.count(job, side.record->vms);
  side.counted = !side.in_step;
  if (std::exchange(side.changed, false)) side.changed_in = version_;
  side.derived_from = tally.some();
  if (const bool delayed = tally.any(Trait::delayed); side.delayed != delayed) {
    side.delayed = delayed;
    delayed ? ++delayed_ : --delayed_;
  }
  count_unsettled(side, tally.any(Trait::unsettled));
  if (!job) return;
  job->in_flight = tally.any(Trait::under_way);
  job->pinned = must_stay(state_.view, *job, tally.any(Trait::unclear));
  const Yield rate = tally.rate(telling(*side.record, side.in_step));
  if (rate != job->progress.rate) job->progress.set_rate(state_.view.now, rate);
}

}  // namespace aliquot
