// The hypervisor backend for real VMs: libvirt and QEMU on the configured nodes.
//
// Start reading at backend.hpp (what the parts share) and node_worker.hpp (one node). Calls return at once;
// events are posted from threads of the call queues, of libvirt's event loop and of the watchdog. The
// destructor may be called at any time: VMs run on, no event is posted after it, and calls that a dead node
// never answers are abandoned. The core issues one action at a time for a VM; only Abort and Destroy may be
// issued while another action is in progress.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/settings.hpp"
#include "manager/hypervisor/epoch_fence.hpp"
#include "manager/hypervisor/hosts.hpp"
#include "manager/hypervisor/libvirt/call_observer.hpp"
#include "manager/hypervisor/libvirt/unreturned_calls.hpp"
#include "manager/hypervisor/node_hypervisor.hpp"
#include "manager/hypervisor/spool.hpp"
#include "manager/hypervisor/spool_space.hpp"
#include "manager/hypervisor/vm_identity.hpp"
#include "monitor/calendar.hpp"

namespace aliquot {

struct LibvirtSetup {
  HypervisorSettings hypervisor;
  std::vector<NodeSettings> nodes;  // by NodeId; one without a URI is never connected
  std::string spool_dir;
  std::string cluster;  // identity of the cluster in the VMs' metadata; constant for the life of the store
  std::uint64_t epoch = 0;  // number of starts of the manager
  Memory max_output = LimitSettings{}.max_output;
  CallObserver observer = {};
  std::shared_ptr<SpoolSpace> space{};  // null: all that the file system has
  std::vector<std::string> hosts = {};  // by NodeId: the UUIDs that are known of the nodes' hosts
  Hosts::Listener hosts_listener = {};
  // Of Instants, for files that outlive the store; as they are known when the manager starts.
  Calendar calendar{};
  std::function<void(NodeId, NodeSurvey)> on_survey = {};  // called on threads of the backend
  LocalSaves saves{};                                      // none: VMs are saved to the spool
  std::shared_ptr<SpoolSpace> save_space{};                // of the local saves
  std::shared_ptr<const EpochFence> fence{};               // null: no other manager reaches these nodes
  std::shared_ptr<UnreturnedCalls> calls{};  // with those of the backend before it; null: there was none
};

// Of the library that this program calls: "9.0.0". A node's own version is among its facts.
[[nodiscard]] std::string libvirt_version();

// A VM of this cluster found on a node, whether the core knows it or not.
struct StandingVm {
  VmIdentity identity;
  VmFact fact = VmFact::unknown;
};

struct Backend;
class CallQueue;
class Watchdog;

class LibvirtHypervisor final : public NodeHypervisor {
 public:
  LibvirtHypervisor(LibvirtSetup setup, Sink sink);
  ~LibvirtHypervisor() override;

  void perform(const Action& action, std::shared_ptr<const JobSpec> spec) override;
  void inspect(std::vector<VmQuery> queries) override;
  void sample(NodeId node, SampleSink done) override;
  void on_departure(SampleSink sink) override;
  void set_balloon(const VmBalloon& balloon) override;
  void forget(JobId job) override;

  void prepare_move(const VmMove& move, std::shared_ptr<const JobSpec> spec) override;
  void set_max_output(Memory limit) override;
  void set_node(NodeId id, const NodeSettings& node, const std::string& host) override;
  void remove_node(NodeId id) override;
  // The probe boots a guest under KVM, if the settings ask for KVM.
  [[nodiscard]] Result<NodeFacts> node_facts(NodeId node, Duration patience, bool probe) override;
  [[nodiscard]] Result<std::vector<StandingVm>> list_domains(NodeId node, Duration patience);
  [[nodiscard]] Result<NodeSurvey> survey(NodeId node, Duration patience) override;
  [[nodiscard]] Result<void> destroy_orphan(NodeId node, const Uuid& uuid, Duration patience) override;
  [[nodiscard]] Result<std::uint32_t> clear(NodeId node, Duration patience) override;
  [[nodiscard]] Result<void> suspend(NodeId node, Duration patience) override;
  [[nodiscard]] Result<std::unique_ptr<VmTerminal>> open_terminal(const TerminalTarget& target,
                                                                  TerminalListener listener) override;
  void write_off(NodeId node) override;
  void take_back(NodeId node) override;
  [[nodiscard]] bool held_by_other_cluster(NodeId node) const override;

 private:
  void connect(NodeId id, const NodeSettings& node);

  const HypervisorSettings settings_;
  const std::function<void(NodeId, NodeSurvey)> on_survey_;
  std::shared_ptr<Backend> backend_;
  std::shared_ptr<Hosts> hosts_;
  std::shared_ptr<Watchdog> watchdog_;
  std::shared_ptr<CallQueue> event_queue_;  // interprets events one after another
};

}  // namespace aliquot
