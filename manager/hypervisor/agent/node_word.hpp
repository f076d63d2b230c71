// What is said of a node with an agent: it is up when its agent answers and the backend there says so.
#pragma once

#include <optional>
#include <utility>

#include "manager/hypervisor/agent/agent_connection.hpp"
#include "monitor/record/event.hpp"

namespace aliquot::agent {

class NodeWord {
 public:
  // Of the backend itself, in this session.
  void said(NodeChanged word) { own_ = std::move(word); }
  void session_lost() { own_.reset(); }
  // What has changed since it was last asked for.
  [[nodiscard]] std::optional<NodeChanged> news(NodeId node, const AgentConnection& connection,
                                                AgentConnection::Clock::time_point now) {
    const bool answers = connection.is_up(now);
    if (answers && !own_) return std::nullopt;  // its backend has yet to say
    if (connection.is_opening(now)) return std::nullopt;
    NodeChanged word{node, NodeState::suspect, connection.why_not()};
    if (answers) word = *own_;
    if (reported_ && reported_->state == word.state && reported_->why == word.why) return std::nullopt;
    reported_ = word;
    return word;
  }

 private:
  std::optional<NodeChanged> own_;
  std::optional<NodeChanged> reported_;
};

}  // namespace aliquot::agent
