// The solver that the policies use: a good placement with a proven bound, in a counted amount of work.
//
// A greedy selection, with full repacking when a request finds no room; then the sets and the bound of one
// total reckoned exactly (sharpen.hpp); where that leaves a gap, greedy selections in other orders; then
// exchanges, one out for another in, and the depth-first search over the requests whose reduced value is
// below the gap (search.hpp); at last the chosen set is packed in every way there is, for the fewest nodes.
// Source: the formulation of IPSCHED, sec. 3 ((5) and (6) read as min s_j <= 2|N| c_j <= max s_j); the
// method is this project's own.
#pragma once

#include <cstdint>

#include "policies/placement/answer.hpp"

namespace aliquot::ip {

// Counted work of about a nanosecond or two each.
inline constexpr std::uint64_t kUsualEffort = 200'000;

[[nodiscard]] Answer solve_fast(const Instance& instance, std::uint64_t effort = kUsualEffort);

}  // namespace aliquot::ip
