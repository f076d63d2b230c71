// The option `+match`: freshly packed bins go to the nodes where most of their tasks are already. In the
// paper bin i is the i-th node.
#pragma once

#include "policies/dfrs/offers.hpp"

namespace aliquot {

// `shares`: of each offered job, by bins; afterwards by nodes. The draft holds only what is fixed.
void move_to_old_hosts(const Draft& draft, const std::pmr::vector<Offered>& offered,
                       std::pmr::vector<std::span<Share>>& shares);

}  // namespace aliquot
