#include "tools/sim/campaign/campaign.hpp"

namespace aliquot {

CellKey Campaign::key(const Instance& instance, const std::string& policy, Duration penalty) const {
  return {instance.workload, instance.seed, instance.load, std::to_string(instance.shape.nodes), policy,
          to_text(penalty)};
}

}  // namespace aliquot
