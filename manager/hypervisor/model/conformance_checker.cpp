#include "manager/hypervisor/model/conformance_checker.hpp"

#include <algorithm>
#include <bit>

namespace aliquot {
namespace {

using State = ModelVm::State;

constexpr std::size_t kViolationsKept = 100;

const char* in_words(State state) {
  constexpr const char* words[] = {"absent", "paused", "running", "saved", "ended"};
  return words[static_cast<std::size_t>(state)];
}

std::string wrong_state(const ModelVm& vm) { return std::string("the VM is ") + in_words(vm.state); }

std::string is_elsewhere(const ModelVm& vm, NodeId said) {
  return "the VM stands on node " + std::to_string(vm.node.raw) + ", not on " + std::to_string(said.raw);
}

// A cap of 0 means "unlimited" to QEMU and to Xen.
bool lawful(Yield yield) { return yield.raw > 0 && yield <= kFullYield; }

// Where the VM will be, if it is on its way.
std::optional<NodeId> destination(const ModelVm& vm) {
  if (!vm.under_way || !(arrives(vm.under_way->kind) || vm.does(ActionKind::migrate))) return std::nullopt;
  return vm.under_way->to;
}

}  // namespace

// What is declared of memory is never more than that: what jobs are counted with fits the node.
ConformanceChecker::ConformanceChecker(const std::vector<Node>& nodes, std::int64_t memory_kept_ppm)
    : nodes_(nodes) {
  used_.reserve(nodes.size());
  for (const Node& node : nodes)
    used_.push_back({{}, {{multiply_divide(node.memory.raw, kMillion, memory_kept_ppm)}, node.capacity}});
}

std::string ConformanceChecker::objection_to_coming(const ModelVm& vm, NodeId node, Yield yield) const {
  if (vm.exists()) return wrong_state(vm);
  if (!known(node)) return "node " + std::to_string(node.raw) + " does not exist";
  if (!lawful(yield)) return "a yield of " + std::to_string(yield.raw) + " ppm is no cap";
  return {};
}

bool ConformanceChecker::all_ready(const Action& action, const ModelJob& job) {
  // A task that has yet to join need not stand ready: the others are resumed after a pause that failed.
  const auto here = [](const ModelVm& vm) { return vm.exists() || vm.joins || vm.state == State::ended; };
  return kind(action) != ActionKind::release || std::ranges::all_of(job.representatives(), here);
}

std::string ConformanceChecker::objection(const Action& action, const ModelJob& job, std::uint32_t task,
                                          bool together) const {
  const ModelVm& vm = job.vms[task];
  const ActionKind what = kind(action);
  const std::uint32_t at = task - head(action).tasks.first;
  if (what == ActionKind::abort) return {};
  if (vm.under_way) return "another action (" + std::string(word(vm.under_way->kind)) + ") is under way";
  if (what == ActionKind::destroy) return {};
  const bool is_new = what == ActionKind::create && job.spec->tasks[task].incarnation > vm.incarnation;
  if (vm.state == State::ended && !is_new) return wrong_state(vm);
  if (const auto* create = std::get_if<Create>(&action)) {
    if (vm.state == State::saved) return wrong_state(vm);
    if (job.spec->tasks[task].incarnation <= vm.incarnation)
      return "this incarnation has been created before";
    return objection_to_coming(vm, create->nodes[at], create->yield);
  }
  if (const auto* restore = std::get_if<Restore>(&action)) {
    const std::uint32_t from = restore->checkpoint;
    if (from == 0 && vm.state != State::saved) return wrong_state(vm);
    if (from != 0 && !(job.checkpoints && job.checkpoints->find(from)))
      return "there is no checkpoint " + std::to_string(from);
    if (from == 0 && is_kept_elsewhere(vm, restore->nodes[at])) return "its image is on another node";
    return objection_to_coming(vm, restore->nodes[at], restore->yield);
  }
  if (!vm.exists()) return wrong_state(vm);
  if (what == ActionKind::release) {
    if (vm.state != State::paused) return wrong_state(vm);
    if (!together) return "not all tasks of the job stand ready";
    return {};
  }
  const bool leaves =
      what == ActionKind::save || what == ActionKind::migrate || what == ActionKind::checkpoint;
  if (leaves && vm.devices != 0) return "it holds a device";
  if (const auto* save = std::get_if<Save>(&action)) {
    return save->nodes[at] == vm.node ? std::string() : is_elsewhere(vm, save->nodes[at]);
  }
  if (const auto* cap = std::get_if<Cap>(&action)) {
    return lawful(cap->yield) ? std::string()
                              : "a yield of " + std::to_string(cap->yield.raw) + " ppm is no cap";
  }
  if (const auto* migrate = std::get_if<Migrate>(&action)) {
    const NodeId to = migrate->to[at];
    if (migrate->from[at] != vm.node) return is_elsewhere(vm, migrate->from[at]);
    if (!known(to)) return "node " + std::to_string(to.raw) + " does not exist";
    return to == vm.node ? "it stands there already" : std::string();
  }
  return vm.state == State::running ? std::string() : wrong_state(vm);  // Suspend, Checkpoint
}

bool ConformanceChecker::allows_all(const Action& action, const ModelJob& job) const {
  if (!objection(action, job, 0, all_ready(action, job)).empty()) return false;
  const auto& tasks = job.spec->tasks;
  const auto fits_the_first = [&](const JobSpec::Task& task) {
    return task.incarnation == tasks.front().incarnation;
  };
  const bool creates = kind(action) == ActionKind::create;
  if (creates && !std::ranges::all_of(tasks, fits_the_first)) return false;
  const auto* save = std::get_if<Save>(&action);
  const auto* restore = std::get_if<Restore>(&action);
  const bool from_saved = restore && restore->checkpoint == 0;
  if (!save && !arrives(kind(action))) return true;  // it names no nodes
  for (std::uint32_t at = 0; at < job.vms.size(); ++at) {
    if (from_saved && is_kept_elsewhere(job.vms[at], restore->nodes[at])) return false;
    if (save && save->nodes[at] != job.vms[at].node) return false;
    if (arrives(kind(action)) && !known(begun(action, at).to)) return false;
  }
  return true;
}

ConformanceChecker::Used ConformanceChecker::held(const ModelJob& job, const ModelVm& vm) {
  if (!vm.exists()) return {};
  const Cpu cpu = vm.state == State::running ? job.demand().need * vm.cap : Cpu{};
  return {declared_memory(job.spec->submission) * vm.units, cpu * vm.units};
}

void ConformanceChecker::charge(const ModelJob& job, const ModelVm& vm, int sign) {
  if (!vm.exists() && !vm.under_way) return;
  const Demand& demand = job.demand();
  if (!vm.under_way && vm.devices == 0) {  // as it is nearly always
    const Used now = held(job, vm);
    return add(vm.node, {now.memory * sign, now.cpu * sign});
  }
  const bool runs = vm.state == State::running || vm.does(ActionKind::release);
  Yield cap = vm.cap;
  if (vm.does(ActionKind::cap)) cap = std::max(cap, vm.under_way->yield);
  const std::int64_t times = sign * std::int64_t{vm.units};
  const Used held{declared_memory(job.spec->submission) * times, runs ? demand.need * cap * times : Cpu{}};
  const auto add = [&](NodeId node) {
    this->add(node, held);
    if (vm.devices != 0) hold(node, job, vm, sign);
  };
  if (vm.exists()) add(vm.node);
  if (const auto to = destination(vm)) add(*to);
}

void ConformanceChecker::hold(NodeId node, const ModelJob& job, const ModelVm& vm, int sign) {
  for (DeviceSet slots = vm.devices; slots != 0; slots &= slots - 1)
    held_[{node.raw, static_cast<std::uint32_t>(std::countr_zero(slots))}] +=
        sign * std::int64_t{job.demand().devices.parts};
}

std::string ConformanceChecker::overfull_device(NodeId node, const ModelVm& vm) const {
  const std::vector<Device>& devices = nodes_[node.raw].devices;
  for (DeviceSet slots = vm.devices; slots != 0; slots &= slots - 1) {
    const auto slot = static_cast<std::uint32_t>(std::countr_zero(slots));
    const std::string which =
        "device " + std::to_string(slot) + " of node " + std::to_string(node.raw) + " ";
    if (slot >= devices.size()) return which + "does not exist";
    const auto held = held_.find({node.raw, slot});
    if (held != held_.end() && held->second > devices[slot].parts) return which + "is given twice";
  }
  return {};
}

std::string ConformanceChecker::overload(const ModelVm& vm) const {
  const std::optional<NodeId> to = destination(vm);
  for (const NodeId* node : {&vm.node, to ? &*to : nullptr}) {
    if (!node) continue;
    if (vm.devices != 0 && (node != &vm.node || vm.exists())) {
      if (std::string fault = overfull_device(*node, vm); !fault.empty()) return fault;
    }
    if (fits(*node)) continue;
    const auto& [now, most] = used_[node->raw];
    const std::string where = " on node " + std::to_string(node->raw) + " by ";
    if (now.memory > most.memory)
      return "too much memory" + where + std::to_string((now - most).memory.raw) + " bytes";
    return "too much CPU" + where + std::to_string((now - most).cpu.raw) + " micro-cores";
  }
  return {};
}

void ConformanceChecker::record(const Action& action, std::uint32_t task, const std::string& why) {
  ++violation_count_;
  if (violations_.size() >= kViolationsKept) return;
  violations_.push_back(std::string(word(action)) + " of job " + std::to_string(head(action).job.raw) +
                        " task " + std::to_string(task) + ": " + why);
}

}  // namespace aliquot
