#include "manager/hypervisor/files.hpp"
#include "manager/hypervisor/libvirt/backend.hpp"
#include "manager/hypervisor/status_channel.hpp"

namespace aliquot {
namespace {

// The last line of QEMU's log. The manager can read it only on its own machine; otherwise empty.
std::string last_word_of_qemu(const VmIdentity& vm) {
  constexpr std::size_t kTail = 2048;
  auto tail = read_tail("/var/log/libvirt/qemu/" + vm_name(vm) + ".log", kTail);
  if (!tail) return {};
  while (tail->ends_with('\n')) tail->pop_back();
  const std::size_t line = tail->rfind('\n');
  return line == std::string::npos ? *tail : tail->substr(line + 1);
}

TaskEnded end_of(const Backend& backend, const VmIdentity& vm, const EventMeaning& meaning) {
  TaskEnded ended;
  ended.job = vm.job;
  ended.tasks = {vm.task, 1};
  ended.incarnation = vm.incarnation;
  const auto said = read_guest_end(backend.common->spool.status(vm.job, vm.task, vm.incarnation));
  if (!said) {
    ended.note = said.error().message;
    return ended;
  }
  ended.exit_code = said->status;
  ended.oom_kills = said->oom_kills;
  if (ended.exit_code) return ended;
  ended.note = meaning.note + ", and the guest wrote no exit status";
  if (const std::string word = last_word_of_qemu(vm); !word.empty()) ended.note += ": " + word;
  return ended;
}

void tell_foreign(Backend& backend, const VmIdentity& vm, NodeId node, const EventMeaning& meaning) {
  backend.events.post(ForeignMove{vm.job, vm.task, node, vm_name(vm) + " " + meaning.foreign, meaning.act});
}

// How often a departure is looked at, once with the event and then with the surveys of the node.
constexpr int kMostLooks = 4;

// Reports a foreign operation only if the node confirms it and we have not started an action on the VM
// meanwhile.
void prove_foreign(const std::shared_ptr<Backend>& backend, UnprovenDepartures::Departure told) {
  const auto worker = backend->node(told.node);
  if (!worker) return;
  ++told.looks;
  worker->call<VmFact>(
      QueueName::watch, {{}, told.vm, "look at VM " + to_string(told.vm), "look"},
      [uuid = told.vm](Connection& connection) { return fact_of(connection, uuid); },
      [backend, told](const Result<VmFact>& fact) {
        const auto again = backend->registry.hear(told.vm, told.node, told.event);
        if (!again || again->meaning.foreign.empty()) return;
        const bool leaves = again->meaning.proof == Proof::is_gone;
        if (!fact || !proves(*fact, again->meaning.proof)) {
          if (leaves && told.looks < kMostLooks) backend->unproven.add(told);
          return;
        }
        // So that it is reported once.
        if (leaves)
          backend->registry.taken_from(told.vm, told.node);
        else
          backend->registry.found(told.vm, again->identity, told.node, *fact);
        tell_foreign(*backend, again->identity, told.node, again->meaning);
      });
}

void handle_event(const std::shared_ptr<Backend>& backend, NodeId node, const Uuid& uuid, NodeEvent event) {
  const auto heard = backend->registry.hear(uuid, node, event);
  if (!heard) return;
  const EventMeaning& meaning = heard->meaning;
  if (!meaning.foreign.empty()) {
    if (meaning.proof == Proof::none) tell_foreign(*backend, heard->identity, node, meaning);
    if (meaning.proof != Proof::none) prove_foreign(backend, {node, uuid, event});
  }
  if (meaning.ended) backend->events.post(end_of(*backend, heard->identity, meaning));
}

}  // namespace

void look_for_departed(const std::shared_ptr<Backend>& backend, NodeId node) {
  for (const UnprovenDepartures::Departure& told : backend->unproven.take(node))
    prove_foreign(backend, told);
}

void queue_event(CallQueue& event_queue, const std::shared_ptr<Backend>& backend, NodeId node,
                 const Uuid& vm, NodeEvent event) {
  QueuedCall call;
  call.vm = vm;
  call.what = "make out an event";
  call.run = [backend, node, vm, event] { handle_event(backend, node, vm, event); };
  call.give_up = [](const Error&) { return true; };
  event_queue.push(std::move(call));
}

}  // namespace aliquot
