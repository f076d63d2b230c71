// A manager's backend and agents of fake nodes, over real connections.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

#include "manager/hypervisor/agent/agent_hypervisor.hpp"
#include "test/support/small_view.hpp"
#include "test/unit/manager/hypervisor/agent/fake_node.hpp"

namespace aliquot::agent::test {

inline const NodeId kNode{2};
inline const OpId kOp{9};

class Events {
 public:
  [[nodiscard]] Hypervisor::Sink sink() {
    return [this](Event event) {
      const std::lock_guard lock(mutex_);
      events_.push_back(std::move(event));
    };
  }
  template <class T>
  [[nodiscard]] std::vector<T> all() const {
    const std::lock_guard lock(mutex_);
    std::vector<T> out;
    for (const Event& event : events_)
      if (const T* one = std::get_if<T>(&event)) out.push_back(*one);
    return out;
  }
  [[nodiscard]] bool is_up() const {
    const auto all_changes = all<NodeChanged>();
    return !all_changes.empty() && all_changes.back().state == NodeState::up;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<Event> events_;
};

inline std::shared_ptr<const JobSpec> spec_of(JobId job) {
  auto spec = std::make_shared<JobSpec>();
  spec->job = job;
  spec->submission = aliquot::test::submission(1, 1000, 100);
  spec->tasks.resize(1);
  spec->tasks[0].node = kNode;
  return spec;
}

class Agents : public testing::Test {
 protected:
  std::unique_ptr<AgentHypervisor> manager(std::uint64_t epoch = 1, std::string cluster = "c") {
    AgentHypervisorSetup setup;
    setup.keys = manager_;
    setup.hypervisor.fast_deadline = seconds(1);
    setup.hypervisor.migration_bandwidth = Bandwidth{5'000'000};
    setup.spool_dir = spool_;
    setup.cluster = std::move(cluster);
    setup.epoch = epoch;
    return std::make_unique<AgentHypervisor>(std::move(setup), events_.sink());
  }
  [[nodiscard]] static NodeSettings settings(const std::string& endpoint, const Key& key) {
    NodeSettings node;
    node.name = "n";
    node.uri = "agent://" + endpoint.substr(std::string("tcp://").size());
    node.agent_key = to_text(key);
    return node;
  }
  static void connect(AgentHypervisor& backend, const std::string& endpoint, const Key& key,
                      bool local_saves = false) {
    NodeSettings node = settings(endpoint, key);
    node.local_saves = local_saves;
    backend.set_node(kNode, node, "");
  }
  std::unique_ptr<RunningAgent> agent(const std::string& endpoint = "tcp://127.0.0.1:*",
                                      bool saves = false) {
    return std::make_unique<RunningAgent>(machine_, keys_, std::vector<Key>{manager_.public_key}, endpoint,
                                          saves, epochs_);
  }
  [[nodiscard]] bool suspect_because(const std::string& why) const {
    const auto changes = events_.all<NodeChanged>();
    return !changes.empty() && changes.back().state == NodeState::suspect &&
           changes.back().why.find(why) != std::string::npos;
  }

  const KeyPair keys_ = make_keys().value();
  const KeyPair manager_ = make_keys().value();
  FakeMachine machine_;
  Events events_;
  std::string spool_ = "/nonexistent";
  std::string epochs_;
};

}  // namespace aliquot::agent::test
