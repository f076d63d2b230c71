// The hypervisor backend for Xen: PV or PVH guests, and HVM guests for disk images, on the machine that the
// backend itself runs on (a dom0), through libxl's C API.
//
// Start reading at xen_node.hpp (what is known of the node's VMs), xen_action.hpp (one action on one VM)
// and xen_incoming_move.hpp (how a move is prepared). Calls return at once; events are posted from the one
// thread that talks to libxl (xen_loop.hpp). The destructor waits up to 20 s for operations under way; VMs
// run on. Migrate and the abort of a save are answered with ErrorKind::unsupported. docs/xen.md
// says what else is not there yet.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "config/settings.hpp"
#include "manager/hypervisor/libxl/xen_guests.hpp"
#include "manager/hypervisor/node_hypervisor.hpp"
#include "manager/hypervisor/spool_space.hpp"
#include "monitor/calendar.hpp"

namespace aliquot {

struct LibxlSetup {
  NodeId node;                        // the number of this machine among the cluster's nodes
  std::int64_t speed_ppm = kMillion;  // of its cores: parts per million of a reference core
  XenGuests guests = XenGuests::pv;   // that boot kernels from now on
  std::string guest_dir;              // of the files that guests boot from
  std::string spool_dir;
  std::string cluster;      // identity of the cluster; constant for the life of the store
  std::uint64_t epoch = 0;  // number of starts of the manager
  Memory max_output = LimitSettings{}.max_output;
  // Where xenconsoled, started with --log=guest, writes consoles: its --log-dir. The console of each VM is
  // a symbolic link from there into the spool.
  std::string console_log_dir = "/var/log/xen/console";
  Duration deadline = seconds(120);     // of an action; then its outcome is ErrorKind::timeout
  std::shared_ptr<SpoolSpace> space{};  // for memory images; null: all that the file system has
  Calendar calendar{};
  std::function<void(NodeSurvey)> on_survey{};  // every ten seconds, on the thread that talks to libxl
};

class XenNode;
class XenLoop;

class LibxlHypervisor final : public NodeHypervisor {
 public:
  // Finds the VMs of the cluster that run here already, and reports their ends from now on.
  // ErrorKind::unavailable: no Xen runs here. ErrorKind::unsupported: it cannot run PVH guests, and they
  // are asked for.
  [[nodiscard]] static Result<std::unique_ptr<LibxlHypervisor>> open(LibxlSetup setup, Sink sink);
  ~LibxlHypervisor() override;

  void perform(const Action& action, std::shared_ptr<const JobSpec> spec) override;
  void prepare_move(const VmMove& move, std::shared_ptr<const JobSpec> spec) override;
  void inspect(std::vector<VmQuery> queries) override;
  void sample(NodeId node, SampleSink done) override;
  void on_departure(SampleSink sink) override;
  void forget(JobId job) override;

  void set_max_output(Memory limit) override;
  // Its one node is the machine it runs on, and is there as long as the backend is.
  void set_node(NodeId, const NodeSettings&, const std::string&) override {}
  void remove_node(NodeId) override {}
  void write_off(NodeId) override {}
  void take_back(NodeId) override {}
  [[nodiscard]] Result<NodeFacts> node_facts(NodeId node, Duration patience, bool probe) override;
  [[nodiscard]] Result<NodeSurvey> survey(NodeId node, Duration patience) override;
  [[nodiscard]] Result<void> destroy_orphan(NodeId node, const Uuid& uuid, Duration patience) override;
  [[nodiscard]] Result<std::uint32_t> clear(NodeId node, Duration patience) override;
  [[nodiscard]] bool held_by_other_cluster(NodeId node) const override;

 private:
  LibxlHypervisor() = default;
  std::shared_ptr<XenNode> node_;
  std::unique_ptr<XenLoop> loop_;  // stops before the node goes
};

}  // namespace aliquot
