// Putting chosen jobs on their nodes: places in a draft, slots of devices, and the plan of both.
//
// Knows no window and no choice. Whoever is put here gets all it needs: the nodes have the CPU free.
#pragma once

#include <map>
#include <vector>

#include "policies/draft.hpp"
#include "policies/model/free_devices.hpp"
#include "policies/placement/rooms.hpp"
#include "policies/placement/window.hpp"

namespace aliquot {

// Nodes that must be left alone, a bit each. Empty: none.
using Barred = std::vector<std::uint64_t>;
[[nodiscard]] inline bool is_barred(const Barred& barred, std::size_t n) {
  return !barred.empty() && (barred[n / 64] >> n % 64 & 1) != 0;
}

// Tasks of this demand that the node could hold beside what it has, each at full yield.
[[nodiscard]] std::uint32_t whole_tasks(const Node& node, const NodeLedger& room, const Demand& demand);

// One job by itself, where the cells' CPU counts its tasks: on as few nodes as it can, those with the least
// devices first. Empty: there is no room.
[[nodiscard]] std::vector<ip::Spot> on_fewest(const Demand& demand, const ip::NodeCells& cells);

class Starts {
 public:
  // What stands in the draft's view is as free_devices has it; the draft must place constrained jobs.
  explicit Starts(Draft& draft) : draft_(draft), free_(free_devices(draft.view())) {}

  [[nodiscard]] const FreeDevices& free() const { return free_; }

  // The spots of one request of the window: at least one. Slices are to be put in the order in which they
  // were picked. False: some node does not have the devices, nothing is done; that may be where a node has
  // more cut devices than ip::kCuts.
  bool put(const Window& window, const std::vector<ip::Spot>& spots);

  // One job by itself, wherever it fits best: where the fewest nodes do, on these where the least is left
  // over of the devices it takes a slice of, and of the CPU. False: there is no room for it.
  bool put_alone(std::size_t entry, const Barred& barred = {});
  [[nodiscard]] bool room_for(std::size_t entry) const { return !alone(entry).empty(); }

  // Slots of a job that was put here, parallel to its placement.
  [[nodiscard]] std::vector<DeviceSet> devices_of(std::size_t entry) const;

  // With the yields of the draft as it is now.
  [[nodiscard]] Plan plan() const;

 private:
  [[nodiscard]] std::vector<ip::Spot> alone(std::size_t entry, const Barred& barred = {}) const;
  bool place(std::size_t entry, const std::vector<ip::Spot>& spots, const Window* window);

  Draft& draft_;
  FreeDevices free_;
  std::map<JobId, std::vector<DeviceSet>> given_;
};

}  // namespace aliquot
