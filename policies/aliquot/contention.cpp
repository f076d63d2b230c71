#include "policies/aliquot/contention.hpp"

#include <algorithm>

#include "policies/aliquot/stretch_level.hpp"

namespace aliquot {

Contention::Contention(const Draft& draft, Predictions predictions, Yield floor)
    : predictions_(predictions), groups_(draft), floors_(draft.size(), kFullYield) {
  set_floors(draft, floor);
}

void Contention::set_floors(const Draft& draft, Yield part) {
  for (const auto& group : groups_) {
    const Yield fair = yield_for(group.capacity, group.load);
    const Yield least{multiply_divide(fair.raw, part.raw, kMillion)};
    for (const auto& [i, count] : group.tasks)
      floors_[i] = std::min(floors_[i], part_of(least, draft.job(i).demand.weight));
  }
  for (const std::uint32_t i : groups_.jobs())
    floors_[i] = std::max(floors_[i], predictions_[i].guaranteed);
  // In the order of the nodes: what a job loses on one node counts on the next.
  for (const auto& group : groups_) {
    Cpu sum;
    for (const auto& [i, count] : group.tasks) sum += predictions_[i].need * floors_[i] * count;
    if (sum <= group.capacity) continue;
    for (const auto& [i, count] : group.tasks) floors_[i] = predictions_[i].guaranteed;
  }
}

// A node that can give what a stretch asks for is not worse than that: most levels need not be found.
Contention::Worst Contention::worst() const {
  const ContentionGroups::Group* worst_group = nullptr;
  Worst worst;
  StretchLevel level;
  for (const auto& group : groups_) {
    level.clear();
    for (const auto& [i, count] : group.tasks) level.add(predictions_[i], count, floors_[i]);
    const auto capacity = static_cast<double>(group.capacity.raw);
    if (level.cpu_at(worst.stretch) <= capacity) continue;
    const double stretch = level.find(capacity);
    if (worst_group && stretch <= worst.stretch) continue;
    worst.stretch = stretch;
    worst_group = &group;
  }
  if (worst_group)
    for (const auto& [i, count] : worst_group->tasks) worst.jobs.push_back(i);
  return worst;
}

bool Contention::exceeds_without(std::uint32_t i, double stretch) const {
  StretchLevel level;
  return std::ranges::any_of(groups_, [&](const ContentionGroups::Group& group) {
    level.clear();
    for (const auto& [k, count] : group.tasks)
      if (k != i) level.add(predictions_[k], count, predictions_[k].guaranteed);
    return level.cpu_at(stretch) > static_cast<double>(group.capacity.raw);
  });
}

double stretch_at_full_speed(const Draft& draft, Predictions predictions) {
  double largest = 0;
  for (std::size_t i = 0; i < draft.size(); ++i) {
    if (draft.placed(i)) largest = std::max(largest, predictions[i].at_full_speed);
  }
  return largest;
}

double largest_stretch(const Draft& draft, Predictions predictions, Yield floor) {
  return std::max(stretch_at_full_speed(draft, predictions),
                  Contention(draft, predictions, floor).worst().stretch);
}

}  // namespace aliquot
