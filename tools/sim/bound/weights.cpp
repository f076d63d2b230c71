#include "tools/sim/bound/weights.hpp"

#include <algorithm>

namespace aliquot {

JobWeights cpu_weights(const BoundInstance& instance) {
  JobWeights weights{"cpu", {}, instance.cpu_capacity()};
  for (const BoundJob& job : instance.jobs) weights.each.push_back(job.need.raw * job.tasks);
  return within_range(instance, std::move(weights));
}

JobWeights memory_weights(const BoundInstance& instance) {
  JobWeights weights{"memory", {}, instance.memory_capacity()};
  for (const BoundJob& job : instance.jobs) weights.each.push_back(job.memory.raw * job.tasks);
  return within_range(instance, std::move(weights));
}

JobWeights width_weights(const BoundInstance& instance, std::int64_t per_node, std::int64_t parts) {
  const std::int64_t places = instance.nodes() * per_node;
  Memory largest;
  for (const NodeClass& c : instance.classes) largest = std::max(largest, c.memory);
  // Everything times parts x places.
  JobWeights weights{
      "width " + std::to_string(per_node) + "/" + std::to_string(parts), {}, Int128{parts} * places};
  for (const BoundJob& job : instance.jobs) {
    std::int64_t weight = 0;
    if (Int128{job.memory.raw} * (per_node + 1) > largest.raw) {
      const std::int64_t scaled = (parts + 1) * job.tasks;
      weight = scaled % places == 0 ? parts * job.tasks : scaled / places * places;
    }
    weights.each.push_back(weight);
  }
  return within_range(instance, std::move(weights));
}

JobWeights within_range(const BoundInstance& instance, JobWeights weights) {
  long double asked = 0;  // the sum of weight x work
  for (std::size_t j = 0; j < instance.jobs.size(); ++j)
    asked +=
        static_cast<long double>(weights.each[j]) * static_cast<long double>(instance.jobs[j].work.raw);
  constexpr long double most = 1e31L;  // times 10^6, and far from 2^127
  while (asked > most) {
    for (std::int64_t& weight : weights.each) weight /= 2;
    weights.capacity = (weights.capacity + 1) / 2;
    asked /= 2;
  }
  return weights;
}

}  // namespace aliquot
