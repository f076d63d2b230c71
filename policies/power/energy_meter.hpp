// What each node has drawn since the meter was made: what was measured, or its table of watts (energy.hpp).
// Exact for the table: between two readings a node draws the same, by its power and the CPU that the plan
// in force gives to its tasks. A node that was fenced is off; one that was removed draws nothing.
//
// A measured draw counts from when it is told until the next one, until it is too old, or until the node
// goes off. So a draw that was the average of an interval counts in the interval after that.
#pragma once

#include <optional>
#include <vector>

#include "policies/power/energy.hpp"
#include "policies/power/settings.hpp"

namespace aliquot::power {

class EnergyMeter {
 public:
  // What the nodes have drawn until `now` is added up; from now on they draw what this view says.
  void read(const ClusterView& view, Instant now, const PowerSettings& settings);
  // From now on the node draws this, until `until` at most. read() counts with it from its next call on.
  void measure(NodeId node, Watts draw, Instant until);
  // Until the last reading. 0 for a node that was not there.
  [[nodiscard]] Energy energy(NodeId node) const;
  // As of the last reading.
  [[nodiscard]] Watts draw(NodeId node) const;
  // None: its draw is that of the table.
  [[nodiscard]] std::optional<Watts> measured(NodeId node) const;

 private:
  struct Node {
    Energy energy;
    Watts draw;
    Watts measured;
    Instant measured_until{-1};
    bool is_measured = false;
  };
  std::vector<Node> nodes_;  // by number
  Instant read_;
};

}  // namespace aliquot::power
