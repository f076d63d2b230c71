#include "tools/sim/campaign/degradation.hpp"

#include <algorithm>
#include <limits>
#include <map>

namespace aliquot {

Judgement judge(const std::vector<Cell>& cells, const std::vector<std::string>& compared) {
  struct Best {
    double stretch = std::numeric_limits<double>::infinity();
    std::size_t seen = 0;
  };
  const auto instance_of = [](CellKey key) {
    key.policy.clear();
    return key;
  };
  std::map<CellKey, Best> best;
  for (const Cell& cell : cells) {
    if (std::ranges::find(compared, cell.key.policy) == compared.end()) continue;
    Best& here = best[instance_of(cell.key)];
    here.stretch = std::min(here.stretch, cell[Figure::max_bounded_stretch]);
    ++here.seen;
  }
  Judgement judgement;
  for (const Cell& cell : cells) {
    const auto found = best.find(instance_of(cell.key));
    if (found == best.end() || found->second.seen != compared.size())
      ++judgement.left_out;
    else
      judgement.cells.push_back({cell, cell[Figure::max_bounded_stretch] / found->second.stretch});
  }
  return judgement;
}

}  // namespace aliquot
