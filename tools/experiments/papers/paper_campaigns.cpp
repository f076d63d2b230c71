#include "tools/experiments/papers/paper_campaigns.hpp"

#include <filesystem>

#include "tools/experiments/papers/published.hpp"
#include "tools/sim/workload/weeks.hpp"

namespace aliquot {
namespace {

void add_instance(Campaign& campaign, const Dfrs2010Options& options, std::uint32_t trace,
                  const std::optional<Decimal>& load) {
  const std::uint32_t seed = options.seed + trace;
  InstanceSource source;
  source.shape.nodes = kTraceNodes;
  source.make = [made = trace_of(options, seed, load)] { return dfrs_workload(made); };
  campaign.add({"dfrs", std::to_string(seed), load ? to_text(*load) : "", std::to_string(kTraceNodes)},
               std::move(source));
}

constexpr std::uint32_t kNodes = 120;

std::string week_name(std::size_t number) {
  const std::string digits = std::to_string(number);
  return "week-" + std::string(digits.size() < 3 ? 3 - digits.size() : 0, '0') + digits;
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

Result<Campaign> hpc2n(const Hpc2nOptions& options) {
  ReadOptions read;
  read.swf = ReadOptions::Swf::dfrs;
  read.shape.nodes = kNodes;
  read.shape.cores_per_node = 2;
  read.shape.node_memory = Memory{2'000'000'000};
  const auto log = read_workload(options.workload, read);
  if (!log) return tl::unexpected(log.error());
  std::vector<Workload> parts = weeks(*log);
  if (options.weeks > 0 && parts.size() > options.weeks) parts.resize(options.weeks);
  Campaign campaign;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].jobs.empty()) continue;
    InstanceSource source;
    source.shape = read.shape;
    source.make = [week = std::move(parts[i])]() -> Result<Workload> { return week; };
    campaign.add({week_name(i + 1), "", "", std::to_string(kNodes)}, std::move(source));
  }
  if (campaign.sources.empty())
    return fail(ErrorKind::invalid_argument, options.workload + ": has no jobs that can be simulated");
  CampaignPlan& plan = campaign.plan;
  plan.kind = "hpc2n";
  plan.policies = with_published(options.also);
  plan.penalties = options.penalties;
  plan.options = {{"workload", std::filesystem::path(options.workload).filename().string()},
                  {"sha256", log->sha256},
                  {"weeks", std::to_string(campaign.sources.size())},
                  {"jobs", std::to_string(log->jobs.size())},
                  {"skipped", std::to_string(log->skipped)},
                  {"penalties", joined(plan.penalties)},
                  {"policies", joined(plan.policies)}};
  return campaign;
}

}  // namespace aliquot
