#include "manager/shares_in_force.hpp"

namespace aliquot {
namespace {

// An amount in reference cores, in this node's own cores.
Cpu own_cores(Cpu cpu, NodeId node, const std::vector<std::int64_t>& speeds) {
  const std::int64_t speed = node.raw < speeds.size() ? speeds[node.raw] : kMillion;
  return {multiply_divide(cpu.raw, kMillion, speed)};
}

power::Watts part_of(power::Watts whole, Cpu given, Cpu capacity) {
  if (capacity.raw <= 0) return {};
  return {multiply_divide(whole.raw, given.raw, capacity.raw)};
}

void add_caps(JobId id, const JobRecord& record, const std::vector<std::int64_t>& speeds,
              std::vector<VmCap>& caps) {
  for (std::uint32_t task = 0; task < record.vms.size(); ++task) {
    const Vm& vm = record.vms[task];
    if (vm.state != VmState::running) continue;
    const Cpu granted = record.submission->demand.need * vm.cap * vm.units;
    caps.push_back({id, task, vm.node, granted, own_cores(granted, vm.node, speeds)});
  }
}

}  // namespace

std::optional<std::string_view> account_of(const CoreState& state, JobId job) {
  const auto record = state.records.find(job);
  if (record == state.records.end()) return std::nullopt;
  return record->second.submission->account;
}

std::vector<VmCap> caps_in_force(const CoreState& state, const std::vector<std::int64_t>& speeds) {
  std::vector<VmCap> caps;
  caps.reserve(state.records.size());
  for (const auto& [id, record] : state.records) add_caps(id, record, speeds, caps);
  return caps;
}

power::Watts charged_draw(const CoreState& state, JobId id, const ChargedWatts& watts) {
  power::Watts draw;
  const auto job = state.view.jobs.find(id);
  if (job == state.view.jobs.end()) return draw;
  for (const Share& share : job->second.placement) {
    const Cpu given = job->second.demand.need * job->second.yield * share.units;
    draw += part_of(watts(share.node), given, state.view.nodes[share.node.raw].capacity);
  }
  return draw;
}

JobShares shares_in_force(const CoreState& state, JobId id, const std::vector<std::int64_t>& speeds,
                          const ChargedWatts& watts) {
  JobShares shares;
  if (const auto record = state.records.find(id); record != state.records.end())
    add_caps(id, record->second, speeds, shares.granted);
  const auto job = state.view.jobs.find(id);
  if (job == state.view.jobs.end()) return shares;
  for (const Share& share : job->second.placement) {
    const Cpu given = job->second.demand.need * job->second.yield * share.units;
    shares.promised += own_cores(given, share.node, speeds);
  }
  shares.draw = charged_draw(state, id, watts);
  return shares;
}

}  // namespace aliquot
