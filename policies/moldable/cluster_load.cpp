#include "policies/moldable/cluster_load.hpp"

#include <algorithm>

namespace aliquot::moldable {

ClusterLoad::ClusterLoad(const ClusterView& view) {
  constexpr std::size_t none = SIZE_MAX;
  std::vector<std::size_t> place_of(view.nodes.size(), none);
  for (const Node& node : view.nodes) {
    if (!node.usable() || node.capacity.raw <= 0) continue;
    place_of[node.id.raw] = nodes_.size();
    nodes_.push_back({node.capacity, {}, node.memory, node.memory});
    largest_memory_ = std::max(largest_memory_, node.memory);
    capacity_ += static_cast<double>(node.capacity.raw);
  }
  for (const auto& [id, job] : view.jobs) {
    needed_ += static_cast<double>(job.demand.need.raw) * job.demand.tasks;
    for (const Share& share : job.placement) {
      const std::size_t place = place_of[share.node.raw];
      if (place == none) continue;
      nodes_[place].load += job.demand.need * share.units;
      nodes_[place].free -= job.demand.memory * share.units;
    }
  }
}

std::optional<ClusterLoad::LoadFactors> ClusterLoad::place(const TaskSet& tasks) const {
  // In a heap the least loaded node is in front; of equals, the first one of the view.
  std::vector<NodeLoad> nodes;
  for (const NodeLoad& node : nodes_)
    if (node.free >= tasks.memory) nodes.push_back(node);
  std::vector<std::size_t> heap(nodes.size());
  for (std::size_t n = 0; n < heap.size(); ++n) heap[n] = n;
  const auto more_loaded = [&](std::size_t a, std::size_t b) {
    const Int128 left = static_cast<Int128>(nodes[a].load.raw) * nodes[b].capacity.raw;
    const Int128 right = static_cast<Int128>(nodes[b].load.raw) * nodes[a].capacity.raw;
    return left != right ? left > right : a > b;
  };
  std::ranges::make_heap(heap, more_loaded);
  for (std::uint32_t task = 0; task < tasks.count; ++task) {
    if (heap.empty()) return std::nullopt;
    std::ranges::pop_heap(heap, more_loaded);
    NodeLoad& chosen = nodes[heap.back()];
    ++chosen.added;
    chosen.load += tasks.need;
    chosen.free -= tasks.memory;
    if (chosen.free >= tasks.memory)
      std::ranges::push_heap(heap, more_loaded);
    else
      heap.pop_back();
  }
  std::erase_if(nodes, [](const NodeLoad& node) { return node.added == 0; });
  if (nodes.empty()) return LoadFactors{};
  const auto [least, most] = std::ranges::minmax(nodes, {}, &NodeLoad::factor);
  return LoadFactors{least.factor(), most.factor()};
}

bool ClusterLoad::could_hold(const TaskSet& tasks) const {
  std::int64_t missing = tasks.count;
  for (const NodeLoad& node : nodes_) {
    if (exceeds(tasks.memory, missing, node.memory))
      missing -= node.memory.raw / tasks.memory.raw;
    else
      missing = 0;
    if (missing <= 0) return true;
  }
  return false;
}

double ClusterLoad::load_with(const TaskSet& tasks) const {
  if (nodes_.empty()) return 0;
  return (needed_ + static_cast<double>(tasks.need.raw) * tasks.count) / capacity_;
}

}  // namespace aliquot::moldable
