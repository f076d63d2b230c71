// The nodes of the manager by number, while they come, go and change their names: by the configuration at
// the start and at each reload, and by commands of operators (node_book.hpp). Tells the core, by an event
// of the next step, and the hypervisor, at once; keeps the book in the store and, in the settings, the
// nodes in force, what each node draws and how long it boots. A node that is not in force any more is
// removed: it stays connected while VMs of the cluster are on it, and is forgotten then. Belongs to the
// loop.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "config/settings.hpp"
#include "manager/core/scheduler.hpp"
#include "manager/hypervisor/node_hypervisor.hpp"
#include "manager/node_book.hpp"
#include "manager/step_input.hpp"
#include "manager/store/store.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

class NodeRoster {
 public:
  // All outlive this. `settings.nodes` are the nodes in force.
  struct Parts {
    const Scheduler& scheduler;
    Store& store;
    StepInput& input;
    Settings& settings;
    // Asks a connected node for what the settings leave to it.
    std::function<void(NodeId)> ask;
  };
  // Takes the nodes in force from the configuration and the book.
  NodeRoster(Parts parts, NodeBook book);

  // By NodeId: the settings of each node; without a URI if it is not to be connected.
  [[nodiscard]] const std::vector<NodeSettings>& nodes() const { return nodes_; }
  [[nodiscard]] const std::vector<std::int64_t>& speeds() const { return speeds_; }
  [[nodiscard]] std::vector<std::string> hosts() const;
  // Where it comes from (node_book.hpp), or kRemovedNode.
  [[nodiscard]] std::string source(const std::string& name) const;
  // What the first step is to know.
  [[nodiscard]] Configured at_start() const;
  // Before anything below.
  void use(NodeHypervisor& hypervisor);
  // A node that was asleep is to be back: whether it answers is reported from now on. Nothing happens to
  // one that is connected, or removed.
  void connect(NodeId node);
  // It sleeps: nothing is asked of it or reported until it is connected again.
  void disconnect(NodeId node) { hypervisor_->remove_node(node); }

  // The nodes that would be in force if the configuration named these.
  [[nodiscard]] std::vector<NodeSettings> in_force_with(const std::vector<NodeSettings>& configured) const;
  // The configuration names these nodes now.
  void reload(const std::vector<NodeSettings>& configured);
  // Commands. Errors say why not; nothing has changed then. With `dry_run` nothing changes in any case.
  [[nodiscard]] Result<void> add(const NodeSettings& node, std::uint32_t by, bool dry_run);
  [[nodiscard]] Result<void> remove(const std::string& name, std::uint32_t by, bool dry_run);
  [[nodiscard]] Result<void> rename(const std::string& from, const std::string& to, std::uint32_t by,
                                    bool dry_run);
  // The host that answers under this name is the node from now on.
  [[nodiscard]] Result<void> accept_host(const std::string& name, bool dry_run);

  // What a node reports of itself. One that is removed gets nothing new, though it answers.
  void changed(NodeChanged event);
  // A node has answered with this host.
  void learned(NodeId node, const std::string& host);
  // The host of `node` is `same`: if that one is not in force any more, it has been renamed.
  void same_host(NodeId node, NodeId same);
  // Forgets removed nodes on which no VM is left.
  void sweep();

 private:
  // The nodes in force are these; `renamed` are known under other names.
  void apply(std::vector<NodeSettings> in_force, const std::vector<NodeRenamed>& renamed);
  void renumber(const std::vector<NodeRenamed>& renamed);
  void connect_all();
  void keep_book();
  [[nodiscard]] std::optional<NodeId> find(const std::string& name) const;
  [[nodiscard]] bool is_in_force(const std::string& name) const;
  [[nodiscard]] Error not_in_force(const std::string& name) const;

  Parts parts_;
  NodeBook book_;
  NodeHypervisor* hypervisor_ = nullptr;
  std::vector<NodeSettings> configured_;  // as the configuration has them
  std::vector<NodeRenamed> renamed_at_start_;
  std::vector<NodeSettings> nodes_;
  std::vector<std::int64_t> speeds_;
};

}  // namespace aliquot
