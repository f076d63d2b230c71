// The hypervisor backend for nodes that the manager reaches through their agents (agent_server.hpp): nodes
// that run Xen, whose libxl acts only on its own machine, and nodes whose libvirtd does not listen.
//
// One thread speaks to all agents. An agent that is silent makes its node suspect; what it was asked times
// out and is unclear then, as the port says. VMs move by being saved and restored (agent_moves.hpp).
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "config/settings.hpp"
#include "manager/hypervisor/agent/keys.hpp"
#include "manager/hypervisor/hosts.hpp"
#include "manager/hypervisor/node_hypervisor.hpp"
#include "monitor/calendar.hpp"

namespace aliquot {

struct AgentHypervisorSetup {
  agent::KeyPair keys;  // the manager's
  HypervisorSettings hypervisor;
  std::string spool_dir;
  std::string cluster;
  std::uint64_t epoch = 0;
  Memory max_output = LimitSettings{}.max_output;
  Hosts::Listener hosts_listener = {};
  Calendar calendar{};
  std::function<void(NodeId, NodeSurvey)> on_survey = {};  // called on the backend's thread
};

class AgentHypervisor final : public NodeHypervisor {
 public:
  AgentHypervisor(AgentHypervisorSetup setup, Sink sink);
  ~AgentHypervisor() override;

  void perform(const Action& action, std::shared_ptr<const JobSpec> spec) override;
  void inspect(std::vector<VmQuery> queries) override;
  void sample(NodeId node, SampleSink done) override;
  void on_departure(SampleSink sink) override;
  void set_balloon(const VmBalloon& balloon) override;
  void forget(JobId job) override;

  void set_max_output(Memory limit) override;
  void set_node(NodeId id, const NodeSettings& node, const std::string& host) override;
  void remove_node(NodeId id) override;
  [[nodiscard]] Result<NodeFacts> node_facts(NodeId node, Duration patience, bool probe) override;
  [[nodiscard]] Result<NodeSurvey> survey(NodeId node, Duration patience) override;
  [[nodiscard]] Result<void> destroy_orphan(NodeId node, const Uuid& uuid, Duration patience) override;
  [[nodiscard]] Result<std::uint32_t> clear(NodeId node, Duration patience) override;
  [[nodiscard]] Result<std::unique_ptr<VmTerminal>> open_terminal(const TerminalTarget& target,
                                                                  TerminalListener listener) override;
  void write_off(NodeId node) override;
  void take_back(NodeId node) override;
  [[nodiscard]] bool held_by_other_cluster(NodeId node) const override;
  [[nodiscard]] std::uint64_t messages_refused(NodeId node) const override;
  [[nodiscard]] std::uint64_t epochs_refused(NodeId node) const override;

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
};

}  // namespace aliquot
