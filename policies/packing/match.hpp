// Which of the freshly packed bins goes to which node, so that as few tasks as possible have to move: the
// option
// `+match`. It is not in the paper, where bin i stands on node i.
//
// Bins may change places only among equal nodes (equal `kind`). Up to kExactMatch nodes of a kind the
// assignment is optimal (packing/assignment); beyond, each bin in turn takes the best node that is left.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

namespace aliquot {

inline constexpr std::size_t kExactMatch = 1024;
inline constexpr std::int32_t kNotMatched = -1;

// `units` tasks of `owner` on one node.
struct Held {
  std::uint32_t owner = 0;
  std::uint32_t units = 0;
  friend auto operator<=>(const Held&, const Held&) = default;
};
using Contents = std::vector<std::vector<Held>>;  // by node

// host_of[b] is the node that bin b goes to: a permutation. kind[n] == kNotMatched: n stays n.
[[nodiscard]] std::vector<std::uint32_t> match_bins(const Contents& bins, const Contents& hosts,
                                                    const std::vector<std::int32_t>& kind);

}  // namespace aliquot
