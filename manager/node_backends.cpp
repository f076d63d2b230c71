#include "manager/node_backends.hpp"

#include <utility>

#include "manager/hypervisor/agent/agent_hypervisor.hpp"
#include "manager/hypervisor/agent/mixed_hypervisor.hpp"

namespace aliquot {
namespace {

AgentHypervisorSetup agents_setup(const LibvirtSetup& setup, const agent::KeyPair& keys) {
  AgentHypervisorSetup agents;
  agents.keys = keys;
  agents.hypervisor = setup.hypervisor;
  agents.spool_dir = setup.spool_dir;
  agents.cluster = setup.cluster;
  agents.epoch = setup.epoch;
  agents.max_output = setup.max_output;
  agents.hosts_listener = setup.hosts_listener;
  agents.calendar = setup.calendar;
  agents.on_survey = setup.on_survey;
  return agents;
}

}  // namespace

std::unique_ptr<NodeHypervisor> open_backends(LibvirtSetup setup, std::shared_ptr<const EpochFence> fence,
                                              Hypervisor::Sink sink) {
  setup.fence = std::move(fence);
  setup.hosts.resize(setup.nodes.size());
  const std::vector<NodeSettings> all = setup.nodes;
  const std::vector<std::string> hosts = setup.hosts;
  for (NodeSettings& node : setup.nodes)
    if (!agent_address(node).empty()) node.uri.clear();  // not libvirt's
  const auto keys = agent::read_keys(setup.hypervisor.agent_keys);
  MixedHypervisor::Make agents;
  if (keys)
    agents = [made = agents_setup(setup, *keys)](Hypervisor::Sink to) {
      return std::make_unique<AgentHypervisor>(made, std::move(to));
    };
  const auto libvirt = [&setup](Hypervisor::Sink to) {
    return std::make_unique<LibvirtHypervisor>(std::move(setup), std::move(to));
  };
  auto mixed = std::make_unique<MixedHypervisor>(libvirt, std::move(agents),
                                                 keys ? "" : keys.error().message, std::move(sink));
  for (std::uint32_t i = 0; i < all.size(); ++i)
    if (!agent_address(all[i]).empty()) mixed->set_node({i}, all[i], hosts[i]);
  return mixed;
}

}  // namespace aliquot
