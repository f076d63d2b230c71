#include "policies/aliquot/contention_groups.hpp"

#include <algorithm>

namespace aliquot {

namespace {

constexpr std::uint32_t kNotContended = UINT32_MAX;

}  // namespace

// A node hosts no more jobs than tasks: there is memory for the tasks of all its jobs.
ContentionGroups::ContentionGroups(const Draft& draft) {
  std::vector<Node> nodes;
  std::size_t most = 0;
  for (const NodeRun& run : draft.node_runs()) {
    for (std::uint32_t n = run.first; n < run.first + run.count; ++n) {
      const NodeLedger& ledger = draft.ledger(n);
      if (ledger.load <= run.capacity) continue;
      nodes.push_back({n, run.capacity, ledger.load, most, most});
      most += static_cast<std::size_t>(ledger.tasks);
    }
  }
  if (nodes.empty()) return;
  tasks_.resize(most);
  find_tasks(draft, nodes);
  unite(nodes);
}

void ContentionGroups::find_tasks(const Draft& draft, std::vector<Node>& nodes) {
  std::vector<std::uint32_t> position(draft.nodes(), kNotContended);  // among the contended nodes
  for (std::uint32_t at = 0; at < nodes.size(); ++at) position[nodes[at].node] = at;
  for (const std::uint32_t i : draft.placed_entries()) {
    bool any = false;
    for (const Share& share : draft.placement(i)) {
      const std::uint32_t at = position[share.node.raw];
      if (at == kNotContended) continue;
      tasks_[nodes[at].last++] = {i, share.units};
      any = true;
    }
    if (any) jobs_.push_back(i);
  }
}

void ContentionGroups::unite(const std::vector<Node>& nodes) {
  for (const Node& node : nodes) {
    const auto tasks = std::span<const Tasks>(tasks_).subspan(node.first, node.last - node.first);
    const bool same = !groups_.empty() && groups_.back().capacity == node.capacity &&
                      std::ranges::equal(groups_.back().tasks, tasks);
    if (!same) groups_.push_back({node.capacity, node.load, tasks});
  }
}

}  // namespace aliquot
