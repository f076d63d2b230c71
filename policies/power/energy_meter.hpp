// What each node has drawn since the meter was made, from its table of watts (energy.hpp). Exact: between
// two readings a node draws the same, by its power and the CPU that the plan in force gives to its tasks.
// A node that was fenced is off; one that was removed draws nothing.
#pragma once

#include <vector>

#include "policies/power/energy.hpp"
#include "policies/power/settings.hpp"

namespace aliquot::power {

class EnergyMeter {
 public:
  // What the nodes have drawn until `now` is added up; from now on they draw what this view says.
  void read(const ClusterView& view, Instant now, const PowerSettings& settings);
  // Until the last reading. 0 for a node that was not there.
  [[nodiscard]] Energy energy(NodeId node) const;
  // As of the last reading.
  [[nodiscard]] Watts draw(NodeId node) const;

 private:
  struct Node {
    Energy energy;
    Watts draw;
  };
  std::vector<Node> nodes_;  // by number
  Instant read_;
};

}  // namespace aliquot::power
