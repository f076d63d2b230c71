#include "manager/hypervisor/event_desk.hpp"

#include "manager/hypervisor/files.hpp"
#include "manager/hypervisor/status_channel.hpp"

namespace aliquot {
namespace {

// The last line of QEMU's log, where the manager can read it: on its own machine.
std::string last_word_of_qemu(const VmIdentity& vm) {
  constexpr std::size_t kTail = 2048;
  auto tail = read_tail("/var/log/libvirt/qemu/" + vm_name(vm) + ".log", kTail);
  if (!tail) return {};
  while (tail->ends_with('\n')) tail->pop_back();
  const std::size_t line = tail->rfind('\n');
  return line == std::string::npos ? *tail : tail->substr(line + 1);
}

TaskEnded end_of(const Backend& backend, const VmIdentity& vm, const Verdict& verdict) {
  TaskEnded ended;
  ended.job = vm.job;
  ended.tasks = {vm.task, 1};
  ended.incarnation = vm.incarnation;
  const auto status = read_exit_status(backend.common->spool.status(vm.job, vm.task));
  if (!status) {
    ended.note = status.error().message;
    return ended;
  }
  ended.exit_code = *status;
  if (ended.exit_code) return ended;
  ended.note = verdict.note + ", and the guest wrote no exit status";
  if (const std::string said = last_word_of_qemu(vm); !said.empty()) ended.note += ": " + said;
  return ended;
}

void tell_foreign(Backend& backend, const VmIdentity& vm, NodeId node, const std::string& what) {
  backend.outlet.post(ForeignMove{vm.job, vm.task, node, vm_name(vm) + " " + what});
}

// Asks the node whether it is so, and then ourselves whether we have not begun something meanwhile.
void prove_foreign(const std::shared_ptr<Backend>& backend, NodeId node, const Uuid& uuid,
                   NodeEvent event) {
  backend->node(node)->call<VmFact>(
      LaneName::watch, {{}, uuid, "look at VM " + to_string(uuid), "look"},
      [uuid](Connection& connection) { return fact_of(connection, uuid); },
      [backend, node, uuid, event](const Result<VmFact>& fact) {
        if (!fact) return;
        const auto again = backend->registry.hear(uuid, node, event);
        if (!again || again->verdict.foreign.empty() || !proves(*fact, again->verdict.proof)) return;
        tell_foreign(*backend, again->identity, node, again->verdict.foreign);
      });
}

void make_out(const std::shared_ptr<Backend>& backend, NodeId node, const Uuid& uuid, NodeEvent event) {
  const auto heard = backend->registry.hear(uuid, node, event);
  if (!heard) return;
  const Verdict& verdict = heard->verdict;
  if (!verdict.foreign.empty()) {
    if (verdict.proof == Proof::none) tell_foreign(*backend, heard->identity, node, verdict.foreign);
    if (verdict.proof != Proof::none) prove_foreign(backend, node, uuid, event);
  }
  if (verdict.ended) backend->outlet.post(end_of(*backend, heard->identity, verdict));
}

}  // namespace

void hand_to_desk(Lane& desk, const std::shared_ptr<Backend>& backend, NodeId node, const Uuid& vm,
                  NodeEvent event) {
  LaneCall call;
  call.vm = vm;
  call.what = "make out an event";
  call.run = [backend, node, vm, event] { make_out(backend, node, vm, event); };
  call.give_up = [](const Error&) { return true; };
  desk.push(std::move(call));
}

}  // namespace aliquot
