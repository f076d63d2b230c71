#include "policies/dfrs/priority.hpp"

#include <algorithm>

namespace aliquot {

std::vector<std::size_t> by_decreasing_priority(const Draft& draft, std::vector<std::size_t> entries) {
  struct Ranked {
    double priority;
    std::size_t entry;
  };
  std::vector<Ranked> ranked;
  ranked.reserve(entries.size());
  for (std::size_t i : entries) ranked.push_back({priority(draft.job(i), draft.view().now), i});
  // Entries are numbered by id, so the entry breaks ties as the id would.
  std::sort(ranked.begin(), ranked.end(), [](const Ranked& a, const Ranked& b) {
    return a.priority != b.priority ? a.priority > b.priority : a.entry < b.entry;
  });
  std::transform(ranked.begin(), ranked.end(), entries.begin(), [](const Ranked& r) { return r.entry; });
  return entries;
}

}  // namespace aliquot
