// How many items of a list can be kept when not all can: a border between a count that works and the next
// one, which does not.
//
// From `all`, which fails, one, two, four ... more are left out until the rest works; then the border is
// found by bisection. Where fewer always works if more does, this is the largest count that works, as
// leaving out one at a time would find it; MCB8 is not quite so, and which counts are asked is part of the
// result.
#pragma once

#include <cstddef>

namespace aliquot {

// works(count) -> bool; 0 must work. The last success is the one of the answer.
template <class Works>
std::size_t largest_that_works(std::size_t all, Works&& works) {
  std::size_t bad = all;
  std::size_t good = 0;
  for (std::size_t step = 1; bad > 0; step *= 2) {
    const std::size_t count = bad > step ? bad - step : 0;
    if (works(count)) {
      good = count;
      break;
    }
    bad = count;
  }
  while (bad - good > 1) {
    const std::size_t middle = (good + bad) / 2;
    (works(middle) ? good : bad) = middle;
  }
  return good;
}

}  // namespace aliquot
