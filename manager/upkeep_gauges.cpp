#include "manager/upkeep_gauges.hpp"

#include <algorithm>
#include <set>

#include "manager/core/moves.hpp"

namespace aliquot {
namespace {

std::uint32_t cooling_down(const CoreState& state) {
  std::uint32_t vms = 0;
  for (const auto& [id, job] : state.view.jobs)
    if (job.cools_down) vms += vm_count(state.records.at(id));
  return vms;
}

std::uint32_t over_budget(const CoreState& state) {
  if (!is_budget_used(state)) return 0;
  std::uint32_t vms = 0;
  for (const auto& [id, record] : state.records)
    vms += static_cast<std::uint32_t>(std::ranges::count_if(record.vms, waits_to_move));
  return vms;
}

}  // namespace

UpkeepGauges upkeep_gauges(const CoreState& state) {
  UpkeepGauges gauges;
  std::set<NodeId> nodes;
  for (const MaintenanceWindow& window : state.windows) {
    if (window.from > state.view.now)
      gauges.next_window = std::min(gauges.next_window.value_or(kNever), window.from);
    else
      nodes.insert(window.nodes.begin(), window.nodes.end());
  }
  gauges.nodes_in_windows = static_cast<std::uint32_t>(nodes.size());
  gauges.over_budget = over_budget(state);
  gauges.cooling_down = cooling_down(state);
  return gauges;
}

}  // namespace aliquot
