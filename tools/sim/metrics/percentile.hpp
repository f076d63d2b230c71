// Nearest rank: the smallest value that at least p percent of the values do not exceed.
#pragma once

#include <algorithm>
#include <vector>

namespace aliquot {

template <class T>
[[nodiscard]] T percentile(const std::vector<T>& sorted, std::size_t p) {
  if (sorted.empty()) return T{};
  return sorted[(sorted.size() * p + 99) / 100 - 1];
}

// The same of values in any order, which it changes.
template <class T>
[[nodiscard]] T percentile_of(std::vector<T>& values, std::size_t p) {
  if (values.empty()) return T{};
  const auto at = values.begin() + static_cast<std::ptrdiff_t>((values.size() * p + 99) / 100 - 1);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

}  // namespace aliquot
