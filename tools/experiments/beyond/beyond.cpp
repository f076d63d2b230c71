#include "tools/experiments/beyond/beyond.hpp"

#include <algorithm>

#include "manager/hypervisor/model/chance.hpp"
#include "tools/experiments/papers/paper_campaigns.hpp"
#include "tools/sim/compare/policy_list.hpp"
#include "tools/sim/run_trial.hpp"

namespace aliquot {
namespace {

void add_instance(Campaign& campaign, const BeyondOptions& options, std::uint32_t seed,
                  const std::optional<Decimal>& load, bool wrong) {
  InstanceSource source;
  source.shape.nodes = kTraceNodes;
  source.make = [made = trace_of(options, seed, load), wrong, shape = source.shape]() -> Result<Workload> {
    auto workload = dfrs_workload(made);
    if (!workload || !wrong) return workload;
    return with_wrong_needs(*std::move(workload), made.seed, shape);
  };
  campaign.add({wrong ? "dfrs-wrong-needs" : "dfrs", std::to_string(seed), load ? to_text(*load) : "",
                std::to_string(kTraceNodes)},
               std::move(source));
}

std::vector<std::string> all_policies(const BeyondOptions& options) {
  std::vector<std::string> names = {std::string(kAliquot)};
  const auto add = [&](const std::vector<std::string>& more) {
    for (const std::string& name : more)
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  add(baselines());
  add(aliquot_variants());
  add(options.also);
  add({std::string(kLowerBound)});
  return names;
}

Result<void> add_weeks(Campaign& campaign, const BeyondOptions& options) {
  auto weeks = hpc2n({options.workload, options.penalties, {}, options.weeks});
  if (!weeks) return tl::unexpected(weeks.error());
  for (std::size_t i = 0; i < weeks->sources.size(); ++i)
    campaign.add(weeks->plan.instances[i], std::move(weeks->sources[i]));
  for (const auto& [name, value] : weeks->plan.options)
    if (name == "sha256" || name == "weeks") campaign.plan.options.emplace_back("hpc2n_" + name, value);
  return {};
}

}  // namespace

Workload with_wrong_needs(Workload workload, std::uint32_t seed, const ClusterShape& shape) {
  const Chance chance(seed);
  const Cpu node = shape.capacity();
  for (WorkloadJob& job : workload.jobs) {
    Demand& demand = job.submission.demand;
    if (chance.draw(job.id.raw, 0, 7) % 2 == 0) {
      demand.need = std::min(node, demand.need * 2);
      job.cpu_need.pico = std::min(SmallDecimal(Decimal{kPico}).pico, job.cpu_need.pico * 2);
    } else {
      demand.need = std::max(Cpu{1}, Cpu{demand.need.raw / 2});
      job.cpu_need.pico = std::max<std::int64_t>(1, job.cpu_need.pico / 2);
      job.submission.alone = job.submission.alone * 2;
      if (demand.estimate) demand.estimate = *demand.estimate * 2;
    }
  }
  return workload;
}

Result<Campaign> beyond(const BeyondOptions& options) {
  Campaign campaign;
  CampaignPlan& plan = campaign.plan;
  plan.kind = "beyond";
  plan.policies = all_policies(options);
  plan.penalties = options.penalties;
  plan.options = plan_options(options);
  plan.options.emplace_back("wrong_needs", options.wrong_needs ? "yes" : "no");
  plan.options.emplace_back("penalties", joined(plan.penalties));
  plan.options.emplace_back("policies", joined(plan.policies));
  for (const bool wrong : {false, true}) {
    if (wrong && !options.wrong_needs) continue;
    for (std::uint32_t trace = 0; trace < options.traces; ++trace)
      for (const auto& load : options.loads)
        add_instance(campaign, options, options.seed + trace, load, wrong);
  }
  if (options.workload.empty()) return campaign;
  if (auto added = add_weeks(campaign, options); !added) return tl::unexpected(added.error());
  return campaign;
}

const std::vector<std::string>& tpds2012_policies() {
  static const std::vector<std::string> field = {
      "GreedyPM*/per=600",
      "GreedyPM*/per=600/MINVT=600",
      "GreedyPM*/OPT=MIN",
      "GreedyPM*/per=600/OPT=MIN/MINVT=600",
      "GreedyPM*/per=600/OPT=MIN/MINFT=600",
      "GreedyP*/per=600/OPT=MIN/MINVT=600",
      "Greedy*/per=600/OPT=MIN/MINVT=600",
      "GreedyPM*/stretch-per=600/OPT=MAX/MINVT=600",
  };
  return field;
}

const std::vector<std::string>& aliquot_variants() {
  static const std::vector<std::string> variants = {
      "ALIQUOT:pause=off", "ALIQUOT:urgent=off", "ALIQUOT:yields=fair", "ALIQUOT:hurry=off",
      "ALIQUOT:local=off", "ALIQUOT:repack=on",  "ALIQUOT:budget=off",  "ALIQUOT:floor=0",
      "ALIQUOT:cost=33%",  "ALIQUOT:cost=300%",
  };
  return variants;
}

std::vector<std::string> baselines() {
  std::vector<std::string> names = dfrs2010_policies();
  names.insert(names.end(), tpds2012_policies().begin(), tpds2012_policies().end());
  return names;
}

}  // namespace aliquot
