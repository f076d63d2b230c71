// How far each policy is from the best on the same instance (DFRS, V): its max bounded stretch / the least
// that any of the compared policies reached there.
//
// The best is taken over a fixed list, so that a further policy in the campaign changes no figure of the
// others (and may have a degradation below 1). Instances on which one of the list is missing are left out.
#pragma once

#include <string>
#include <vector>

#include "tools/sim/campaign/cell.hpp"

namespace aliquot {

struct Judged {
  Cell cell;
  double degradation = 1;
};

struct Judgement {
  std::vector<Judged> cells;  // in the order they came
  std::size_t left_out = 0;   // cells of instances that are not whole
};

[[nodiscard]] Judgement judge(const std::vector<Cell>& cells, const std::vector<std::string>& compared);

}  // namespace aliquot
