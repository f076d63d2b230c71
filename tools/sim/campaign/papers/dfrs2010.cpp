#include "tools/sim/campaign/papers/dfrs2010.hpp"

#include "tools/sim/campaign/papers/published.hpp"
#include "tools/sim/generate/dfrs_workload.hpp"

namespace aliquot {
namespace {

constexpr std::uint32_t kNodes = 128;

void add_instance(Campaign& campaign, const Dfrs2010Options& options, std::uint32_t trace,
                  const std::optional<Decimal>& load) {
  const std::uint32_t seed = options.seed + trace;
  DfrsOptions made{seed, std::nullopt, options.jobs, kNodes};
  if (load) made.load = static_cast<double>(load->pico) / static_cast<double>(kPico);
  Maker maker;
  maker.shape.nodes = kNodes;
  maker.make = [made] { return dfrs_workload(made); };
  campaign.add({"dfrs", std::to_string(seed), load ? to_text(*load) : "", std::to_string(kNodes)},
               std::move(maker));
}

}  // namespace

Campaign dfrs2010(const Dfrs2010Options& options) {
  Campaign campaign;
  CampaignPlan& plan = campaign.plan;
  plan.kind = "dfrs2010";
  plan.policies = with_published(options.also);
  plan.penalties = options.penalties;
  std::vector<std::string> loads;
  for (const auto& load : options.loads) loads.push_back(load ? to_text(*load) : "unscaled");
  plan.options = {{"seed", std::to_string(options.seed)},
                  {"traces", std::to_string(options.traces)},
                  {"jobs", std::to_string(options.jobs)},
                  {"nodes", std::to_string(kNodes)},
                  {"loads", joined(loads)},
                  {"penalties", joined(plan.penalties)},
                  {"policies", joined(plan.policies)}};
  for (std::uint32_t trace = 0; trace < options.traces; ++trace)
    for (const auto& load : options.loads) add_instance(campaign, options, trace, load);
  return campaign;
}

}  // namespace aliquot
