// One backend of two: nodes that the manager reaches by libvirt, and nodes that it reaches through their
// agents. Each node belongs to one of them, by its `uri`; so does each action, whose VMs stay on one side.
// No thread of its own.
#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "manager/hypervisor/agent/agent_inspections.hpp"
#include "manager/hypervisor/closable_sink.hpp"
#include "manager/hypervisor/node_hypervisor.hpp"

namespace aliquot {

class MixedHypervisor final : public NodeHypervisor {
 public:
  // Makes a backend whose events go to the sink.
  using Make = std::function<std::unique_ptr<NodeHypervisor>(Sink)>;
  // `agents` may be null: nodes with agents are suspect then, and say `why_no_agents`.
  MixedHypervisor(Make libvirt, Make agents, std::string why_no_agents, Sink sink);
  ~MixedHypervisor() override;

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
  [[nodiscard]] Result<void> suspend(NodeId node, Duration patience) override;
  [[nodiscard]] Result<std::unique_ptr<VmTerminal>> open_terminal(const TerminalTarget& target,
                                                                  TerminalListener listener) override;
  void write_off(NodeId node) override;
  void take_back(NodeId node) override;
  [[nodiscard]] bool held_by_other_cluster(NodeId node) const override;
  [[nodiscard]] std::uint64_t messages_refused(NodeId node) const override;
  [[nodiscard]] std::uint64_t epochs_refused(NodeId node) const override;

 private:
  [[nodiscard]] bool has_agent(NodeId node) const;
  [[nodiscard]] NodeHypervisor& of(NodeId node) const;
  void take(bool from_agents, Event event);

  ClosableSink events_;
  const std::string why_no_agents_;
  mutable std::mutex mutex_;
  std::set<NodeId> with_agent_;
  agent::AgentInspections both_;  // questions that both backends answer, as nodes 0 and 1
  std::unique_ptr<NodeHypervisor> libvirt_;
  std::unique_ptr<NodeHypervisor> agents_;  // may be null
};

}  // namespace aliquot
