#include "manager/core/cluster.hpp"

#include <algorithm>

#include "manager/core/assign_tasks.hpp"
#include "manager/core/cluster_edit.hpp"

namespace aliquot {
namespace {

bool needs_inspection(const Vm& vm) { return vm.flight || exists(vm) || vm.state == VmState::saved; }

template <class T>
void insert_sorted(std::vector<T>& sorted, T value) {
  const auto at = std::lower_bound(sorted.begin(), sorted.end(), value);
  if (at == sorted.end() || *at != value) sorted.insert(at, value);
}

}  // namespace

Cluster::Cluster(std::vector<Node> nodes) {
  state_.view.nodes = std::move(nodes);
  open_books();
  state_.view.index.rebuild(state_.view);
  free_devices_ = FreeDevices(state_.view.nodes);
}

Cluster::Cluster(CoreState state) : state_(std::move(state)) {
  open_books();
  state_.view.index.rebuild(state_.view);
  free_devices_ = FreeDevices(state_.view.nodes);
  for (auto& [id, record] : state_.records) {
    for (const Vm& vm : record.vms) charge(record, vm, 1);
    if (record.submission->time_limit && !record.leaving) limited_.insert(id);
    derive(add_side(id, record));
  }
}

const JobRecord* Cluster::record(JobId job) const {
  const auto found = state_.records.find(job);
  return found == state_.records.end() ? nullptr : &found->second;
}

// What happens to a job, and what is done to it, comes in runs.
Cluster::Side* Cluster::side(JobId job) {
  if (!open_.empty() && open_.back()->id == job) return open_.back();
  const auto found = sides_.find(job);
  return found == sides_.end() ? nullptr : &found->second;
}

Cluster::Side& Cluster::add_side(JobId id, JobRecord& record) {
  const auto planned = state_.view.jobs.find(id);
  Job* job = planned == state_.view.jobs.end() ? nullptr : &planned->second;
  return sides_
      .emplace(id, Side{id, &record, job, {}, false, false, false, false, false, {}, 0, false, version_})
      .first->second;
}

void Cluster::advance(Instant now) { state_.view.now = std::max(state_.view.now, now); }

void Cluster::set_ticks(Instant base, std::optional<Instant> next) {
  state_.tick_base = base;
  state_.view.next_tick = next;
}

void Cluster::apply(std::span<const Event> events) {
  ++version_;
  for (const Event& event : events) std::visit([this](const auto& e) { on(e); }, event);
  close();
}

std::vector<JobOutcome> Cluster::take_ended() { return std::exchange(ended_, {}); }

// --- events about jobs ---------------------------------------------------------------------------------

void Cluster::arrive(JobId id) { insert_sorted(state_.view.cause.arrived, id); }

void Cluster::on(const Submitted& event) {
  Job job;
  job.id = event.job;
  job.demand = event.submission->demand;
  job.submitted = job.phase_since = job.progress.since = state_.view.now;
  job.held = event.submission->hold;
  job.pinned = false;
  const auto [placed, fresh] = state_.view.jobs.emplace(event.job, job);
  if (!fresh) return;
  state_.view.index.arrive(state_.view, placed->second);
  JobRecord& record = state_.records[event.job];
  record.submission = event.submission;
  record.vms.resize(is_grouped(job.demand) ? 1 : job.demand.tasks);
  if (is_grouped(job.demand)) record.vms.front().units = job.demand.tasks;
  add_side(event.job, record).in_step = true;
  state_.next_job.raw = std::max(state_.next_job.raw, event.job.raw + 1);
  if (event.submission->time_limit) limited_.insert(event.job);
  if (!job.held) arrive(event.job);
}

void Cluster::on(const Cancelled& event) {
  Side* const known = side(event.job);
  if (known && known->job) leave(*known, event.result, event.why);
}

void Cluster::on(const HoldChanged& event) {
  Side* const known = side(event.job);
  Job* job = known ? known->job : nullptr;
  if (!job || job->held == event.held) return;
  {
    const PlanEdit edit(state_.view, *job);
    job->held = event.held;
  }
  if (!event.held) {
    known->record->note.clear();
    if (job->phase != Phase::running) arrive(event.job);
  }
  state_.view.cause.disturbed = true;
}

// --- events about the cluster --------------------------------------------------------------------------

void Cluster::on(const Configured& said) {
  Configured event = said;
  number_models(event.device_models, event.nodes);
  std::vector<Node>& nodes = state_.view.nodes;
  const auto named = [](const std::vector<Node>& list, const std::string& name) {
    return std::find_if(list.begin(), list.end(), [&](const Node& node) { return node.name == name; });
  };
  for (Node& node : nodes)
    if (named(event.nodes, node.name) == event.nodes.end()) node.state = NodeState::down;
  for (Node node : event.nodes) {
    const auto known = named(nodes, node.name);
    node.id = {static_cast<std::uint32_t>(known - nodes.begin())};
    if (known == nodes.end())
      nodes.push_back(std::move(node));
    else
      nodes[node.id.raw] = std::move(node);
  }
  open_books();
  state_.view.index.rebuild(state_.view);
  recount_devices();
  derive_all();
  state_.view.cause.disturbed = true;
  // These are nodes on which time passes: what actions cost is learned from now on.
  if (!state_.measured) state_.view.costs = state_.measured.emplace().costs();
}

void Cluster::on(const Restarted&) {
  for (auto& [id, record] : state_.records)
    for (Vm& vm : record.vms) vm.unclear = vm.unclear || needs_inspection(vm);
  derive_all();
  state_.view.cause.disturbed = true;
}

void Cluster::on(const NodeChanged& event) {
  if (event.node.raw >= state_.view.nodes.size()) return;
  Node& node = state_.view.nodes[event.node.raw];
  const bool back = (node.state == NodeState::suspect || node.state == NodeState::down) &&
                    (event.state == NodeState::up || event.state == NodeState::draining);
  node.state = event.state;
  state_.view.index.rebuild(state_.view);
  cycles_broken_ = false;
  // While it did not answer, anything may have happened there.
  for (auto& [id, record] : state_.records) {
    for (Vm& vm : record.vms) {
      const bool here = (exists(vm) && vm.node == event.node) || (vm.flight && vm.flight->to == event.node);
      if (back && here) vm.unclear = true;
    }
  }
  derive_all();
  if (!node.usable()) unplace_absent_on(event.node);
  state_.view.cause.disturbed = true;
}

// A job that was to start on a node that has gone, and of which nothing exists yet, waits again.
void Cluster::unplace_absent_on(NodeId node) {
  for (auto& [id, job] : state_.view.jobs) {
    JobRecord& record = state_.records.at(id);
    const auto untouched = [](const Vm& vm) { return !exists(vm) && !vm.flight; };
    const auto here = [node](const Share& share) { return share.node == node; };
    if (std::none_of(job.placement.begin(), job.placement.end(), here)) continue;
    if (!std::all_of(record.vms.begin(), record.vms.end(), untouched)) continue;
    adopt_change({id, {}, {}});
    arrive(id);
  }
}

// The move itself shows in what the next inspection or outcome says; it is reported, never fought.
void Cluster::on(const ForeignMove& event) {
  Side* const known = side(event.job);
  if (!known || event.task >= known->record->vms.size()) return;
  Vm& vm = known->record->vms[event.task];
  open(*known);
  vm.unclear = vm.unclear || needs_inspection(vm);
}

void Cluster::on(const PolicyChanged& event) {
  state_.policy = event.spec;
  state_.view.memory = {};
  state_.wake_at.reset();
  for (const auto& [id, job] : state_.view.jobs)
    if (job.phase == Phase::waiting && !job.held) arrive(id);
  state_.view.cause.disturbed = true;
}

void Cluster::on(const ModeChanged& event) {
  state_.mode = event.mode;
  for (const auto& [id, job] : state_.view.jobs)
    if (job.phase == Phase::waiting && !job.held) arrive(id);
  state_.view.cause.disturbed = true;
}

void Cluster::on(const TimerExpired&) { expire_limits(); }

void Cluster::on(const Woken&) {
  state_.wake_at.reset();
  state_.view.cause.woken = true;
}

void Cluster::on(const Tick&) { state_.view.cause.tick = true; }

// A time limit counts virtual time: a job that was slowed or paused is not cut short for it.
void Cluster::expire_limits() {
  std::vector<JobId> over;
  for (const JobId id : limited_)
    if (state_.view.jobs.at(id).progress.at(state_.view.now) >=
        *state_.records.at(id).submission->time_limit * kFullYield)
      over.push_back(id);
  for (const JobId id : over) leave(*side(id), JobResult::timed_out, "reached its time limit");
}

Instant Cluster::next_timer() const {
  Instant next = kNever;
  for (const JobId id : limited_)
    next = std::min(
        next, state_.view.jobs.at(id).progress.reaches(*record(id)->submission->time_limit * kFullYield));
  if (delayed_ == 0) return next;
  for (const Side* side : unsettled_)
    for (const Vm& vm : side->record->vms)
      if (!vm.flight && !vm.unclear && vm.not_before > state_.view.now)
        next = std::min(next, vm.not_before);
  return next;
}

std::vector<VmQuery> Cluster::unclear() const {
  std::vector<VmQuery> queries;
  for (const Side* side : unsettled_) {
    const JobRecord& job = *side->record;
    for (std::uint32_t task = 0; task < job.vms.size(); ++task) {
      const Vm& vm = job.vms[task];
      if (!vm.unclear) continue;
      VmQuery query{side->id, task, vm.incarnation, {vm.node}};
      if (vm.flight && vm.flight->to != vm.node) query.nodes.push_back(vm.flight->to);
      queries.push_back(std::move(query));
    }
  }
  return queries;
}

}  // namespace aliquot
