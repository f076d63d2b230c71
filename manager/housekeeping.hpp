// What is looked after once a second and after each step, off the loop's own path: VM counters, which are
// read every two seconds and before and while a VM leaves its node, the bound on consoles, what is left of
// ended jobs, the sizes that nodes were to tell.
#pragma once

#include <functional>
#include <set>
#include <vector>

#include "config/settings.hpp"
#include "manager/background_tasks.hpp"
#include "manager/clock.hpp"
#include "manager/core/scheduler.hpp"
#include "manager/cpu_accounting.hpp"
#include "manager/hypervisor/libvirt/libvirt_hypervisor.hpp"
#include "manager/hypervisor/spool.hpp"
#include "manager/inbox.hpp"
#include "monitor/observer.hpp"

namespace aliquot {

class Housekeeping final : public Observer {
 public:
  // All outlive the watch. `settings` may be replaced by a reload between two calls.
  struct Parts {
    const Scheduler& scheduler;
    LibvirtHypervisor& hypervisor;
    Inbox& inbox;
    BackgroundTasks& files;
    BackgroundTasks& probes;
    CpuAccounting& book;
    const LiveClock& clock;
    const Settings& settings;
    const std::vector<NodeSettings>& nodes;  // by NodeId
  };
  explicit Housekeeping(Parts parts);

  void every_second(Instant now);
  // Jobs that are over give back what the spool keeps for them but their output; done already is no fault.
  void clear_away(const std::vector<JobOutcome>& ended);
  void on_durable(const Step& step) override;
  // What a node says of itself: the core learns what the configuration leaves to it, its size and devices.
  void learn(NodeId node, const NodeFacts& facts);

 private:
  void sample_nodes();
  void enter(const std::vector<VmSample>& samples);
  void bound_consoles();
  [[nodiscard]] bool wants_to_know(const Node& node) const;
  // A device that was named no more while a VM held it goes when the VM has.
  void forget_spent_devices();
  void ask(NodeId node);

  Parts parts_;
  Spool spool_;
  std::uint64_t seconds_ = 0;
  std::set<NodeId> asked_;
  std::set<NodeId> sampled_;
};

}  // namespace aliquot
