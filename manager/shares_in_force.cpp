#include "manager/shares_in_force.hpp"

namespace aliquot {

std::optional<std::string_view> account_of(const CoreState& state, JobId job) {
  const auto record = state.records.find(job);
  if (record == state.records.end()) return std::nullopt;
  return record->second.submission->account;
}

std::vector<VmCap> caps_in_force(const CoreState& state, const std::vector<std::int64_t>& speeds) {
  std::vector<VmCap> caps;
  caps.reserve(state.records.size());
  for (const auto& [id, record] : state.records) {
    for (const Vm& vm : record.vms) {
      if (vm.state != VmState::running) continue;
      const Cpu granted = record.submission->demand.need * vm.cap * vm.units;
      const std::int64_t speed = vm.node.raw < speeds.size() ? speeds[vm.node.raw] : kMillion;
      caps.push_back({id, vm.node, granted, {multiply_divide(granted.raw, kMillion, speed)}});
    }
  }
  return caps;
}

}  // namespace aliquot
