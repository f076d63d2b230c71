// What a site says of live migrations, beside what each node does at a time: the budget of the cluster, and
// how long a job stays where it is after a move.
#pragma once

#include <cstdint>

#include "policies/model/time.hpp"

namespace aliquot {

inline constexpr Duration kLongestCoolDown = seconds(86'400);  // after a first move

struct MoveTerms {
  std::uint32_t at_a_time = 0;  // VMs of the whole cluster; 0: as many as the nodes can
  Duration cool_down;           // after the first move; 0: none
  friend bool operator==(const MoveTerms&, const MoveTerms&) = default;
};

}  // namespace aliquot
