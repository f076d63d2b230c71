#include "tools/sim/campaign/dfrs2010.hpp"

#include <algorithm>

#include "tools/sim/campaign/published.hpp"
#include "tools/sim/generate/dfrs_workload.hpp"

namespace aliquot {
namespace {

constexpr std::uint32_t kNodes = 128;

std::string joined(const std::vector<std::string>& texts) {
  std::string text;
  for (const std::string& part : texts) text += (text.empty() ? "" : ",") + part;
  return text;
}

Instance make_instance(const Dfrs2010Options& options, std::uint32_t trace,
                       const std::optional<Decimal>& load) {
  Instance instance;
  const std::uint32_t seed = options.seed + trace;
  instance.workload = "dfrs";
  instance.seed = std::to_string(seed);
  if (load) instance.load = to_text(*load);
  instance.shape.nodes = kNodes;
  DfrsOptions made{seed, std::nullopt, options.jobs, kNodes};
  if (load) made.load = static_cast<double>(load->pico) / static_cast<double>(kPico);
  instance.make = [made] { return dfrs_workload(made); };
  return instance;
}

}  // namespace

Campaign dfrs2010(const Dfrs2010Options& options) {
  Campaign campaign;
  campaign.kind = "dfrs2010";
  campaign.policies = published_policies();
  for (const std::string& policy : options.also)
    if (std::ranges::find(campaign.policies, policy) == campaign.policies.end())
      campaign.policies.push_back(policy);
  campaign.penalties = options.penalties;
  std::vector<std::string> loads;
  std::vector<std::string> penalties;
  for (const auto& load : options.loads) loads.push_back(load ? to_text(*load) : "unscaled");
  for (const Duration penalty : options.penalties) penalties.push_back(to_text(penalty));
  for (std::uint32_t trace = 0; trace < options.traces; ++trace)
    for (const auto& load : options.loads)
      campaign.instances.push_back(make_instance(options, trace, load));
  campaign.options = {{"seed", std::to_string(options.seed)},
                      {"traces", std::to_string(options.traces)},
                      {"jobs", std::to_string(options.jobs)},
                      {"nodes", std::to_string(kNodes)},
                      {"loads", joined(loads)},
                      {"penalties", joined(penalties)},
                      {"policies", joined(campaign.policies)}};
  return campaign;
}

}  // namespace aliquot
