// New bins on old hosts: which of the freshly packed bins goes to which node, so that as few tasks as
// possible have to move. Not in the paper (it takes bin i as node i); this is the option `+match`.
//
// Bins may change places only among nodes alike (equal `kind`). Up to kExactMatch nodes of a kind the
// assignment is the best there is (assignment.hpp); beyond, each bin in turn takes the best node left.
#pragma once

#include <cstdint>
#include <vector>

namespace aliquot {

inline constexpr std::size_t kExactMatch = 1024;
inline constexpr std::int32_t kNotMatched = -1;

// `units` tasks of `owner` on one node.
struct Held {
  std::uint32_t owner = 0;
  std::uint32_t units = 0;
};
using Contents = std::vector<std::vector<Held>>;  // by node

// host_of[b] is the node that bin b goes to: a permutation. kind[n] == kNotMatched: n stays n.
[[nodiscard]] std::vector<std::uint32_t> match_bins(const Contents& bins, const Contents& hosts,
                                                    const std::vector<std::int32_t>& kind);

}  // namespace aliquot
