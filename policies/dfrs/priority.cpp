#include "policies/dfrs/priority.hpp"

#include <algorithm>

namespace aliquot {

std::vector<std::size_t> by_decreasing_priority(const Draft& draft, std::vector<std::size_t> entries) {
  struct Ranked {
    std::uint64_t key;
    std::size_t entry;  // numbered by id: breaks ties as the id would
  };
  if (!std::ranges::is_sorted(entries)) std::ranges::sort(entries);
  std::pmr::vector<Ranked> ranked(draft.memory());
  ranked.reserve(entries.size());
  for (const std::size_t i : entries)
    ranked.push_back({key_of_priority(draft.job(i), draft.view().now), i});
  sort_by_key(ranked);
  std::ranges::transform(ranked, entries.begin(), &Ranked::entry);
  return entries;
}

}  // namespace aliquot
