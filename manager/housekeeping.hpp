// Housekeeping, once a second and after each step: reads the CPU counters of VMs (every two seconds, every
// second while the need or the memory of some job is learned, and before a VM leaves its node), fails jobs
// whose guests write too much, hears what guests announce and tells them which tasks their jobs have,
// removes the files of ended jobs and, once a minute, output that is not kept any longer, and asks nodes
// for the facts that the configuration leaves to them.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "config/settings.hpp"
#include "manager/background_tasks.hpp"
#include "manager/clock.hpp"
#include "manager/core/scheduler.hpp"
#include "manager/cpu_accounting.hpp"
#include "manager/guest_announcements.hpp"
#include "manager/hypervisor/node_hypervisor.hpp"
#include "manager/hypervisor/spool.hpp"
#include "manager/inbox.hpp"
#include "manager/intake/content_store.hpp"
#include "manager/memory_lending.hpp"
#include "manager/need_discovery.hpp"
#include "manager/step_input.hpp"
#include "manager/task_lists.hpp"
#include "monitor/observer.hpp"

namespace aliquot {

struct SpoolUse {
  std::optional<Memory> free;  // none: not known
  Memory ended;                // output of jobs that have ended
};

class Housekeeping final : public Observer {
 public:
  // All outlive this. `settings` may be replaced by a reload between two calls.
  struct Parts {
    const Scheduler& scheduler;
    NodeHypervisor& hypervisor;
    Inbox& inbox;
    BackgroundTasks& files;
    BackgroundTasks& probes;
    ContentStore& contents;
    CpuAccounting& accounting;
    NeedDiscovery& needs;
    MemoryLending& lending;
    const LiveClock& clock;
    const Settings& settings;
    const std::vector<NodeSettings>& nodes;  // by NodeId
    StepInput& input;                        // of the next step
    std::function<void(const std::string&)> warn;
  };
  explicit Housekeeping(Parts parts);

  void every_second(Instant now);
  // Removes what the spool keeps for jobs that have ended, except their output. May be repeated.
  void clear_away(const std::vector<JobOutcome>& ended);
  void on_durable(const Step& step) override;
  // As it was last looked at, about once a minute.
  [[nodiscard]] const SpoolUse& spool_use() const { return spool_use_; }
  // The facts of a node have arrived: tells the core its size and devices, where the configuration leaves
  // them to the node.
  void learn(NodeId node, const NodeFacts& facts);
  // The names of devices have changed: asks the nodes whose devices libvirt names.
  void ask_for_devices();
  // Asks a node for what the configuration leaves to it.
  void ask(NodeId node);

 private:
  void sample_nodes();
  void take_samples(const std::vector<VmSample>& samples);
  void bound_output(std::vector<RunningTask> running);
  // Removes the output of ended jobs that is not kept any longer.
  void bound_spool();
  // Of jobs that end now, each once.
  void release_contents(const std::vector<JobOutcome>& ended);
  [[nodiscard]] bool wants_to_know(const Node& node) const;
  // A device that was removed while a VM held it goes when the VM is gone.
  void forget_spent_devices();

  Parts parts_;
  Spool spool_;
  GuestAnnouncements announcements_;
  TaskLists task_lists_;
  SpoolUse spool_use_;
  bool looking_at_spool_ = false;
  std::uint64_t seconds_ = 0;
  std::set<NodeId> asked_;      // for facts, and have not answered yet
  std::set<NodeId> ask_later_;  // when the store can write again
  std::set<NodeId> sampled_;    // as asked_, for counters
};

}  // namespace aliquot
