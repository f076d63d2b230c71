#include "tools/experiments/placement/experiments.hpp"

#include <algorithm>
#include <array>

#include "policies/policy.hpp"
#include "tools/sim/generate/esp.hpp"
#include "tools/sim/generate/gpu_mix.hpp"

namespace aliquot {
namespace {

struct Row {
  const char* name;
  const char* policy;
  bool vary;
};
// IPSCHED, Table 5, and the two of Table 7.
constexpr std::array<Row, 8> kFirstPaper = {{
    {"1", "BACKFILL", false},
    {"2", "IPSCHED/objective=pr", false},
    {"3", "IPSCHED", false},
    {"4", "BACKFILL/priority=multifactor", false},
    {"5", "IPSCHED/priority=multifactor", false},
    {"6", "IPSCHED/objective=pr/priority=multifactor", false},
    {"7", "BACKFILL/priority=multifactor", true},
    {"8", "IPSCHED/objective=pr/priority=multifactor", true},
}};

struct SecondRow {
  const char* name;
  const char* policy;
  const char* words;
};
// AUCSCHED, Table 10.
constexpr std::array<SecondRow, 8> kSecondPaper = {{
    {"1", "BACKFILL", "backfill, basic"},
    {"2", "BACKFILL/priority=multifactor", "backfill, multifactor"},
    {"3", "IPSCHED", "IPSCHED p, basic"},
    {"4", "IPSCHED/priority=multifactor", "IPSCHED p, multifactor"},
    {"5", "IPSCHED/objective=pr", "IPSCHED p r, basic"},
    {"6", "IPSCHED/objective=pr/priority=multifactor", "IPSCHED p r, multifactor"},
    {"7", "AUCSCHED", "AUCSCHED, basic"},
    {"8", "AUCSCHED/priority=multifactor", "AUCSCHED, multifactor"},
}};

constexpr const char* kEsp = "ESP";
constexpr const char* kEspVaried = "ESP+-4";

Result<std::string> policy_named(std::string text, const StudyOptions& options) {
  const bool backfill = text.starts_with("BACKFILL");
  const std::string& interval = backfill ? options.backfill_interval : options.interval;
  if (!interval.empty()) text += "/interval=" + interval;
  if (!options.window.empty() && !backfill) text += "/window=" + options.window;
  if (!options.size.empty() && text.find("multifactor") != std::string::npos)
    text += "/size=" + options.size;
  const auto policy = make_policy(text);
  if (!policy) return tl::unexpected(policy.error());
  return (*policy)->name();
}

Study new_study(const StudyOptions& options) {
  Study study;
  study.first_seed = options.first_seed;
  study.seeds = options.seeds;
  return study;
}

using JobMaker = std::function<std::vector<GpuJob>(std::uint32_t seed)>;

JobMaker esp_maker(bool vary, const StudyOptions& options) {
  return [vary, sigma_s = options.sigma_s](std::uint32_t seed) {
    return esp_jobs({seed, true, vary, sigma_s, {}});
  };
}

Result<JobMaker> maker_of(const std::string& workload, const StudyOptions& options) {
  if (workload == kEsp || workload == kEspVaried) return esp_maker(workload == kEspVaried, options);
  const auto mix = gpu_mix_named(workload);
  if (!mix) return tl::unexpected(mix.error());
  return JobMaker([mix = *mix, sigma_s = options.sigma_s](std::uint32_t seed) {
    GpuMixOptions of;
    of.mix = mix;
    of.seed = seed;
    of.sigma_s = sigma_s;
    return gpu_mix_jobs(of);
  });
}

}  // namespace

Result<Study> esp_study(const StudyOptions& options) {
  Study study = new_study(options);
  for (const Row& row : kFirstPaper) {
    auto policy = policy_named(row.policy, options);
    if (!policy) return tl::unexpected(policy.error());
    study.experiments.push_back(
        {row.name, row.vary ? kEspVaried : kEsp, std::move(*policy), esp_maker(row.vary, options)});
  }
  return study;
}

std::vector<std::string> gpu_mix_workloads() {
  std::vector<std::string> names = {kEsp, kEspVaried};
  for (const GpuMix mix : kGpuMixes) names.push_back(name_of(mix));
  return names;
}

Result<Study> gpu_mix_study(const StudyOptions& options, const std::vector<std::string>& workloads) {
  Study study = new_study(options);
  for (const std::string& workload : workloads) {
    const auto jobs = maker_of(workload, options);
    if (!jobs) return tl::unexpected(jobs.error());
    for (const SecondRow& row : kSecondPaper) {
      auto policy = policy_named(row.policy, options);
      if (!policy) return tl::unexpected(policy.error());
      study.experiments.push_back({row.name, workload, std::move(*policy), *jobs});
    }
  }
  return study;
}

std::string gpu_mix_words(const std::string& experiment) {
  const auto row =
      std::ranges::find_if(kSecondPaper, [&](const SecondRow& r) { return experiment == r.name; });
  return row == kSecondPaper.end() ? std::string() : row->words;
}

}  // namespace aliquot
