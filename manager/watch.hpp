// What is looked after once a second and after each step, off the loop's own path: VM counters for the
// metrics, the bound on consoles, what is left of ended jobs, the sizes that nodes were to tell.
#pragma once

#include <functional>

#include "config/settings.hpp"
#include "manager/core/scheduler.hpp"
#include "manager/errands.hpp"
#include "manager/hypervisor/libvirt_hypervisor.hpp"
#include "manager/hypervisor/spool.hpp"
#include "manager/inbox.hpp"
#include "monitor/metrics.hpp"
#include "monitor/observer.hpp"

namespace aliquot {

class Watch final : public Observer {
 public:
  // All outlive the watch. `settings` may be replaced by a reload between two calls.
  struct Parts {
    const Scheduler& scheduler;
    LibvirtHypervisor& hypervisor;
    Inbox& inbox;
    Errands& files;
    Errands& probes;
    Metrics& metrics;
    const Settings& settings;
  };
  explicit Watch(Parts parts) : parts_(parts), spool_(parts.settings.spool_dir) {}

  void every_second(Instant now);
  // Jobs that are over give back what the spool keeps for them but their output; done already is no fault.
  void clear_away(const std::vector<JobOutcome>& ended);
  void on_step(const Step& step, const ClusterView& after) override;

 private:
  void sample_nodes();
  void bound_consoles();
  void ask_size(NodeId node);

  Parts parts_;
  Spool spool_;
  std::uint64_t seconds_ = 0;
};

}  // namespace aliquot
