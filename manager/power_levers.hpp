// What can be done to the power of a node: the levers. Calls return at once; each answers exactly once,
// later and on the loop, unless the manager stops before.
//
// SitePowerLevers are those of a site: its commands (`power.*_command` of the settings), libvirt's
// suspension to memory where there is no off_command, and the connection to the node. Commands and nodes
// are waited for on threads of their own, so that nodes do not wait for each other.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "config/settings.hpp"
#include "manager/background_tasks.hpp"
#include "manager/hypervisor/node_hypervisor.hpp"
#include "manager/inbox.hpp"
#include "manager/node_roster.hpp"

namespace aliquot {

// What the meter of a node said, and when, by a clock that only goes forward.
struct MeterLine {
  std::string text;
  Duration at;
};

class PowerLevers {
 public:
  // What the lever said. An error says why it did not work.
  using Done = std::function<void(const Result<std::string>&)>;
  using Metered = std::function<void(const Result<MeterLine>&)>;

  PowerLevers() = default;
  PowerLevers(const PowerLevers&) = delete;
  PowerLevers& operator=(const PowerLevers&) = delete;
  virtual ~PowerLevers() = default;

  // Success: the node is off. May be called for one that is off already.
  virtual void switch_off(NodeId node, Done done) = 0;
  // Success: the node boots. May be called for one that boots or is on already.
  virtual void switch_on(NodeId node, Done done) = 0;
  // Whether it answers is reported from here on, as NodeChanged; one that is connected is connected anew.
  virtual void connect(NodeId node) = 0;
  // Nothing is asked of it or reported any more.
  virtual void disconnect(NodeId node) = 0;
  // Asks a node that answers for what the configuration leaves to it.
  virtual void take_inventory(NodeId node, Done done) = 0;
  // Asks the site what the node draws.
  virtual void read_meter(NodeId node, Metered done) = 0;
};

class SitePowerLevers final : public PowerLevers {
 public:
  // All outlive this. `settings` may be replaced by a reload between two calls.
  struct Parts {
    NodeHypervisor& hypervisor;
    NodeRoster& roster;
    Inbox& inbox;
    const Settings& settings;
    const std::atomic<bool>& stopping;                      // ends commands that run
    std::function<void(NodeId, const NodeFacts&)> learned;  // of the inventory; on the loop
  };
  explicit SitePowerLevers(Parts parts) : parts_(std::move(parts)) {}

  void switch_off(NodeId node, Done done) override;
  void switch_on(NodeId node, Done done) override;
  void connect(NodeId node) override;
  void disconnect(NodeId node) override;
  void take_inventory(NodeId node, Done done) override;
  void read_meter(NodeId node, Metered done) override;

 private:
  using Work = std::function<Result<std::string>()>;
  using Threads = std::array<std::unique_ptr<BackgroundTasks>, 8>;
  // The thread for nodes of this number, which is made when it is first needed.
  [[nodiscard]] BackgroundTasks& thread_of(Threads& threads, NodeId node);
  void run(Threads& threads, NodeId node, Work work, Done done);
  [[nodiscard]] Result<std::string> suspend(NodeId node, Duration takes);

  Parts parts_;
  Threads off_;
  Threads meters_;
  Threads on_;  // also inventories: no job waits for a node that goes off
};

}  // namespace aliquot
