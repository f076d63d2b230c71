#include "manager/hypervisor/hosts.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace aliquot {

void Hosts::set(NodeId node, std::string name, std::string host) {
  const std::lock_guard lock(mutex_);
  nodes_[node] = {std::move(name), std::move(host)};
}

void Hosts::remove(NodeId node) {
  const std::lock_guard lock(mutex_);
  nodes_.erase(node);
}

Result<void> Hosts::admit(NodeId node, const std::string& host) {
  if (host.empty()) return {};
  std::optional<NodeId> same;
  {
    const std::lock_guard lock(mutex_);
    Entry& entry = nodes_[node];
    if (entry.host == host) return {};
    if (!entry.host.empty()) {
      return fail(ErrorKind::refused, "node " + entry.name + ": its host has the UUID " + host +
                                          ", and had " + entry.host +
                                          ": this is another machine, or host_uuid in its libvirtd.conf "
                                          "has changed; correct its uri, or "
                                          "say `aliquot node accept-host " +
                                          entry.name + "` if no VM runs on the old one any more");
    }
    const auto other = std::ranges::find_if(
        nodes_, [&](const auto& each) { return each.first != node && each.second.host == host; });
    if (other == nodes_.end())
      entry.host = host;
    else
      same = other->first;
  }
  if (!same) {
    if (listener_.learned) listener_.learned(node, host);
    return {};
  }
  if (listener_.same_host) listener_.same_host(node, *same);
  const std::lock_guard lock(mutex_);
  return fail(ErrorKind::conflict, "node " + nodes_[node].name + ": its host (" + host + ") is node " +
                                       nodes_[*same].name +
                                       " already: name each machine once, or say `aliquot node rename " +
                                       nodes_[*same].name + " " + nodes_[node].name + "`");
}

}  // namespace aliquot
