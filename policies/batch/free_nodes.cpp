#include "policies/batch/free_nodes.hpp"

#include <algorithm>
#include <iterator>

namespace aliquot {

FreeNodes::Steps::const_iterator FreeNodes::step_at(Instant instant) const {
  return std::prev(std::ranges::upper_bound(steps_, instant, {}, &Step::at));
}

std::size_t FreeNodes::cut(Instant instant) {
  if (instant == kNever) return steps_.size();
  auto step = step_at(instant);
  if (step->at != instant) step = steps_.insert(std::next(step), {instant, step->free});
  return static_cast<std::size_t>(step - steps_.begin());
}

void FreeNodes::add(Instant from, Instant to, std::int64_t nodes) {
  if (from >= to || nodes == 0) return;
  const std::size_t first = cut(from);
  const std::size_t last = cut(to);
  for (std::size_t k = first; k < last; ++k) steps_[k].free += nodes;
}

std::int64_t FreeNodes::least(Instant from, Instant to) const {
  auto step = step_at(from);
  std::int64_t least = step->free;
  for (; step != steps_.end() && step->at < to; ++step) least = std::min(least, step->free);
  return least;
}

template <class Hit>
Instant FreeNodes::first(Instant from, Hit&& hit) const {
  const auto step = std::ranges::find_if(step_at(from), steps_.end(), hit, &Step::free);
  return step == steps_.end() ? kNever : std::max(from, step->at);
}

Instant FreeNodes::first_below(Instant from, std::int64_t nodes) const {
  return first(from, [=](std::int64_t free) { return free < nodes; });
}

Instant FreeNodes::first_at_least(Instant from, std::int64_t nodes) const {
  return first(from, [=](std::int64_t free) { return free >= nodes; });
}

Instant FreeNodes::next_step(Instant after) const {
  const auto next = std::ranges::upper_bound(steps_, after, {}, &Step::at);
  return next == steps_.end() ? kNever : next->at;
}

}  // namespace aliquot
