// The independent judge of what the manager asks a hypervisor to do: it knows what stands where on the
// model's nodes and counts every request that a real hypervisor, or a law, would not allow.
//
// It shares no code with the core's own accounts.
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
  explicit ConformanceChecker(const std::vector<Node>& nodes) : nodes_(nodes), used_(nodes.size()) {}

  // Why this action may not be begun for this task; empty: it may. The job's sheet is the caller's newest.
  // `together`: what stands_together() said.
  [[nodiscard]] std::string objection(const Action& action, const ModelJob& job, std::uint32_t task,
                                      bool together) const;
  // Nothing speaks against this move, seen at a glance; else objection() knows what does.
  [[nodiscard]] bool moves_plainly(const ModelVm& vm, NodeId from, NodeId to) const {
    return vm.exists() && !vm.under_way && vm.devices == 0 && vm.node == from && to != from && known(to);
  }
  // May this action, which is none that moves, be begun for all tasks of a job whose VMs are alike and hold
  // no devices? False says nothing of each.
  [[nodiscard]] bool allows_all(const Action& action, const ModelJob& job) const;
  // A job of several tasks starts together: for a release, do all of them stand ready?
  [[nodiscard]] static bool stands_together(const Action& action, const ModelJob& job);

  struct Used {
    Memory memory;
    Cpu cpu;
    friend Used operator-(Used a, Used b) { return {a.memory - b.memory, a.cpu - b.cpu}; }
  };
  // What a VM holds where it stands, when nothing is under way for it.
  [[nodiscard]] static Used held(const ModelJob& job, const ModelVm& vm);
  // So much more is held there.
  void add(NodeId node, const Used& more) {
    used_[node.raw].memory += more.memory;
    used_[node.raw].cpu += more.cpu;
  }
  // So much less.
  void remove(NodeId node, const Used& less) {
    used_[node.raw].memory -= less.memory;
    used_[node.raw].cpu -= less.cpu;
  }
  // Takes what the VM holds into account (sign 1) or out of it (-1); both ends of a move are charged.
  void charge(const ModelJob& job, const ModelVm& vm, int sign);
  // The first law about capacities that the nodes of this VM now break; empty: none.
  [[nodiscard]] std::string overload(const ModelVm& vm) const;
  [[nodiscard]] bool is_overloaded(const ModelVm& vm) const {
    const bool plain = vm.devices == 0 && !vm.under_way;
    return plain ? !fits(vm.node) : !overload(vm).empty();
  }

  void record(const Action& action, std::uint32_t task, const std::string& why);
  // The faults of the caller so far: each one a sentence. Bounded; the count is not.
  [[nodiscard]] const std::vector<std::string>& violations() const { return violations_; }
  [[nodiscard]] std::uint64_t violation_count() const { return violation_count_; }
  [[nodiscard]] Memory memory_used(NodeId node) const { return used_[node.raw].memory; }

 private:
  using Slot = std::pair<std::uint32_t, std::uint32_t>;  // node, slot
  void hold(NodeId node, const ModelJob& job, const ModelVm& vm, int sign);
  [[nodiscard]] std::string overfull_device(NodeId node, const ModelVm& vm) const;
  [[nodiscard]] bool fits(NodeId node) const {
    const Used& used = used_[node.raw];
    return used.memory <= nodes_[node.raw].memory && used.cpu <= nodes_[node.raw].capacity;
  }
  [[nodiscard]] bool known(NodeId node) const { return node.raw < nodes_.size(); }
  [[nodiscard]] std::string objection_to_coming(const ModelVm& vm, NodeId node, Yield yield) const;

  const std::vector<Node>& nodes_;
  std::vector<Used> used_;
  std::map<Slot, std::int64_t> held_;  // parts of devices
  std::vector<std::string> violations_;
  std::uint64_t violation_count_ = 0;
};

}  // namespace aliquot
