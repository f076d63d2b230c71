// The actions of one diff, in the order in which they are chosen. Neighbouring tasks of a job for which
// the same is to be done share one action.
#pragma once

#include <utility>
#include <vector>

#include "manager/core/state.hpp"

namespace aliquot {

class ActionList {
 public:
  // `storage` is an empty list whose memory is used again.
  ActionList(OpId next, std::vector<Action> storage) : actions_(std::move(storage)), next_op_(next.raw) {}
  [[nodiscard]] bool empty() const { return actions_.empty(); }
  [[nodiscard]] std::vector<Action> take() { return std::move(actions_); }

  // join(last) adds the task to the last action if the same is to be done, and says whether it has.
  template <class A, class Join>
  void add(A action, std::uint32_t task, Join join) {
    if (A* last = action_before<A>(action.job, task); last && join(*last)) {
      ++last->tasks.count;
      return;
    }
    action.op = {next_op_++};
    action.tasks = {task, 1};
    actions_.emplace_back(std::move(action));
  }
  // For actions that name the node of each task.
  template <class A>
  void on_node(const A& action, std::uint32_t task) {
    const NodeId node = action.nodes[0];
    add(action, task, [&](A& last) {
      if constexpr (requires { last.yield; })
        if (last.yield != action.yield) return false;
      if constexpr (requires { last.checkpoint; })
        if (last.checkpoint != action.checkpoint) return false;
      if constexpr (requires { last.leaves; })
        if (last.leaves != action.leaves) return false;
      last.nodes.append(last.tasks.count, node);
      return true;
    });
  }
  void cap(JobId id, std::uint32_t task, Yield yield) {
    add(Cap{{{}, id, {}}, yield}, task, [&](const Cap& last) { return last.yield == yield; });
  }
  void release(JobId id, std::uint32_t task) {
    add(Release{{{}, id, {}}}, task, [](const Release&) { return true; });
  }
  void migrate(const JobRecord& record, JobId id, std::uint32_t task) {
    const Vm& vm = record.vms[task];
    Migrate* const last = action_before<Migrate>(id, task);
    if (!last) {
      actions_.emplace_back(Migrate{{{next_op_++}, id, {task, 1}}, vm.node, vm.wanted});
      return;
    }
    const std::size_t most = record.vms.size() - last->tasks.first;
    last->from.append(last->tasks.count, vm.node, most);
    last->to.append(last->tasks.count, vm.wanted, most);
    ++last->tasks.count;
  }

  // One action for all tasks of a job.
  template <class A>
  void all(const JobRecord& record, A action) {
    action.op = {next_op_++};
    action.tasks = {0, vm_count(record)};
    actions_.emplace_back(std::move(action));
  }

 private:
  // The last action, if it is an A of this job whose tasks end before this one.
  template <class A>
  [[nodiscard]] A* action_before(JobId job, std::uint32_t task) {
    A* const last = actions_.empty() ? nullptr : std::get_if<A>(&actions_.back());
    return last && last->job == job && last->tasks.first + last->tasks.count == task ? last : nullptr;
  }

  std::vector<Action> actions_;
  std::uint64_t next_op_;
};

// The nodes on which the VMs of a job are wanted.
[[nodiscard]] inline TaskNodes wanted_nodes(const JobRecord& record) {
  TaskNodes nodes(record.vms.front().wanted);
  for (std::uint32_t task = 1, count = vm_count(record); task < count; ++task)
    nodes.append(task, record.vms[task].wanted, record.vms.size());
  return nodes;
}

}  // namespace aliquot
