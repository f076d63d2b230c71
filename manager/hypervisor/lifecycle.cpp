#include "manager/hypervisor/lifecycle.hpp"

namespace aliquot {
namespace {

// Where the action puts the VM, if anywhere.
std::optional<NodeId> arrival_of(const Action& action) {
  if (const auto* create = std::get_if<Create>(&action)) return create->node;
  if (const auto* restore = std::get_if<Restore>(&action)) return restore->node;
  if (const auto* migrate = std::get_if<Migrate>(&action)) return migrate->to;
  return std::nullopt;
}

bool is_long(const Action& action) {
  return arrival_of(action).has_value() || std::holds_alternative<Save>(action);
}

bool is_ours(const VmExpectation& vm, NodeId node, Departure departure) {
  const auto left = vm.left.find(node);
  return left != vm.left.end() && left->second == departure;
}

// Is the VM on its way to this node by our doing, or was it until that failed?
bool arrives(const VmExpectation& vm, NodeId node) {
  if (is_ours(vm, node, Departure::arrival_failed)) return true;
  return vm.busy && arrival_of(vm.busy->action) == node;
}

Verdict foreign(std::string what) { return {false, std::move(what), {}}; }

Verdict judge_stop(const VmExpectation& vm, NodeId node, NodeEvent event) {
  const auto* saving = vm.busy ? std::get_if<Save>(&vm.busy->action) : nullptr;
  const auto* moving = vm.busy ? std::get_if<Migrate>(&vm.busy->action) : nullptr;
  switch (event) {
    case NodeEvent::saved_away:
      if ((saving != nullptr && saving->node == node) || is_ours(vm, node, Departure::saved)) return {};
      return foreign("was saved to a file of somebody else's");
    case NodeEvent::migrated_away:
      if ((moving != nullptr && moving->from == node) || is_ours(vm, node, Departure::migrated)) return {};
      return foreign("was migrated away");
    case NodeEvent::powered_off:
      return {true, {}, "powered off"};
    case NodeEvent::crashed:
      return {true, {}, "the guest crashed"};
    case NodeEvent::destroyed:
      if (arrives(vm, node)) return {};
      return {true, "was destroyed", "its VM was destroyed from outside"};
    default:
      if (arrives(vm, node)) return {};  // a failed start: the action's own outcome tells
      return {true, {}, "its VM failed"};
  }
}

}  // namespace

void note_begin(VmExpectation& vm, const Action& action) {
  if (std::holds_alternative<Destroy>(action)) vm.destroyed = true;
  if (std::holds_alternative<Release>(action)) vm.runs = true;
  if (std::holds_alternative<Suspend>(action)) vm.runs = false;
  if (const auto to = arrival_of(action)) {
    vm.left.erase(*to);
    if (!std::holds_alternative<Migrate>(action)) vm.runs = false;
  }
  if (is_long(action)) vm.busy = Busy{action, head(action).op};
}

void note_end(VmExpectation& vm, const Action& action, bool succeeded, bool unclear) {
  if (vm.busy && vm.busy->op == head(action).op) vm.busy.reset();
  if (std::holds_alternative<Suspend>(action) && !succeeded) vm.runs.reset();
  if (const auto* save = std::get_if<Save>(&action); save != nullptr && (succeeded || unclear)) {
    vm.left[save->node] = Departure::saved;
    if (succeeded) vm.where.reset();
  }
  if (const auto* move = std::get_if<Migrate>(&action); move != nullptr && (succeeded || unclear)) {
    vm.left[move->from] = Departure::migrated;
  }
  const auto to = arrival_of(action);
  if (to && succeeded) vm.where = to;
  if (to && !succeeded && !unclear) vm.left[*to] = Departure::arrival_failed;
}

void note_found(VmExpectation& vm, NodeId node, VmFact fact) {
  if (fact != VmFact::running && fact != VmFact::paused) return;
  vm.where = node;
  vm.left.erase(node);
  if (!vm.busy) vm.runs = fact == VmFact::running;
}

Verdict judge(VmExpectation& vm, NodeId node, NodeEvent event) {
  if (vm.destroyed) return {};
  switch (event) {
    case NodeEvent::started:
      if (arrives(vm, node) || vm.where == node) return {};
      return foreign("was started");
    case NodeEvent::migrated_here:
      if (arrives(vm, node) || vm.where == node) return {};
      return foreign("was migrated here");
    case NodeEvent::paused:
      if (vm.busy || !vm.runs.value_or(false)) return {};
      return foreign("was paused");
    case NodeEvent::stopped_by_io_error:
      return foreign("was stopped by an I/O error: is its storage full?");
    case NodeEvent::resumed:
      if (vm.busy || vm.runs.value_or(true)) return {};
      return foreign("was resumed");
    default: {
      Verdict verdict = judge_stop(vm, node, event);
      if (vm.where == node) vm.where.reset();
      return verdict;
    }
  }
}

}  // namespace aliquot
