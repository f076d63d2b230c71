#include "policies/aliquot/contention_groups.hpp"

#include <algorithm>

namespace aliquot {

namespace {

constexpr std::size_t kNotContended = SIZE_MAX;

// each(run, node, ledger)
template <class Each>
void each_contended(const Draft& draft, Each each) {
  for (const NodeRun& run : draft.node_runs()) {
    for (std::uint32_t n = run.first; n < run.first + run.count; ++n) {
      const NodeLedger& ledger = draft.ledger(n);
      if (ledger.load > run.capacity) each(run, n, ledger);
    }
  }
}

}  // namespace

// A node hosts no more jobs than tasks: there is memory for the tasks of all its jobs.
ContentionGroups::ContentionGroups(const Draft& draft) {
  std::size_t most = 0;
  Ends ends(draft.nodes(), kNotContended);
  each_contended(draft, [&](const NodeRun&, std::uint32_t n, const NodeLedger& ledger) {
    ends[n] = most;
    most += static_cast<std::size_t>(ledger.tasks);
  });
  if (most == 0) return;
  tasks_.resize(most);
  find_tasks(draft, ends);
  unite(draft, ends);
}

void ContentionGroups::find_tasks(const Draft& draft, Ends& ends) {
  for (const std::uint32_t i : draft.placed_entries()) {
    bool any = false;
    for (const Share& share : draft.placement(i)) {
      std::size_t& end = ends[share.node.raw];
      if (end == kNotContended) continue;
      tasks_[end++] = {i, share.units};
      any = true;
    }
    if (any) jobs_.push_back(i);
  }
}

void ContentionGroups::unite(const Draft& draft, const Ends& ends) {
  std::size_t first = 0;
  each_contended(draft, [&](const NodeRun& run, std::uint32_t n, const NodeLedger& ledger) {
    const auto tasks = std::span<const Tasks>(tasks_).subspan(first, ends[n] - first);
    first += static_cast<std::size_t>(ledger.tasks);
    const bool same = !groups_.empty() && groups_.back().capacity == run.capacity &&
                      std::ranges::equal(groups_.back().tasks, tasks);
    if (!same) groups_.push_back({run.capacity, ledger.load, tasks});
  });
}

}  // namespace aliquot
