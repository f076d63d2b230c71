// Nodes that do not answer. After a while such a node is down; a node that is down is fenced by the
// command of the site, if there is one; a node that was fenced and answers again gets its old VMs removed
// before it is used. And nodes that are drained: their jobs are taken off them (drain.hpp). What happened
// becomes events: nothing is decided here. Belongs to the loop; commands and nodes are waited for by a
// background task.
//
// A node is never fenced because it does not answer. An operator says so (node.confirm_down), or the
// command does.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <set>

#include "config/settings.hpp"
#include "manager/background_tasks.hpp"
#include "manager/core/scheduler.hpp"
#include "manager/hypervisor/node_hypervisor.hpp"
#include "manager/inbox.hpp"
#include "monitor/observer.hpp"

namespace aliquot {

class NodeWatch final : public Observer {
 public:
  // All outlive this. `settings` may be replaced by a reload between two calls.
  struct Parts {
    const Scheduler& scheduler;
    NodeHypervisor& hypervisor;
    Inbox& inbox;
    BackgroundTasks& tasks;
    const Settings& settings;
    const std::atomic<bool>& stopping;  // ends a command that runs
  };
  explicit NodeWatch(Parts parts);

  void every_second(Instant now);
  void on_step(const Step& step, const ClusterView& after) override;

 private:
  void declare_down(const Node& node, const NodeRecord& record, Instant now);
  void fence(const Node& node, Instant now);
  void clear(const Node& node, Instant now);
  void drain(const Node& node, const Drain& drain, Instant now);
  // Says once that the node is empty, and once what is left at the deadline.
  void report(const Node& node, const Drain& drain, Instant now);
  // The node is being worked on, or is not to be tried again yet.
  [[nodiscard]] bool is_busy(NodeId node, Instant now) const;
  void done(NodeId node, Duration pause);

  Parts parts_;
  std::set<NodeId> under_way_;
  std::map<NodeId, Instant> not_before_;
  Instant now_;
};

}  // namespace aliquot
