#include "tools/sim/campaign/papers/dfrs2010.hpp"

#include "tools/sim/campaign/papers/published.hpp"

namespace aliquot {
namespace {

void add_instance(Campaign& campaign, const Dfrs2010Options& options, std::uint32_t trace,
                  const std::optional<Decimal>& load) {
  const std::uint32_t seed = options.seed + trace;
  Maker maker;
  maker.shape.nodes = kTraceNodes;
  maker.make = [made = trace_of(options, seed, load)] { return dfrs_workload(made); };
  campaign.add({"dfrs", std::to_string(seed), load ? to_text(*load) : "", std::to_string(kTraceNodes)},
               std::move(maker));
}

}  // namespace

Campaign dfrs2010(const Dfrs2010Options& options) {
  Campaign campaign;
  CampaignPlan& plan = campaign.plan;
  plan.kind = "dfrs2010";
  plan.policies = with_published(options.also);
  plan.penalties = options.penalties;
  plan.options = plan_options(options);
  plan.options.emplace_back("penalties", joined(plan.penalties));
  plan.options.emplace_back("policies", joined(plan.policies));
  for (std::uint32_t trace = 0; trace < options.traces; ++trace)
    for (const auto& load : options.loads) add_instance(campaign, options, trace, load);
  return campaign;
}

}  // namespace aliquot
