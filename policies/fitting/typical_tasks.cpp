#include "policies/fitting/typical_tasks.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "policies/fitting/node_rest.hpp"

namespace aliquot {

bool TypicalTasks::follow(const ClusterView& view) {
  const std::size_t size = std::min(kMostSampled, std::bit_floor(view.jobs.size()));
  bool same = size == sampled_.size();
  std::vector<Demand> fresh;
  auto job = view.jobs.begin();
  for (std::size_t i = 0; i < size; ++i, ++job) {
    Demand shape = on_one_node(job->second.demand, 1);
    if (same && shape == sampled_[i]) continue;
    if (same) fresh.assign(sampled_.begin(), sampled_.begin() + static_cast<std::ptrdiff_t>(i));
    same = false;
    fresh.push_back(std::move(shape));
  }
  if (same) return false;
  sampled_ = std::move(fresh);
  shapes.clear();
  order.clear();
  jobs = static_cast<std::int64_t>(sampled_.size());
  for (const Demand& demand : sampled_) {
    const auto known =
        std::ranges::find_if(shapes, [&](const Shape& shape) { return shape.demand == demand; });
    order.push_back(static_cast<std::uint32_t>(known - shapes.begin()));
    if (known == shapes.end())
      shapes.push_back({demand, 1});
    else
      ++known->count;
  }
  return true;
}

}  // namespace aliquot
