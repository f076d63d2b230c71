#include "manager/hypervisor/model/model_hypervisor.hpp"

#include <algorithm>
#include <utility>

#include "manager/hypervisor/model/node_failures.hpp"

namespace aliquot {
namespace {

using State = ModelVm::State;
using model::Crash;
using model::OutageEdge;
using model::WorkDone;

Duration whole(VirtualTime time) { return {static_cast<std::int64_t>(time.raw / kMillion)}; }

}  // namespace

ModelHypervisor::ModelHypervisor(std::vector<Node> nodes, ModelOptions options)
    : nodes_(std::move(nodes)),
      options_(std::move(options)),
      chance_(options_.seed),
      checker_(nodes_),
      held_back_(nodes_.size()),
      unreachable_(nodes_.size()),
      dead_(nodes_.size()),
      calm_(options_.calm()) {
  for (const Node& node : nodes_) {
    if (options_.mtbf.raw == 0) break;
    options_.outages.push_back(model::draw_failure(chance_, options_, node.id, 1, Instant{}));
  }
  for (std::size_t i = 0; i < options_.outages.size(); ++i) enter_outage(i);
}

void ModelHypervisor::enter_outage(std::size_t index) {
  const Outage& outage = options_.outages[index];
  enter(outage.from, OutageEdge{index, true});
  enter(outage.from + outage.length, OutageEdge{index, false});
  if (outage.number > 0) renewals_ += 2;
}

const WorkDone* ModelHypervisor::next_done() {
  for (; !done_.empty(); pop_done()) {
    if (done_holds_) return &done_.front();
    const auto job = jobs_.find(done_.front().job);
    done_holds_ = job != jobs_.end() && job->second.version == done_.front().version;
    if (done_holds_) return &done_.front();
  }
  return nullptr;
}

void ModelHypervisor::pop_done() {
  std::pop_heap(done_.begin(), done_.end());
  done_.pop_back();
  done_holds_ = false;
}

Instant ModelHypervisor::next() {
  reckon_late();
  if (!ready_.empty()) return now_;
  const WorkDone* done = next_done();
  const Instant other = agenda_.empty() ? kNever : agenda_.begin()->first.first;
  return done ? std::min(done->at, other) : other;
}

bool ModelHypervisor::busy() {
  reckon_late();
  return !ready_.empty() || next_done() || agenda_.size() > renewals_;
}

void ModelHypervisor::set_now(Instant now) {
  if (now != now_) reckon_late();
  now_ = now;
}

std::vector<Event> ModelHypervisor::take_due(Instant now) {
  std::vector<Event> events;
  take_due(now, events);
  return events;
}

void ModelHypervisor::take_due(Instant now, std::vector<Event>& events) {
  if (now != now_) reckon_late();
  for (;;) {
    const WorkDone* first = next_done();
    const auto other = agenda_.begin();
    const bool done_first =
        first && (other == agenda_.end() || std::pair(first->at, first->sequence) < other->first);
    if (done_first) {
      if (first->at > now) break;
      const WorkDone done = *first;
      pop_done();
      now_ = std::max(now_, done.at);
      happen(done);
    } else {
      if (other == agenda_.end() || other->first.first > now) break;
      const auto entry = agenda_.extract(other);
      now_ = std::max(now_, entry.key().first);
      std::visit([this](const auto& what) { happen(what); }, entry.mapped());
    }
  }
  now_ = now;
  events.clear();
  std::swap(events, ready_);
}

// --- what happens by itself ----------------------------------------------------------------------------

void ModelHypervisor::happen(const WorkDone& done) {
  ModelJob& job = jobs_.at(done.job);
  const int exit_code = std::get<ModelWork>(job.sheet->submission->program).exit_code;
  if (ends_alike(job)) return end_all_at_once(job, exit_code);
  for (std::uint32_t task = 0; task < job.vms.size(); ++task) {
    if (job.vms[task].state == State::running) end_vm(job, task, exit_code);
  }
}

void ModelHypervisor::happen(const Crash& crash) {
  const auto found = jobs_.find(crash.job);
  if (found == jobs_.end() || crash.task >= found->second.vms.size()) return;
  ModelVm& vm = found->second.vms[crash.task];
  if (!vm.exists() || vm.incarnation != crash.incarnation) return;
  killed_.insert(crash.job);
  end_vm(found->second, crash.task, std::nullopt);
  reckon(crash.job, found->second);
}

void ModelHypervisor::happen(const OutageEdge& edge) {
  const Outage& outage = options_.outages[edge.outage];
  if (outage.number > 0) --renewals_;
  const NodeId node = outage.node;
  const int sign = edge.begins ? 1 : -1;
  unreachable_[node.raw] += sign;
  if (outage.dies) dead_[node.raw] += sign;
  if (edge.begins) {
    const NodeState state = outage.dies ? NodeState::down : NodeState::suspect;
    ready_.emplace_back(NodeChanged{node, state, "a fault that was injected"});
    if (outage.dies) lose_vms(node);
  } else if (reachable(node)) {
    for (TaskEnded& ended : std::exchange(held_back_[node.raw], {})) ready_.emplace_back(std::move(ended));
    ready_.emplace_back(NodeChanged{node, NodeState::up, "it answers again"});
  }
  if (edge.begins || outage.number == 0) return;
  const Outage next = model::draw_failure(chance_, options_, node, outage.number + 1, now_);
  options_.outages[edge.outage] = next;
  enter_outage(edge.outage);
}

// The node died: nobody says so of its VMs, they are simply not there when it is back.
void ModelHypervisor::lose_vms(NodeId node) {
  std::set<JobId> hit;
  for (auto& [id, job] : jobs_) {
    for (ModelVm& vm : job.vms) {
      if (!vm.exists() || vm.node != node) continue;
      edit(job, vm, [&] {
        vm.state = State::absent;
        vm.lost = true;
      });
      hit.insert(id);
    }
  }
  for (const JobId id : hit) {
    killed_.insert(id);
    reckon(id, jobs_.at(id));
  }
}

void ModelHypervisor::end_vm(ModelJob& job, std::uint32_t task, std::optional<int> exit_code) {
  ModelVm& vm = job.vms[task];
  std::optional<OpId> cut_short;
  if (vm.under_way) cut_short = vm.under_way->op;
  edit(job, vm, [&] {
    vm.state = State::ended;
    vm.exit_code = exit_code;
    vm.under_way.reset();
  });
  report_end(job.sheet->job, task, vm);
  if (!cut_short) return;
  const Error error{ErrorKind::not_found, "its VM has ended"};
  report(*cut_short, job.sheet->job, task, {error, false, {}}, {});
}

void ModelHypervisor::report_end(JobId job, std::uint32_t task, const ModelVm& vm) {
  if (!reachable(vm.node)) {
    held_back_[vm.node.raw].push_back({job, {task, 1}, vm.incarnation, vm.exit_code, {}});
    return;
  }
  auto* last = ready_.empty() ? nullptr : std::get_if<TaskEnded>(&ready_.back());
  const bool same = last && last->job == job && last->tasks.first + last->tasks.count == task &&
                    last->incarnation == vm.incarnation && last->exit_code == vm.exit_code;
  if (same) {
    ++last->tasks.count;
  } else {
    ready_.emplace_back(TaskEnded{job, {task, 1}, vm.incarnation, vm.exit_code, {}});
  }
}

// What still stands, or is still to land, is not forgotten: the judge will find it among the leftovers.
void ModelHypervisor::forget(JobId id) {
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return;
  const auto gone = [](const ModelVm& vm) {
    return !vm.under_way && (vm.state == State::absent || vm.state == State::ended);
  };
  if (!std::ranges::all_of(found->second.telling(), gone)) return;
  jobs_.erase(found);
  done_holds_ = false;
}

// --- what is asked -------------------------------------------------------------------------------------

Inspected ModelHypervisor::look(const VmQuery& query) const {
  Inspected answer{query.job, query.task, query.incarnation, VmFact::absent, {}, {}};
  const auto silent = [this](NodeId node) { return node.raw < nodes_.size() && !reachable(node); };
  const auto found = jobs_.find(query.job);
  const bool known = found != jobs_.end() && query.task < found->second.vms.size();
  const ModelVm* vm = known ? &found->second.vms[query.task] : nullptr;
  if (std::ranges::any_of(query.nodes, silent) || (vm && vm->under_way)) {
    answer.fact = VmFact::unknown;
    return answer;
  }
  if (!vm || vm->incarnation != query.incarnation) return answer;
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
  for (const VmQuery& query : queries) ready_.emplace_back(look(query));
}

void ModelHypervisor::sample(NodeId node, SampleSink done) {
  reckon_late();
  std::vector<VmSample> samples;
  for (const auto& [id, job] : jobs_) {
    for (std::uint32_t task = 0; task < job.vms.size(); ++task) {
      const ModelVm& vm = job.vms[task];
      if (!vm.exists() || vm.node != node) continue;
      const VirtualTime work = job.progress.at(now_) - vm.cpu_before;
      const VirtualTime time = job.running.at(now_) - vm.time_before;
      const Cpu need = job.demand().need;
      const VirtualTime cpu{work.raw / kMillion * need.raw * vm.units};
      const Duration held_back = whole(time - work);
      samples.push_back({id, task, vm.incarnation, 0, node, vcpus_of(job.sheet->submission) * vm.units,
                         whole(cpu), held_back, held_back});
    }
  }
  done(node, std::move(samples));
}

std::size_t ModelHypervisor::leftovers() const {
  std::size_t count = 0;
  for (const auto& [id, job] : jobs_) {
    count += static_cast<std::size_t>(std::ranges::count_if(
        job.vms, [](const ModelVm& vm) { return vm.exists() || vm.state == State::saved; }));
  }
  return count;
}

}  // namespace aliquot
