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

class Starts {
 public:
  // What stands in the draft's view is as free_devices has it; the draft must place constrained jobs.
  explicit Starts(Draft& draft) : draft_(draft), free_(free_devices(draft.view())) {}

  [[nodiscard]] const FreeDevices& free() const { return free_; }

  // The spots of one request of the window: at least one.
  void put(const Window& window, const std::vector<ip::Spot>& spots);

  // One job by itself, wherever it fits best: where the fewest nodes do, on these where the least is left
  // over of the devices it takes a slice of, and of the CPU. False: there is no room for it.
  bool put_alone(std::size_t entry);
  [[nodiscard]] bool room_for(std::size_t entry) const { return !alone(entry).empty(); }

  // With the yields of the draft as it is now.
  [[nodiscard]] Plan plan() const;

 private:
  [[nodiscard]] std::vector<ip::Spot> alone(std::size_t entry) const;
  void place(std::size_t entry, const std::vector<ip::Spot>& spots, const Window* window);

  Draft& draft_;
  FreeDevices free_;
  std::map<JobId, std::vector<DeviceSet>> given_;
};

}  // namespace aliquot
