// The ledger of devices during the verification of events: which job holds which part of which device at an
// instant, and whether a job holds what it asked for. It shares no code with the checker or the core.
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

  // The error in the slots of one job, or empty.
  [[nodiscard]] std::string fault_of(const Demand& demand, const Placement& placement,
                                     const std::vector<DeviceSet>& devices) const;
  // Adds what the job holds (sign 1), or removes it (-1).
  void hold(const Demand& demand, const Placement& placement, const std::vector<DeviceSet>& devices,
            int sign);
  // Whether no device of the node is given beyond its parts.
  [[nodiscard]] bool fits(NodeId node) const;

 private:
  const std::vector<Node>& nodes_;
  std::map<std::uint32_t, std::vector<std::int64_t>> held_;  // by node, by slot
};

// The error in the nodes of a newly placed job, or empty.
[[nodiscard]] std::string fault_of_spread(const Demand& demand, const Placement& placement);

}  // namespace aliquot
