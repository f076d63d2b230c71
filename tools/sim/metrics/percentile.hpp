// Nearest rank: the smallest value that at least p percent of the values do not exceed.
#pragma once

#include <vector>

namespace aliquot {

template <class T>
[[nodiscard]] T percentile(const std::vector<T>& sorted, std::size_t p) {
  if (sorted.empty()) return T{};
  return sorted[(sorted.size() * p + 99) / 100 - 1];
}

}  // namespace aliquot
