// The actions that agents have been asked for and have not reported yet, by operation and task.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "policies/model/id.hpp"

namespace aliquot::agent {

class PendingActions {
 public:
  using Clock = std::chrono::steady_clock;
  using Key = std::pair<OpId, std::uint32_t>;
  struct Pending {
    JobId job;
    NodeId node;
    Clock::time_point begun;
    Clock::time_point deadline;
    std::uint64_t message = 0;  // that asked for it (AgentConnection::send)
  };
  using Entries = std::vector<std::pair<Key, Pending>>;

  void add(Key key, const Pending& pending) { all_[key] = pending; }
  void asked_by(Key key, std::uint64_t message) {
    if (const auto found = all_.find(key); found != all_.end()) found->second.message = message;
  }
  [[nodiscard]] std::optional<NodeId> node_of(Key key) const {
    const auto found = all_.find(key);
    return found == all_.end() ? std::nullopt : std::optional(found->second.node);
  }
  std::optional<Pending> take(Key key) {
    const auto found = all_.find(key);
    if (found == all_.end()) return std::nullopt;
    const Pending pending = found->second;
    all_.erase(found);
    return pending;
  }
  [[nodiscard]] Entries on(NodeId node) const {
    return select([node](const Pending& each) { return each.node == node; });
  }
  [[nodiscard]] Entries overdue(Clock::time_point now) const {
    return select([now](const Pending& each) { return now >= each.deadline; });
  }

 private:
  template <class Which>
  [[nodiscard]] Entries select(Which which) const {
    Entries found;
    for (const auto& entry : all_)
      if (which(entry.second)) found.push_back(entry);
    return found;
  }

  std::map<Key, Pending> all_;
};

}  // namespace aliquot::agent
