#include "tools/sim/bound/instance.hpp"

#include <algorithm>

namespace aliquot {
namespace {

std::vector<NodeClass> classes_of(const std::vector<Node>& nodes) {
  std::vector<NodeClass> classes;
  for (const Node& node : nodes) {
    const auto same = [&](const NodeClass& c) {
      return c.capacity == node.capacity && c.memory == node.memory;
    };
    const auto known = std::ranges::find_if(classes, same);
    if (known == classes.end())
      classes.push_back({node.capacity, node.memory, 1});
    else
      ++known->count;
  }
  return classes;
}

// How many of these tasks all nodes together hold at this yield; at most `enough`.
std::int64_t held(const std::vector<NodeClass>& classes, const Demand& demand, Yield yield) {
  const std::int64_t enough = demand.tasks;
  const Cpu cap = demand.need * yield;
  std::int64_t sum = 0;
  for (const NodeClass& c : classes) {
    std::int64_t here = enough;
    if (demand.memory.raw > 0) here = std::min(here, c.memory.raw / demand.memory.raw);
    if (cap.raw > 0) here = std::min(here, c.capacity.raw / cap.raw);
    sum = std::min(enough, sum + here * c.count);
  }
  return sum;
}

Yield fastest(const std::vector<NodeClass>& classes, const Demand& demand) {
  if (held(classes, demand, kFullYield) >= demand.tasks) return kFullYield;
  std::int64_t low = 0;  // here it fits, or nowhere
  std::int64_t high = kMillion;
  while (high - low > 1) {
    const std::int64_t middle = (low + high) / 2;
    (held(classes, demand, Yield{middle}) >= demand.tasks ? low : high) = middle;
  }
  return Yield{std::max<std::int64_t>(low, 1)};
}

// The most tasks on one node whose caps can be rounded, a micro-core each.
Cpu rounding_of(const BoundInstance& instance) {
  std::int64_t tasks = 0;
  Memory least{INT64_MAX};
  Memory largest_node;
  for (const BoundJob& job : instance.jobs) {
    if (job.need.raw % kMillion == 0) continue;  // need x yield is a whole number of micro-cores
    tasks += job.tasks;
    least = std::min(least, job.memory);
  }
  for (const NodeClass& c : instance.classes) largest_node = std::max(largest_node, c.memory);
  if (tasks > 0 && least.raw > 0) tasks = std::min(tasks, largest_node.raw / least.raw);
  return Cpu{tasks};
}

}  // namespace

Int128 BoundInstance::cpu_capacity() const {
  Int128 sum = 0;
  for (const NodeClass& c : classes) sum += Int128{(c.capacity + rounding).raw} * c.count;
  return sum;
}

Int128 BoundInstance::memory_capacity() const {
  Int128 sum = 0;
  for (const NodeClass& c : classes) sum += Int128{c.memory.raw} * c.count;
  return sum;
}

std::int64_t BoundInstance::nodes() const {
  std::int64_t sum = 0;
  for (const NodeClass& c : classes) sum += c.count;
  return sum;
}

BoundInstance make_instance(const std::vector<WorkloadJob>& jobs, const std::vector<Node>& nodes) {
  BoundInstance instance;
  instance.classes = classes_of(nodes);
  instance.jobs.reserve(jobs.size());
  for (const WorkloadJob& job : jobs) {
    const Demand& demand = job.submission.demand;
    instance.jobs.push_back({job.submitted, job.runtime(), std::max(seconds(30), job.runtime()),
                             fastest(instance.classes, demand), demand.tasks, demand.need, demand.memory});
  }
  std::ranges::stable_sort(instance.jobs, {}, &BoundJob::release);
  instance.rounding = rounding_of(instance);
  return instance;
}

Instant deadline(const BoundJob& job, Stretch stretch) {
  const Int128 span = (Int128{job.counted.raw} * stretch.nano + kNano - 1) / kNano;
  const Int128 end = job.release.raw + span;
  return end < kFarAway.raw ? Instant{static_cast<std::int64_t>(end)} : kFarAway;
}

Stretch alone_stretch(const BoundJob& job) {
  const Int128 takes = Int128{job.work.raw} * kMillion / job.fastest.raw;  // microseconds, rounded down
  const Int128 nano = takes * kNano / job.counted.raw;
  return {static_cast<std::int64_t>(std::clamp<Int128>(nano, kNano, kMostStretch.nano))};
}

}  // namespace aliquot
