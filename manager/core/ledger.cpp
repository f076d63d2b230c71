#include "manager/core/ledger.hpp"

namespace aliquot {

void ChargeLedger::charge(const JobRecord& record, const Vm& vm) {
  const VmCharge held = charge_of(record.submission->demand, vm);
  for (const NodeId node : held.places()) charge(node, held.each);
  charge_devices(record, vm);
}

void ChargeLedger::discharge(const JobRecord& record, const Vm& vm) {
  const VmCharge held = charge_of(record.submission->demand, vm);
  for (const NodeId node : held.places()) discharge(node, held.each);
  discharge_devices(record, vm);
}

void ChargeLedger::replace(const VmCharge& before, const VmCharge& after) {
  const bool same = before.each == after.each;
  for (const NodeId node : before.places())
    if (!(same && after.on(node))) discharge(node, before.each);
  for (const NodeId node : after.places())
    if (!(same && before.on(node))) charge(node, after.each);
}

void ChargeLedger::set_capacities(const std::vector<Node>& nodes) {
  entries_.resize(nodes.size());
  for (const Node& node : nodes) {
    Entry& entry = entries_[node.id.raw];
    entry.capacity = {node.memory, node.capacity};
    entry.freed_in = revision_;
  }
}

void ChargeLedger::recount_devices(const std::vector<Node>& nodes,
                                   const IdTable<JobId, JobRecord>& records) {
  free_devices_ = FreeDevices(nodes);
  for (const auto& [id, record] : records)
    for (const Vm& vm : record.vms) charge_devices(record, vm);
}

void ChargeLedger::change_devices(const JobRecord& record, const Vm& vm, int sign) {
  const auto k = static_cast<std::size_t>(&vm - record.vms.data());
  if (k >= record.devices.size()) return;
  if (const auto node = holds_devices_on(vm))
    free_devices_.change(*node, record.devices[k], record.submission->demand.devices.parts, sign);
}

}  // namespace aliquot
