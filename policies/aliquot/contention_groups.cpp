#include "policies/aliquot/contention_groups.hpp"

#include <algorithm>

namespace aliquot {

// A node can differ from the one before it only where a row begins or ends: the others need not be looked
// at.
ContentionGroups::ContentionGroups(const Draft& draft) {
  std::vector<bool> differs(draft.nodes() + 1, false);
  for (const NodeRun& run : draft.node_runs()) differs[run.first] = true;
  const std::vector<Row> rows = find_rows(draft);
  for (const Row& row : rows) differs[row.first] = differs[row.end] = true;
  std::vector<std::size_t> tasks;
  const std::vector<std::uint32_t> before = find_contended(draft, differs, tasks);
  if (groups_.empty()) return;
  find_tasks(rows, before, std::move(tasks));
}

std::vector<ContentionGroups::Row> ContentionGroups::find_rows(const Draft& draft) {
  std::vector<Row> rows;
  for (const std::uint32_t i : draft.placed_entries()) {
    Row row{i, 0, 0, 0};
    for (const auto& [node, units] : draft.placement(i)) {
      if (node.raw != row.end || units != row.units) {
        if (row.units > 0) rows.push_back(row);
        row = {i, units, node.raw, node.raw};
      }
      ++row.end;
    }
    if (row.units > 0) rows.push_back(row);
  }
  return rows;
}

// A node hosts no more jobs than tasks: there is memory for the tasks of all its jobs.
std::vector<std::uint32_t> ContentionGroups::find_contended(const Draft& draft,
                                                            const std::vector<bool>& differs,
                                                            std::vector<std::size_t>& tasks) {
  std::vector<std::uint32_t> before(draft.nodes() + 1);
  std::size_t most = 0;
  for (const NodeRun& run : draft.node_runs()) {
    for (std::uint32_t n = run.first; n < run.first + run.count; ++n) {
      before[n] = static_cast<std::uint32_t>(groups_.size());
      if (!differs[n] || draft.ledger(n).load <= run.capacity) continue;
      groups_.push_back({run.capacity, draft.ledger(n).load, {}});
      tasks.push_back(most);
      most += static_cast<std::size_t>(draft.ledger(n).tasks);
    }
  }
  before.back() = static_cast<std::uint32_t>(groups_.size());
  tasks_.resize(most);
  return before;
}

void ContentionGroups::find_tasks(const std::vector<Row>& rows, const std::vector<std::uint32_t>& before,
                                  std::vector<std::size_t> tasks) {
  std::vector<std::size_t> ends = tasks;
  for (const Row& row : rows) {
    const std::uint32_t end = before[row.end];
    for (std::uint32_t k = before[row.first]; k < end; ++k) tasks_[ends[k]++] = {row.entry, row.units};
    const bool any = before[row.first] < end;
    if (any && (jobs_.empty() || jobs_.back() != row.entry)) jobs_.push_back(row.entry);
  }
  std::size_t kept = 0;
  for (std::size_t k = 0; k < groups_.size(); ++k) {
    Group& group = groups_[k];
    group.tasks = std::span<const Tasks>(tasks_).subspan(tasks[k], ends[k] - tasks[k]);
    const Group* const last = kept > 0 ? &groups_[kept - 1] : nullptr;
    if (last && last->capacity == group.capacity && std::ranges::equal(last->tasks, group.tasks)) continue;
    groups_[kept++] = group;
  }
  groups_.resize(kept);
}

}  // namespace aliquot
