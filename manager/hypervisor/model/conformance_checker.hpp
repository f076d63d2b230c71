// Checks what the manager asks of the model hypervisor. It knows which VM is on which node, and records
// every request that a real hypervisor could not carry out, and every one that puts more on a node than the
// node has.
//
// It shares no code with the core's ledger, so that an error in one of them shows.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "manager/hypervisor/model/model_job.hpp"
#include "policies/model/view.hpp"

namespace aliquot {

class ConformanceChecker {
 public:
  // The nodes must outlive it, and not change.
  explicit ConformanceChecker(const std::vector<Node>& nodes, std::int64_t memory_kept_ppm = kMillion);

  // Why this action may not be begun for this task; empty: it may. The job's spec is the caller's newest.
  // `together` is the result of all_ready().
  [[nodiscard]] std::string objection(const Action& action, const ModelJob& job, std::uint32_t task,
                                      bool together) const;
  // A quick check for the usual case that there is no objection to this move. If it says no, ask
  // objection().
  [[nodiscard]] bool can_move(const ModelVm& vm, NodeId from, NodeId to) const {
    return vm.exists() && !vm.under_way && vm.devices == 0 && vm.node == from && to != from && known(to);
  }
  // The same for an action, other than a migration, on all tasks of a job whose VMs are alike and hold no
  // devices. If it says no, ask objection() for each task.
  [[nodiscard]] bool allows_all(const Action& action, const ModelJob& job) const;
  // A job of several tasks starts together: a release needs all its VMs to exist. True for other actions.
  [[nodiscard]] static bool all_ready(const Action& action, const ModelJob& job);

  struct Used {
    Memory memory;
    Cpu cpu;
    friend Used operator-(Used a, Used b) { return {a.memory - b.memory, a.cpu - b.cpu}; }
  };
  // What a VM holds on its node while no action on it is under way.
  [[nodiscard]] static Used held(const ModelJob& job, const ModelVm& vm);
  void add(NodeId node, const Used& more) {
    used_[node.raw].now.memory += more.memory;
    used_[node.raw].now.cpu += more.cpu;
  }
  void remove(NodeId node, const Used& less) {
    used_[node.raw].now.memory -= less.memory;
    used_[node.raw].now.cpu -= less.cpu;
  }
  // Adds what the VM holds (sign 1) or takes it off (-1). Both ends of a migration are charged.
  void charge(const ModelJob& job, const ModelVm& vm, int sign);
  // Records a violation if a node of this VM now holds more than it has.
  void check_capacity(const Action& action, std::uint32_t task, const ModelVm& vm) {
    if (vm.devices == 0 && !vm.under_way && fits(vm.node)) return;
    if (const std::string why = overload(vm); !why.empty()) record(action, task, why);
  }

  void record(const Action& action, std::uint32_t task, const std::string& why);
  // A sentence each. Only the first ones are kept, but all are counted.
  [[nodiscard]] const std::vector<std::string>& violations() const { return violations_; }
  [[nodiscard]] std::uint64_t violation_count() const { return violation_count_; }
  [[nodiscard]] Memory memory_used(NodeId node) const { return used_[node.raw].now.memory; }

 private:
  using Slot = std::pair<std::uint32_t, std::uint32_t>;  // node, slot
  [[nodiscard]] std::string overload(const ModelVm& vm) const;
  void hold(NodeId node, const ModelJob& job, const ModelVm& vm, int sign);
  [[nodiscard]] std::string overfull_device(NodeId node, const ModelVm& vm) const;
  [[nodiscard]] bool fits(NodeId node) const {
    const auto& [now, most] = used_[node.raw];
    return now.memory <= most.memory && now.cpu <= most.cpu;
  }
  [[nodiscard]] bool known(NodeId node) const { return node.raw < nodes_.size(); }
  // Its node has saved it to a disk of its own.
  [[nodiscard]] bool is_kept_elsewhere(const ModelVm& vm, NodeId than) const {
    return known(vm.node) && nodes_[vm.node.raw].keeps_saves && vm.node != than;
  }
  [[nodiscard]] std::string objection_to_coming(const ModelVm& vm, NodeId node, Yield yield) const;

  struct UsedOfNode {
    Used now;
    Used most;
  };
  const std::vector<Node>& nodes_;
  std::vector<UsedOfNode> used_;       // by node
  std::map<Slot, std::int64_t> held_;  // parts of devices
  std::vector<std::string> violations_;
  std::uint64_t violation_count_ = 0;
};

}  // namespace aliquot
