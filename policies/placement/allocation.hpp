// Jobs placed in a draft together with the device slots that they get, and the plan of both.
//
// Makes no choice between jobs. Each job placed here runs at full yield: the nodes have the CPU free.
#pragma once

#include <map>
#include <vector>

#include "policies/draft.hpp"
#include "policies/model/free_devices.hpp"
#include "policies/placement/window.hpp"

namespace aliquot {

// Some of the nodes, a bit each.
class NodeSet {
 public:
  NodeSet() = default;  // without nodes, for good
  explicit NodeSet(std::size_t nodes) : words_((nodes + 63) / 64, 0) {}

  [[nodiscard]] bool contains(std::size_t n) const {
    return !words_.empty() && (words_[n / 64] >> n % 64 & 1) != 0;
  }
  void insert(std::size_t n) { words_[n / 64] |= std::uint64_t{1} << n % 64; }
  // Of the same number of nodes.
  void insert(const NodeSet& other) {
    for (std::size_t w = 0; w < words_.size(); ++w) words_[w] |= other.words_[w];
  }

 private:
  std::vector<std::uint64_t> words_;
};

// Tasks of this demand that fit the node beside what runs there, each at full yield; at most demand.tasks.
[[nodiscard]] std::uint32_t tasks_at_full_yield(const Node& node, const NodeLedger& room,
                                                const Demand& demand);

// One job on as few nodes as possible, those with the fewest devices first. The CPU of each node counts in
// tasks of the job. Empty: it does not fit.
[[nodiscard]] std::vector<ip::NodeAllocation> on_fewest_nodes(const Demand& demand,
                                                              const ip::NodeResources& nodes);

class Allocation {
 public:
  // The draft must place constrained jobs, too.
  explicit Allocation(Draft& draft) : draft_(draft), free_(free_devices(draft.view())) {}

  [[nodiscard]] const FreeDevices& free_devices_now() const { return free_; }

  // Places a request of the window; slices in the order in which their devices were chosen. False: a node
  // lacks the devices, nothing is done. That is possible where a node has more partly used devices than
  // ip::kPartialDevices.
  bool place(const Window& window, const std::vector<ip::NodeAllocation>& allocations);

  // Places one job by itself, by best fit: on the fewest nodes, of these on those with the least left of
  // the devices that it takes slices of, and of the CPU. False: it does not fit.
  bool place_alone(std::size_t entry, const NodeSet& excluded = {});
  [[nodiscard]] bool fits_alone(std::size_t entry) const { return !best_fit(entry, {}).empty(); }

  // The slots of a job that was placed here, parallel to its placement.
  [[nodiscard]] std::vector<DeviceSet> devices_of(std::size_t entry) const;

  [[nodiscard]] Plan plan() const;

 private:
  [[nodiscard]] std::vector<ip::NodeAllocation> best_fit(std::size_t entry, const NodeSet& excluded) const;
  bool place(std::size_t entry, const std::vector<ip::NodeAllocation>& allocations, const Window* window);

  Draft& draft_;
  FreeDevices free_;
  std::map<JobId, std::vector<DeviceSet>> slots_;
};

}  // namespace aliquot
