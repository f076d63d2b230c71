#include "tools/sim/campaign/campaign.hpp"

namespace aliquot {

std::vector<CellKey> CampaignPlan::keys(const InstanceName& instance) const {
  std::vector<CellKey> list;
  for (const std::string& policy : policies)
    for (const std::string& penalty : penalties)
      list.push_back({instance.workload, instance.seed, instance.load, instance.nodes, policy, penalty});
  return list;
}

std::string joined(const std::vector<std::string>& texts) {
  std::string text;
  for (const std::string& part : texts) text.append(text.empty() ? "" : ",").append(part);
  return text;
}

}  // namespace aliquot
