// The backend that runs the VMs of all nodes: libvirt for those that the manager reaches itself, agents for
// the others (manager/hypervisor/agent).
#pragma once

#include <memory>

#include "manager/hypervisor/libvirt/libvirt_hypervisor.hpp"
#include "manager/hypervisor/node_hypervisor.hpp"

namespace aliquot {

// `setup.nodes` are all nodes, by NodeId. Without the manager's keys (hypervisor.agent_keys) nodes with
// agents are suspect, and say why. Agents know the epoch; `fence` is for the other nodes.
[[nodiscard]] std::unique_ptr<NodeHypervisor> open_backends(LibvirtSetup setup,
                                                            std::shared_ptr<const EpochFence> fence,
                                                            Hypervisor::Sink sink);

}  // namespace aliquot
