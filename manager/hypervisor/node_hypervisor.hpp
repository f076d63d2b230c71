// A hypervisor backend as the manager uses it: the actions of the port (hypervisor.hpp), and what else the
// manager asks and says of nodes while they come and go. Implemented by the libvirt backend, by the libxl
// backend on its own machine, and by what reaches either of them through a node's agent.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/settings.hpp"
#include "manager/hypervisor/hypervisor.hpp"
#include "manager/hypervisor/node_device.hpp"
#include "manager/hypervisor/node_survey.hpp"
#include "manager/hypervisor/numa_cells.hpp"
#include "manager/hypervisor/vm_identity.hpp"
#include "manager/hypervisor/vm_terminal.hpp"

namespace aliquot {

struct NodeFacts {
  std::uint32_t cores = 0;
  Memory memory;
  std::string hypervisor;  // "QEMU 7.2.22, libvirt 9.0.0", "Xen 4.17.4, scheduler credit2"
  std::string
      acceleration;  // "kvm", "emulation", "none" (KVM is required and does not work), "not probed yet"
  std::string note;  // what it cannot do, and why: use KVM, if that was tried; boot disk images
  std::vector<NodeDevice> devices;  // PCI and mediated devices, by place
  std::string devices_unknown;      // why they could not be listed; empty: success
  std::vector<NumaCell> cells{};    // empty: the node does not tell
  CellLoads cell_loads{};
};

// The clocks of many machines take no later alarm.
inline constexpr Duration kSuspendedFor = seconds(86'400);

// The move `op` of a VM between nodes that do not share a backend.
struct VmMove {
  OpId op;
  std::uint32_t task = 0;
  NodeId from;
  NodeId to;
  // libvirt URI by which the source reaches the destination: a migrate of the VM follows on the source.
  // Empty: the VM is saved on the source and restored on the destination.
  std::string to_uri{};
  Bandwidth bandwidth{};  // at most, of what is sent to that URI; 0: it is not limited
};

class NodeHypervisor : public Hypervisor {
 public:
  // Called on the backends of both nodes before the move. The destination then expects the VM. Where it is
  // to be saved and restored, this shortens the time for which it stands still: the source may write the
  // memory while the VM runs, and the destination may read the image while it is written. Has no outcome.
  // What was announced may fail to follow. By default, nothing is prepared.
  virtual void prepare_move(const VmMove&, std::shared_ptr<const JobSpec>) {}

  // The largest output of a task, for VMs that are created from now on.
  virtual void set_max_output(Memory limit) = 0;

  // Called by the loop. Connects a node, or connects it anew if it is reached in another way than before;
  // `host` is the UUID that is known of its host, or empty. Actions in progress complete.
  virtual void set_node(NodeId id, const NodeSettings& node, const std::string& host) = 0;
  // Disconnects it; its VMs run on.
  virtual void remove_node(NodeId id) = 0;

  // These four block for at most `patience`; they are called at the start of the daemon and for operators'
  // requests, on other threads than the loop's. With `probe`, what the node can do is tried first (30 s),
  // unless it has been tried already.
  [[nodiscard]] virtual Result<NodeFacts> node_facts(NodeId node, Duration patience, bool probe) = 0;
  [[nodiscard]] virtual Result<NodeSurvey> survey(NodeId node, Duration patience) = 0;
  // Destroys a domain of this cluster that no job knows.
  [[nodiscard]] virtual Result<void> destroy_orphan(NodeId node, const Uuid& uuid, Duration patience) = 0;
  // Destroys all VMs of this cluster on the node, and returns how many there were. For a node that was
  // written off and answers again: each of them is of an earlier time.
  [[nodiscard]] virtual Result<std::uint32_t> clear(NodeId node, Duration patience) = 0;

  // Suspends a node without VMs to memory: it takes some seconds from here on until it sleeps. It wakes by
  // itself after kSuspendedFor.
  [[nodiscard]] virtual Result<void> suspend(NodeId, Duration) {
    return fail(
        ErrorKind::unsupported,
        "it has an agent or runs Xen, and only nodes of libvirt that the manager reaches itself can be "
        "suspended without a command: write power.off_command");
  }

  // Blocks until the node answers. Another terminal on the same VM ends.
  [[nodiscard]] virtual Result<std::unique_ptr<VmTerminal>> open_terminal(const TerminalTarget&,
                                                                          TerminalListener) {
    return fail(ErrorKind::unsupported, "its node runs Xen, whose guests have no terminal yet");
  }

  // The node is off: no VM is there, and nothing waits for it. Until it is taken back.
  virtual void write_off(NodeId node) = 0;
  virtual void take_back(NodeId node) = 0;

  // Do VMs of another cluster run on the node? Such a node is suspect, and nothing on it is touched.
  [[nodiscard]] virtual bool held_by_other_cluster(NodeId node) const = 0;
  // Messages from the node that were not understood.
  [[nodiscard]] virtual std::uint64_t messages_refused(NodeId) const { return 0; }
  // What the node has refused to managers whose epoch is over, as far as it tells.
  [[nodiscard]] virtual std::uint64_t epochs_refused(NodeId) const { return 0; }
};

}  // namespace aliquot
