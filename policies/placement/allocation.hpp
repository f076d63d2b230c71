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

// Tasks of this demand that so much CPU and memory hold, each at full yield; at most demand.tasks.
[[nodiscard]] std::uint32_t tasks_within(Cpu cpu, Memory memory, const Demand& demand);
// The same on a node, beside what runs there.
[[nodiscard]] inline std::uint32_t tasks_at_full_yield(const Node& node, const NodeLedger& room,
                                                       const Demand& demand) {
  return tasks_within(node.capacity - room.load, room.free, demand);
}

// One job on as few nodes as possible, those with the fewest devices first. The CPU of each node counts in
// tasks of the job. Empty: it does not fit.
[[nodiscard]] std::vector<ip::NodeAllocation> on_fewest_nodes(const Demand& demand,
                                                              const ip::NodeResources& nodes);

class Allocation {
 public:
  // The draft must place constrained jobs, too.
  explicit Allocation(Draft& draft) : draft_(draft), free_(free_devices(draft.view())) {}

  [[nodiscard]] const Draft& draft() const { return draft_; }
  [[nodiscard]] const FreeDevices& free_devices_now() const { return free_; }

  // Places a request of the window; slices in the order in which their devices were chosen. False: a node
  // lacks the devices, nothing is done. That is possible where a node has more partly used devices than
  // ip::kPartialDevices.
  bool place(const Window& window, const std::vector<ip::NodeAllocation>& allocations);

  // Places one job where the caller has chosen, with these slots, parallel to the placement.
  void place(std::size_t entry, Shares placement, std::vector<DeviceSet> slots);
  // Places one job by itself, by best fit: on the fewest nodes, of these on those with the least left of
  // the devices that it takes slices of, and of the CPU. False: it does not fit. `excluded`: by node;
  // empty: none.
  bool place_alone(std::size_t entry, const std::vector<bool>& excluded = {});
  [[nodiscard]] bool fits_alone(std::size_t entry) const { return !best_fit(entry, {}).empty(); }

  // The slots of a job that was placed here, parallel to its placement.
  [[nodiscard]] std::vector<DeviceSet> devices_of(std::size_t entry) const;

  [[nodiscard]] Plan plan() const;

 private:
  [[nodiscard]] std::vector<ip::NodeAllocation> best_fit(std::size_t entry,
                                                         const std::vector<bool>& excluded) const;
  bool place(std::size_t entry, const std::vector<ip::NodeAllocation>& allocations, const Window* window);

  Draft& draft_;
  FreeDevices free_;
  std::map<JobId, std::vector<DeviceSet>> slots_;
};

}  // namespace aliquot
