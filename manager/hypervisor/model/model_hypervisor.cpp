#include "manager/hypervisor/model/model_hypervisor.hpp"

#include <algorithm>
#include <utility>

namespace aliquot {
namespace {

using State = ModelVm::State;
using model::Completion;
using model::Crash;
using model::LateReply;
using model::Leave;
using model::OutageEdge;

// What a number is drawn for.
constexpr std::uint64_t doubling = 200;
constexpr std::uint64_t late_end = 201;

Duration whole(VirtualTime time) { return {static_cast<std::int64_t>(time.raw / kMillion)}; }

}  // namespace

ModelHypervisor::ModelHypervisor(std::vector<Node> nodes, ModelOptions options)
    : immediate_(options.immediate()),
      state_(std::move(nodes), std::move(options)),
      held_back_(state_.nodes.size()) {}

// --- time ----------------------------------------------------------------------------------------------

Instant ModelHypervisor::next() {
  state_.completions.update_late(state_.now);
  if (!state_.ready.empty()) return state_.now;
  const Completion* completion = state_.completions.next();
  const auto other = state_.agenda.first();
  return std::min(completion ? completion->at : kNever, other ? other->first : kNever);
}

bool ModelHypervisor::busy() {
  state_.completions.update_late(state_.now);
  return !state_.ready.empty() || state_.completions.next() ||
         state_.agenda.size() > state_.outages.endless_entries();
}

void ModelHypervisor::set_now(Instant now) {
  if (now != state_.now) state_.completions.update_late(state_.now);
  state_.now = now;
}

std::vector<Event> ModelHypervisor::take_due(Instant now) {
  std::vector<Event> events;
  take_due(now, events);
  return events;
}

void ModelHypervisor::take_due(Instant now, std::vector<Event>& events) {
  if (now != state_.now) state_.completions.update_late(state_.now);
  for (;;) {
    const Completion* first = state_.completions.next();
    const auto other = state_.agenda.first();
    if (first && (!other || std::pair(first->at, first->number) < *other)) {
      if (first->at > now) break;
      const Completion completion = *first;
      state_.completions.pop();
      state_.now = std::max(state_.now, completion.at);
      happen(completion);
    } else {
      if (!other || other->first > now) break;
      state_.now = std::max(state_.now, other->first);
      std::visit([this](const auto& what) { happen(what); }, state_.agenda.take_first());
    }
  }
  state_.now = now;
  events.clear();
  std::swap(events, state_.ready);
  if (state_.options.doubled > 0) double_some(events);
}

// A reply may come twice: a call is repeated, or an event is heard on two connections.
void ModelHypervisor::double_some(const std::vector<Event>& events) {
  for (const Event& event : events)
    if ((std::holds_alternative<Outcome>(event) || std::holds_alternative<TaskEnded>(event)) &&
        state_.chance.happens(state_.options.doubled, state_.take_reply_number(), 0, doubling))
      state_.report_late(event);
}

// --- what happens by itself ----------------------------------------------------------------------------

void ModelHypervisor::happen(const Completion& completion) {
  ModelJob& job = state_.jobs.at(completion.job);
  job.ends = kNever;  // tasks that join it later find no work left
  if (job.progress.at(state_.now) < job.work)
    return state_.completions.update(completion.job, job, state_.now);
  const int exit_code = std::get<ModelWork>(job.spec->submission->program).exit_code;
  if (immediate_ && immediate_actions_.end_all(job, exit_code)) return;
  for (std::uint32_t task = 0; task < job.vms.size(); ++task) {
    if (job.vms[task].state == State::running) end_vm(job, task, exit_code);
  }
}

void ModelHypervisor::happen(const Crash& crash) {
  const auto found = state_.jobs.find(crash.job);
  if (found == state_.jobs.end() || crash.task >= found->second.vms.size()) return;
  const ModelVm& vm = found->second.vms[crash.task];
  if (!vm.exists() || vm.incarnation != crash.incarnation) return;
  killed_.insert(crash.job);
  end_vm(found->second, crash.task, std::nullopt);
  state_.completions.update(crash.job, found->second, state_.now);
}

void ModelHypervisor::happen(const Leave& leave) {
  const auto found = state_.jobs.find(leave.job);
  if (found == state_.jobs.end() || leave.task >= found->second.vms.size()) return;
  const ModelVm& vm = found->second.vms[leave.task];
  if (vm.state != State::running || vm.incarnation != leave.incarnation) return;
  end_vm(found->second, leave.task, leave.exit_code);
  state_.completions.update(leave.job, found->second, state_.now);
}

void ModelHypervisor::happen(const OutageEdge& edge) {
  const Outage outage = state_.outages.pass(edge);
  const NodeId node = outage.node;
  if (edge.begins) {
    const NodeState state = outage.dies ? NodeState::down : NodeState::suspect;
    state_.ready.emplace_back(NodeChanged{node, state, "a fault that was injected"});
    if (outage.dies) lose_vms(node);
  } else if (state_.outages.is_reachable(node)) {
    for (TaskEnded& ended : std::exchange(held_back_[node.raw], {}))
      state_.ready.emplace_back(std::move(ended));
    state_.ready.emplace_back(NodeChanged{node, NodeState::up, "it answers again"});
  }
  if (!edge.begins && outage.number > 0) state_.outages.draw_next(edge, state_.now);
}

void ModelHypervisor::happen(const LateReply& reply) {
  if (reply.manager == state_.managers) state_.ready.push_back(*reply.event);
}

void ModelHypervisor::outlive_manager(OpId next) {
  ++state_.managers;
  state_.first_heard = next;
  state_.ready.clear();
  for (std::vector<TaskEnded>& ends : held_back_) ends.clear();
  for (const Node& node : state_.nodes) {
    const bool answers = state_.outages.is_reachable(node.id);
    state_.ready.emplace_back(
        NodeChanged{node.id, answers ? NodeState::up : NodeState::suspect, "the manager was restarted"});
  }
}

// No event reports these VMs: they are missing when the node is back.
void ModelHypervisor::lose_vms(NodeId node) {
  std::set<JobId> hit;
  for (auto& [id, job] : state_.jobs) {
    for (ModelVm& vm : job.vms) {
      if (!vm.exists() || vm.node != node) continue;
      state_.edit(job, vm, [&] {
        vm.state = State::absent;
        vm.lost = true;
      });
      hit.insert(id);
    }
  }
  for (const JobId id : hit) {
    killed_.insert(id);
    state_.completions.update(id, state_.jobs.at(id), state_.now);
  }
}

void ModelHypervisor::end_vm(ModelJob& job, std::uint32_t task, std::optional<int> exit_code) {
  ModelVm& vm = job.vms[task];
  std::optional<OpId> cut_short;
  if (vm.under_way) cut_short = vm.under_way->op;
  const bool late = state_.chance.happens(state_.options.late, job.spec->job.raw, task, late_end);
  state_.edit(job, vm, [&] {
    vm.state = State::ended;
    vm.exit_code = exit_code;
    vm.under_way.reset();
    vm.lost = vm.lost || late;
  });
  if (late)
    state_.report_late(TaskEnded{job.spec->job, {task, 1}, vm.incarnation, vm.exit_code, {}});
  else
    report_end(job.spec->job, task, vm);
  if (!cut_short) return;
  job.finish_checkpoint(*cut_short);
  const Error error{ErrorKind::not_found, "its VM has ended"};
  state_.report(*cut_short, job.spec->job, task, {error, false, {}}, {});
}

void ModelHypervisor::report_end(JobId job, std::uint32_t task, const ModelVm& vm) {
  if (!state_.outages.is_reachable(vm.node)) {
    held_back_[vm.node.raw].push_back({job, {task, 1}, vm.incarnation, vm.exit_code, {}});
    return;
  }
  auto* last = state_.ready.empty() ? nullptr : std::get_if<TaskEnded>(&state_.ready.back());
  const bool same = last && last->job == job && last->tasks.first + last->tasks.count == task &&
                    last->incarnation == vm.incarnation && last->exit_code == vm.exit_code;
  if (same)
    ++last->tasks.count;
  else
    state_.ready.emplace_back(TaskEnded{job, {task, 1}, vm.incarnation, vm.exit_code, {}});
}

// --- requests ------------------------------------------------------------------------------------------

void ModelHypervisor::perform(const Action& action, std::shared_ptr<const JobSpec> spec) {
  const ActionHead& what = head(action);
  if (const auto* abort = std::get_if<Abort>(&action)) {
    timed_.abort(*abort);
    state_.ready.emplace_back(Outcome{what.op, what.job, what.tasks, {}, {}, {}});
    return;
  }
  const auto found = state_.jobs.find(what.job);
  const JobSpec& told = spec ? *spec : *found->second.spec;
  const auto* work = std::get_if<ModelWork>(&told.submission->program);
  const std::uint64_t end = std::uint64_t{what.tasks.first} + what.tasks.count;
  if (!work || end > told.tasks.size()) {
    state_.checker.record(action, what.tasks.first,
                          work ? "the job has no such task" : "the model runs only ModelWork");
    const Error error{ErrorKind::unsupported, "the model cannot do that"};
    state_.ready.emplace_back(Outcome{what.op, what.job, what.tasks, error, {}, {}});
    return;
  }
  ModelJob& job = found != state_.jobs.end() ? found->second : state_.jobs[what.job];
  if (job.vms.empty()) {
    job.vms.resize(told.tasks.size());
    job.work = work->alone * kFullYield;
    job.progress.since = job.running.since = state_.now;
    if (auto its = state_.true_needs.extract(what.job)) job.true_needs = std::move(its.mapped());
  }
  if (spec && job.spec) change_need(what.job, spec->submission->demand.need);
  const bool is_new = spec && job.spec != spec;
  if (is_new) job.spec = std::move(spec);
  if (kind(action) == ActionKind::create && is_grouped(job.demand())) job.fit_to_spec();
  if (is_new && !is_grouped(job.demand())) job.follow_spec();
  if (const auto* checkpoint = std::get_if<Checkpoint>(&action)) {
    if (!job.checkpoints) job.checkpoints = std::make_unique<ModelCheckpoints>();
    job.checkpoints->begin(*checkpoint, job.progress.at(state_.now), job.running.at(state_.now));
  }
  if (kind(action) == ActionKind::create) job.begin_anew_if_lost(state_.now);
  if (immediate_)
    immediate_actions_.perform(job, action);
  else
    timed_.begin(job, action);
}

void ModelHypervisor::change_need(JobId id, Cpu need) {
  const auto found = state_.jobs.find(id);
  if (found == state_.jobs.end() || found->second.demand().need == need) return;
  ModelJob& job = found->second;
  const Cpu before = job.demand().need;
  for (const ModelVm& vm : job.vms) state_.checker.charge(job, vm, -1);
  JobSpec changed = *job.spec;
  changed.submission = with_need(*changed.submission, need);
  job.spec = std::make_shared<const JobSpec>(std::move(changed));
  for (ModelVm& vm : job.vms) {
    vm.cap = at_other_need(vm.cap, before, need);
    if (vm.under_way) vm.under_way->yield = at_other_need(vm.under_way->yield, before, need);
  }
  for (const ModelVm& vm : job.vms) state_.checker.charge(job, vm, 1);
  state_.completions.update(id, job, state_.now);
}

std::optional<ModelUse> ModelHypervisor::use_of(JobId id) {
  state_.completions.update_late(state_.now);
  const auto found = state_.jobs.find(id);
  if (found == state_.jobs.end() || found->second.progress.rate.raw == 0) return std::nullopt;
  const ModelJob& job = found->second;
  const Cpu needed = job.needed(state_.now);
  return ModelUse{needed * job.progress.rate, job.demand().need * job.rate(), needed,
                  std::max(state_.now, job.progress.stalled_until)};
}

void ModelHypervisor::change_step(JobId id, std::uint32_t tasks) {
  const auto found = state_.jobs.find(id);
  if (found == state_.jobs.end() || found->second.step_tasks == tasks) return;
  found->second.step_tasks = tasks;
  state_.completions.update(id, found->second, state_.now);
}

// A VM that still exists, or whose action has not ended, is not forgotten: it will be among the leftovers.
void ModelHypervisor::forget(JobId id) {
  const auto found = state_.jobs.find(id);
  if (found == state_.jobs.end()) return;
  const auto gone = [](const ModelVm& vm) {
    return !vm.under_way && (vm.state == State::absent || vm.state == State::ended);
  };
  if (!std::ranges::all_of(found->second.representatives(), gone)) return;
  state_.jobs.erase(id);
  state_.completions.forget();
}

Inspected ModelHypervisor::look(const VmQuery& query) const {
  Inspected answer{query.job, query.task, query.incarnation, VmFact::absent, {}, {}};
  const auto silent = [this](NodeId node) {
    return node.raw < state_.nodes.size() && !state_.outages.is_reachable(node);
  };
  const auto found = state_.jobs.find(query.job);
  const bool known = found != state_.jobs.end() && query.task < found->second.vms.size();
  const ModelVm* vm = known ? &found->second.vms[query.task] : nullptr;
  if (std::ranges::any_of(query.nodes, silent) || (vm && vm->under_way)) {
    answer.fact = VmFact::unknown;
    return answer;
  }
  if (!vm || vm->incarnation != query.incarnation) return answer;
  // Only the nodes that are named are asked.
  if (vm->exists() && std::ranges::find(query.nodes, vm->node) == query.nodes.end()) return answer;
  switch (vm->state) {
    case State::absent:
      break;
    case State::paused:
      answer.fact = VmFact::paused;
      break;
    case State::running:
      answer.fact = VmFact::running;
      break;
    case State::saved:
      answer.fact = VmFact::saved;
      break;
    case State::ended:
      answer.fact = VmFact::ended;
      answer.exit_code = vm->exit_code;
      break;
  }
  answer.node = vm->node;
  return answer;
}

void ModelHypervisor::inspect(std::vector<VmQuery> queries) {
  for (const VmQuery& query : queries) state_.ready.emplace_back(look(query));
}

void ModelHypervisor::add_samples(JobId id, const ModelJob& job, NodeId node,
                                  std::vector<VmSample>& samples) const {
  for (std::uint32_t task = 0; task < job.vms.size(); ++task) {
    const ModelVm& vm = job.vms[task];
    if (!vm.exists() || vm.node != node) continue;
    const VirtualTime work = job.progress.at(state_.now) - vm.cpu_before;
    const VirtualTime time = job.running.at(state_.now) - vm.time_before;
    const VirtualTime cpu{job.cpu_used(vm.cpu_before, job.progress.at(state_.now)).raw * vm.units};
    const Duration held_back = whole(time - work);
    samples.push_back({id,
                       task,
                       vm.incarnation,
                       0,
                       node,
                       vcpus_of(job.spec->submission) * vm.units,
                       whole(cpu),
                       held_back,
                       held_back,
                       {}});
  }
}

void ModelHypervisor::sample(NodeId node, SampleSink done) {
  std::vector<VmSample> samples;
  state_.completions.update_late(state_.now);
  for (const auto& [id, job] : state_.jobs) add_samples(id, job, node, samples);
  done(node, std::move(samples));
}

std::vector<VmSample> ModelHypervisor::samples_of(const std::set<JobId>& jobs, NodeId node) {
  std::vector<VmSample> samples;
  state_.completions.update_late(state_.now);
  for (const JobId id : jobs)
    if (const auto job = state_.jobs.find(id); job != state_.jobs.end())
      add_samples(id, job->second, node, samples);
  return samples;
}

std::size_t ModelHypervisor::leftovers() const {
  std::size_t count = 0;
  for (const auto& [id, job] : state_.jobs) {
    count += static_cast<std::size_t>(std::ranges::count_if(
        job.vms, [](const ModelVm& vm) { return vm.exists() || vm.state == State::saved; }));
  }
  return count;
}

}  // namespace aliquot
