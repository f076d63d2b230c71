// All jobs packed anew, and compared with keeping what there is: adopted only where the largest predicted
// stretch falls although every job that moves or comes back loses P by it.
//
// Jobs that have hardly begun (virtual time below 0.4 P) stay where they are. MCB8 packs the others at the
// lowest predicted stretch it finds; where there is no room for all, those of lowest priority are left out,
// and then put back in the order of their priority where they fit.
#pragma once

#include <optional>

#include "policies/aliquot/board.hpp"

namespace aliquot {

// Answers how many jobs were moved or paused, at most `most`; none: nothing was done.
std::optional<std::int32_t> repack_if_better(Board& board, std::int32_t most);

}  // namespace aliquot
