// Who holds how much of which device at one instant of a run, and whether what a job holds is what it asked
// for. Part of the verification of events: it shares no code with the checker, nor with the core.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "policies/model/view.hpp"

namespace aliquot {

class DeviceLedger {
 public:
  // The nodes must outlive it.
  explicit DeviceLedger(const std::vector<Node>& nodes) : nodes_(nodes) {}

  // What is wrong with the slots of this one job; empty: nothing.
  [[nodiscard]] std::string fault_of(const Demand& demand, const Placement& placement,
                                     const std::vector<DeviceSet>& devices) const;
  // Takes what it holds into account (sign 1) or out of it (-1).
  void hold(const Demand& demand, const Placement& placement, const std::vector<DeviceSet>& devices,
            int sign);
  // No device of the node is given beyond its parts.
  [[nodiscard]] bool fits(NodeId node) const;

 private:
  const std::vector<Node>& nodes_;
  std::map<std::uint32_t, std::vector<std::int64_t>> held_;  // by node, by slot
};

// What is wrong with the nodes of a job that is placed anew; empty: nothing.
[[nodiscard]] std::string fault_of_spread(const Demand& demand, const Placement& placement);

}  // namespace aliquot
