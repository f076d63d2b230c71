// Which host each node is. A node is known by its host's UUID, which libvirt reports: two nodes on one host
// would promise its capacity twice, and under the name of a node another host has none of its VMs. A node
// whose host is not known yet becomes the host that answers. Thread-safe.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "policies/model/error.hpp"
#include "policies/model/id.hpp"

namespace aliquot {

class Hosts {
 public:
  // Called when the host of a node has become known, and when a node was refused because its host is
  // another node; on the node's thread, without a lock.
  struct Listener {
    std::function<void(NodeId node, const std::string& host)> learned;
    std::function<void(NodeId node, NodeId same)> same_host;
  };
  explicit Hosts(Listener listener) : listener_(std::move(listener)) {}

  // What is known of a node: its name, and its host (empty: not known).
  void set(NodeId node, std::string name, std::string host);
  void remove(NodeId node);
  // May this node be used, whose host has this UUID? An empty one (libvirt reports none) may.
  [[nodiscard]] Result<void> admit(NodeId node, const std::string& host);

 private:
  struct Entry {
    std::string name;
    std::string host;
  };
  const Listener listener_;
  std::mutex mutex_;
  std::map<NodeId, Entry> nodes_;
};

}  // namespace aliquot
