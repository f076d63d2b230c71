// What is known of nodes from their agents beside events. Any thread may ask.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>

#include "policies/model/id.hpp"

namespace aliquot::agent {

class AgentReports {
 public:
  void held_by_other(NodeId node, bool held) {
    const std::lock_guard lock(mutex_);
    reports_[node].held_by_other = held;
  }
  void message_refused(NodeId node) {
    const std::lock_guard lock(mutex_);
    ++reports_[node].messages_refused;
  }
  // By the agent's word. One that has started anew counts from 0.
  void epochs_refused(NodeId node, std::uint64_t count) {
    const std::lock_guard lock(mutex_);
    Report& report = reports_[node];
    report.epochs_refused += count >= report.epochs_told ? count - report.epochs_told : count;
    report.epochs_told = count;
  }
  // Do VMs of another cluster run there?
  [[nodiscard]] bool is_held_by_other(NodeId node) const { return of(node).held_by_other; }
  // Messages of the agent that were not understood.
  [[nodiscard]] std::uint64_t messages_refused(NodeId node) const { return of(node).messages_refused; }
  // Sessions and commands of managers whose epoch is over, that the agent has refused.
  [[nodiscard]] std::uint64_t epochs_refused(NodeId node) const { return of(node).epochs_refused; }

 private:
  struct Report {
    bool held_by_other = false;
    std::uint64_t messages_refused = 0;
    std::uint64_t epochs_refused = 0;
    std::uint64_t epochs_told = 0;
  };
  [[nodiscard]] Report of(NodeId node) const {
    const std::lock_guard lock(mutex_);
    const auto at = reports_.find(node);
    return at == reports_.end() ? Report{} : at->second;
  }
  mutable std::mutex mutex_;
  std::map<NodeId, Report> reports_;
};

}  // namespace aliquot::agent
