// The unit of the budgets: a fixed piece of work of about a millisecond on a present-day core, so that a
// figure means the same on a fast and on a slow machine (docs/performance.md).
//
// It mixes what the manager's own code does: it fills a table with pseudo-random keys, sorts it, and
// follows a chain of dependent loads through it. Its memory (128 KiB) fits in a second-level cache.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace aliquot::bench {

inline void reference_loop() {
  constexpr std::size_t kKeys = 1 << 14;
  static std::vector<std::uint64_t> keys(kKeys);
  std::uint64_t state = 1;
  for (std::uint64_t& key : keys) {
    state += 0x9e3779b97f4a7c15U;  // splitmix64
    std::uint64_t mixed = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9U;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebU;
    key = mixed ^ (mixed >> 31);
  }
  std::sort(keys.begin(), keys.end());
  std::uint64_t at = 0;
  for (std::size_t k = 0; k < kKeys; ++k) at = (at + keys[at]) % kKeys;
  volatile std::uint64_t result = at;  // the loop must not be optimised away
  (void)result;
}

}  // namespace aliquot::bench
