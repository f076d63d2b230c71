#include "manager/hypervisor/numa_cells.hpp"

#include <algorithm>
#include <utility>

namespace aliquot {

std::string cpu_list(std::vector<std::uint32_t> cpus) {
  std::sort(cpus.begin(), cpus.end());
  std::string text;
  for (std::size_t k = 0; k < cpus.size();) {
    std::size_t last = k;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(cpus[k]);
    if (last > k) text += "-" + std::to_string(cpus[last]);
    k = last + 1;
  }
  return text;
}

std::optional<NumaCell> cell_for(const std::vector<NumaCell>& cells, const CellLoads& loads,
                                 std::uint32_t vcpus, Memory memory) {
  if (cells.size() < 2) return std::nullopt;
  using Left = std::pair<std::int64_t, Memory>;  // CPUs and memory
  const NumaCell* best = nullptr;
  Left most;
  for (const NumaCell& cell : cells) {
    const auto at = loads.find(cell.id);
    const CellLoad load = at == loads.end() ? CellLoad{} : at->second;
    const Left left{std::int64_t{cell.count} - load.vcpus - vcpus, cell.memory - load.memory - memory};
    const bool fits = left.first >= 0 && left.second.raw >= 0;
    if (!fits || (best != nullptr && left <= most)) continue;
    best = &cell;
    most = left;
  }
  return best == nullptr ? std::nullopt : std::optional(*best);
}

}  // namespace aliquot
