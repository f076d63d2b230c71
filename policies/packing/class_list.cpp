#include "policies/packing/class_list.hpp"

#include <algorithm>
#include <limits>

namespace aliquot {

namespace {
constexpr std::int64_t kNowhere = std::numeric_limits<std::int64_t>::max();
}

void ClassList::clear() {
  primary_.clear();
  secondary_.clear();
  left_.clear();
  task_class_.clear();
  head_ = 0;
  levels_ = 0;
}

void ClassList::push(const SizedClass& next) {
  primary_.push_back(next.primary);
  secondary_.push_back(next.secondary);
  left_.push_back(next.count);
  task_class_.push_back(next.task_class);
}

void ClassList::seal() {
  if (size() <= kScanned) return;
  for (std::size_t below = size(); below > kWidth; ++levels_) {
    const std::size_t here = (below + kWidth - 1) / kWidth;
    if (minima_.size() == levels_) minima_.emplace_back();
    std::pmr::vector<std::int64_t>& minima = minima_[levels_];
    minima.resize(here);
    const std::pmr::vector<std::int64_t>& from = level(levels_);
    for (std::size_t b = 0; b < here; ++b) {
      const std::size_t end = std::min(below, (b + 1) * kWidth);
      std::int64_t least = from[b * kWidth];
      for (std::size_t i = b * kWidth + 1; i < end; ++i) least = std::min(least, from[i]);
      minima[b] = least;
    }
    below = here;
  }
}

std::size_t ClassList::search(std::size_t from, std::int64_t primary_free,
                              std::int64_t secondary_free) const {
  if (from < size() && primary_[from] > primary_free) {
    const auto at = std::partition_point(primary_.begin() + static_cast<std::ptrdiff_t>(from) + 1,
                                         primary_.end(), [=](std::int64_t p) { return p > primary_free; });
    from = static_cast<std::size_t>(at - primary_.begin());
  }
  return first_at_most(from, secondary_free);
}

std::size_t ClassList::first_at_most(std::size_t from, std::int64_t limit) const {
  // Up: the rest of the block at each level, until one has what is looked for.
  std::size_t k = 0;
  std::size_t at = from;
  for (;; ++k) {
    const std::pmr::vector<std::int64_t>& here = level(k);
    const bool top = k == levels_;
    const std::size_t end = top ? here.size() : std::min(here.size(), (at + kWidth - 1) / kWidth * kWidth);
    while (at < end && here[at] > limit) ++at;
    if (at < end) break;
    if (top) return size();
    at = (at + kWidth - 1) / kWidth;
  }
  // Down: the first child that has it.
  for (; k > 0; --k) {
    at *= kWidth;
    while (level(k - 1)[at] > limit) ++at;
  }
  return at;
}

void ClassList::exhaust(std::size_t i) {
  const std::int64_t was = secondary_[i];
  secondary_[i] = kNowhere;
  while (head_ < size() && left_[head_] == 0) ++head_;
  for (std::size_t k = 0; k < levels_; ++k) {
    const std::pmr::vector<std::int64_t>& from = level(k);
    i /= kWidth;
    if (minima_[k][i] != was) return;
    const std::size_t end = std::min(from.size(), (i + 1) * kWidth);
    const auto first = from.begin() + static_cast<std::ptrdiff_t>(i * kWidth);
    minima_[k][i] = *std::min_element(first, from.begin() + static_cast<std::ptrdiff_t>(end));
    if (minima_[k][i] == was) return;
  }
}

}  // namespace aliquot
