// What is free of every device of a cluster, in parts; and which slots of a node a job is to get.
//
// Knows devices and the jobs that hold them, but not CPU, memory, or where a job should go. It costs
// nothing on a cluster without devices. Slots that a node no longer has, because its configuration changed
// while a job held them, are passed over.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "policies/model/job.hpp"

namespace aliquot {

struct Node;
struct ClusterView;

class FreeDevices {
 public:
  FreeDevices() = default;
  // Everything is free.
  explicit FreeDevices(const std::vector<Node>& nodes);

  // No node has any device.
  [[nodiscard]] bool none() const { return parts_.empty(); }
  // By slot; negative where more is held than there is.
  [[nodiscard]] std::span<const std::int32_t> on(NodeId node) const {
    if (parts_.empty()) return {};
    return {parts_.data() + first_[node.raw], first_[node.raw + 1] - first_[node.raw]};
  }
  // These slots of the node, `parts` of each: taken (sign -1) or given back (1).
  void change(NodeId node, DeviceSet slots, std::uint16_t parts, int sign);
  // All that the job holds.
  void take(const Job& job) { change(job, -1); }
  void give(const Job& job) { change(job, 1); }

  friend bool operator==(const FreeDevices&, const FreeDevices&) = default;

 private:
  void change(const Job& job, int sign);

  std::vector<std::uint32_t> first_;  // of node n: parts_[first_[n], first_[n + 1])
  std::vector<std::int32_t> parts_;
};

// What the jobs that stand in this view leave over. O(nodes + jobs), or a copy where the view has an index.
[[nodiscard]] FreeDevices free_devices(const ClusterView& view);

// Slots of this node for one job: whole devices from the lowest slot on, a slice where the least is left
// that is enough (the lowest of those). None: there are not so many. `free`: by slot.
[[nodiscard]] std::optional<DeviceSet> pick_devices(const Node& node, std::span<const std::int32_t> free,
                                                    const DeviceDemand& demand);

}  // namespace aliquot
