#include "monitor/record/job_array.hpp"

#include <algorithm>

namespace aliquot {

bool contains(const IndexSet& set, std::uint32_t index) {
  const auto after = std::ranges::upper_bound(set, index, {}, &IndexRun::first);
  return after != set.begin() && std::prev(after)->contains(index);
}

std::uint32_t count_of(const IndexSet& set) {
  std::uint32_t count = 0;
  for (const IndexRun& run : set) count += run.count;
  return count;
}

std::uint32_t index_at(const IndexSet& set, std::uint32_t position) {
  auto run = set.begin();
  for (; position >= run->count; ++run) position -= run->count;
  return run->first + position * run->step;
}

std::vector<std::uint32_t> indices_from(const IndexSet& set, std::uint32_t position) {
  std::vector<std::uint32_t> indices;
  for (const IndexRun& run : set) {
    for (std::uint32_t k = std::min(position, run.count); k < run.count; ++k)
      indices.push_back(run.first + k * run.step);
    position -= std::min(position, run.count);
  }
  return indices;
}

bool is_sound(const IndexSet& set) {
  std::uint64_t count = 0, least = 0;
  for (const IndexRun& run : set) {
    count += run.count;
    if (run.count == 0 || run.step == 0 || run.first < least || count > kMostIndices) return false;
    const std::uint64_t last = run.first + (run.count - std::uint64_t{1}) * run.step;
    if (last > kLargestIndex) return false;
    least = last + 1;
  }
  return count > 0;
}

// Two indices that stand apart are two runs: "1,3" and not "1-3:2".
IndexSet index_set(std::vector<std::uint32_t> indices) {
  std::ranges::sort(indices);
  indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
  IndexSet set;
  for (std::size_t k = 0; k < indices.size();) {
    IndexRun run{indices[k], 1, 1};
    if (k + 1 < indices.size()) run.step = indices[k + 1] - indices[k];
    while (k + run.count < indices.size() &&
           indices[k + run.count] - indices[k + run.count - 1] == run.step)
      ++run.count;
    if (run.step > 1 && run.count == 2) run.count = 1;
    if (run.count == 1) run.step = 1;
    k += run.count;
    set.push_back(run);
  }
  return set;
}

}  // namespace aliquot
