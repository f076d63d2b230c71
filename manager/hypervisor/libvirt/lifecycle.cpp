#include "manager/hypervisor/libvirt/lifecycle.hpp"

namespace aliquot {
namespace {

// The node on which the action puts the VM, if any.
std::optional<NodeId> arrival_of(const Action& action) {
  if (const auto* create = std::get_if<Create>(&action)) return create->nodes[0];
  if (const auto* restore = std::get_if<Restore>(&action)) return restore->nodes[0];
  if (const auto* migrate = std::get_if<Migrate>(&action)) return migrate->to[0];
  return std::nullopt;
}

bool is_long(const Action& action) {
  return arrival_of(action).has_value() || std::holds_alternative<Save>(action) ||
         std::holds_alternative<Checkpoint>(action);
}

bool is_ours(const VmExpectation& vm, NodeId node, Departure departure) {
  const auto left = vm.left.find(node);
  return left != vm.left.end() && left->second == departure;
}

// Is an action of ours bringing the VM to this node, or has such an action failed?
bool arrives(const VmExpectation& vm, NodeId node) {
  if (vm.comes_to == node) return true;
  if (is_ours(vm, node, Departure::arrival_failed)) return true;
  return vm.busy && arrival_of(vm.busy->action) == node;
}

// Is it known to be on another node? Then what ends here is a copy: libvirt destroys what it has received
// of a VM when the source of the migration, or the manager that began it, has died.
bool is_elsewhere(const VmExpectation& vm, NodeId node) { return vm.where && *vm.where != node; }

EventMeaning foreign(ForeignAct act, std::string what, Proof proof) {
  return {false, std::move(what), proof, {}, act};
}

EventMeaning ended(std::string why, std::string foreign = {}) {
  return {true, std::move(foreign), Proof::none, std::move(why), ForeignAct::destroyed};
}

EventMeaning interpret_stop(const VmExpectation& vm, NodeId node, NodeEvent event) {
  const auto* saving = vm.busy ? std::get_if<Save>(&vm.busy->action) : nullptr;
  const auto* moving = vm.busy ? std::get_if<Migrate>(&vm.busy->action) : nullptr;
  if (is_ours(vm, node, Departure::destroyed)) return {};  // before it was restored elsewhere
  switch (event) {
    case NodeEvent::saved_away:
      if ((saving != nullptr && saving->nodes[0] == node) || is_ours(vm, node, Departure::saved)) return {};
      if (arrives(vm, node)) return {};  // the event belongs to an earlier save
      return foreign(ForeignAct::saved, "was saved to a file by another program", Proof::is_gone);
    case NodeEvent::migrated_away:
      if ((moving != nullptr && moving->from[0] == node) || is_ours(vm, node, Departure::migrated))
        return {};
      if (arrives(vm, node)) return {};  // the event belongs to an earlier migration
      return foreign(ForeignAct::moved_away, "was migrated away by another program", Proof::is_gone);
    case NodeEvent::powered_off:
      return ended("powered off");
    case NodeEvent::crashed:
      return ended("the guest crashed");
    case NodeEvent::destroyed:
      if (arrives(vm, node) || is_elsewhere(vm, node)) return {};
      return ended("its VM was destroyed from outside", "was destroyed by another program");
    default:
      if (arrives(vm, node) || is_elsewhere(vm, node)) return {};  // a failed start is told by its outcome
      return ended("its VM failed");
  }
}

}  // namespace

void note_begin(VmExpectation& vm, const Action& action) {
  if (std::holds_alternative<Destroy>(action)) vm.over = true;
  if (std::holds_alternative<Release>(action) || std::holds_alternative<Suspend>(action)) {
    vm.runs = std::holds_alternative<Release>(action);
    vm.pause_op = head(action).op;
  }
  if (const auto to = arrival_of(action)) {
    vm.left.erase(*to);
    if (!std::holds_alternative<Migrate>(action)) {
      vm.over = false;
      vm.runs = false;
    }
  }
  if (is_long(action)) vm.busy = Busy{action, head(action).op};
}

void note_end(VmExpectation& vm, const Action& action, bool succeeded, bool unclear) {
  if (vm.busy && vm.busy->op == head(action).op) vm.busy.reset();
  if (vm.pause_op == head(action).op) {
    vm.pause_op.reset();
    if (!succeeded) vm.runs.reset();
  }
  if (const auto* save = std::get_if<Save>(&action); save != nullptr && (succeeded || unclear)) {
    vm.left[save->nodes[0]] = Departure::saved;
    if (succeeded) vm.where.reset();
  }
  if (const auto* move = std::get_if<Migrate>(&action); move != nullptr && (succeeded || unclear)) {
    vm.left[move->from[0]] = Departure::migrated;
  }
  if (const auto* destroy = std::get_if<Destroy>(&action); destroy != nullptr && succeeded) {
    vm.left[destroy->nodes[0]] = Departure::destroyed;
    vm.where.reset();
  }
  const auto to = arrival_of(action);
  if (to && succeeded) vm.where = to;
  if (to && !succeeded && !unclear) vm.left[*to] = Departure::arrival_failed;
}

void note_found(VmExpectation& vm, NodeId node, VmFact fact) {
  if (fact != VmFact::running && fact != VmFact::paused) return;
  vm.where = node;
  vm.left.erase(node);
  vm.comes_to.reset();
  if (!vm.busy) vm.runs = fact == VmFact::running;
}

void note_announced(VmExpectation& vm, NodeId node) {
  vm.comes_to = node;
  vm.left.erase(node);
  vm.runs.reset();
}

bool proves(VmFact found, Proof proof) {
  switch (proof) {
    case Proof::none:
      return true;
    case Proof::runs:
      return found == VmFact::running;
    case Proof::is_paused:
      return found == VmFact::paused;
    case Proof::is_here:
      return found == VmFact::running || found == VmFact::paused;
    case Proof::is_gone:
      return found == VmFact::absent;
  }
  return false;
}

EventMeaning interpret(VmExpectation& vm, NodeId node, NodeEvent event) {
  if (vm.over) return {};
  const bool changing = vm.busy || vm.pause_op;
  switch (event) {
    case NodeEvent::started:
      if (arrives(vm, node) || vm.where == node) return {};
      return foreign(ForeignAct::started, "was started by another program", Proof::is_here);
    case NodeEvent::migrated_here:
      if (arrives(vm, node) || vm.where == node) return {};
      return foreign(ForeignAct::moved_here, "was migrated here by another program", Proof::is_here);
    case NodeEvent::paused:
      if (changing || !vm.runs.value_or(false)) return {};
      return foreign(ForeignAct::paused, "was paused by another program", Proof::is_paused);
    case NodeEvent::stopped_by_io_error:
      return foreign(ForeignAct::stopped, "was stopped by an I/O error: is its storage full?",
                     Proof::is_paused);
    case NodeEvent::resumed:
      if (changing || vm.runs.value_or(true)) return {};
      return foreign(ForeignAct::resumed, "was resumed by another program", Proof::runs);
    default: {
      EventMeaning meaning = interpret_stop(vm, node, event);
      vm.over = meaning.ended;
      if (vm.over) vm.where.reset();
      return meaning;
    }
  }
}

}  // namespace aliquot
