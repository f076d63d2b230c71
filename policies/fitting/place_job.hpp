// Where one job goes when nobody else is moved: the nodes with the best scores, as many as it needs.
#pragma once

#include <optional>
#include <vector>

#include "policies/fitting/node_offers.hpp"
#include "policies/model/plan.hpp"

namespace aliquot {

struct FittedPlace {
  Placement placement;             // in increasing node
  std::vector<DeviceSet> devices;  // parallel to it; empty for a job without devices
};

// None: it does not fit now. The spread that it asks for is kept.
[[nodiscard]] std::optional<FittedPlace> place_job(const Demand& demand, NodeOffers& nodes);

}  // namespace aliquot
