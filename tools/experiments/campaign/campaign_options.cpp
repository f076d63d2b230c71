#include "tools/experiments/campaign/campaign_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <thread>

#include "tools/sim/compare/policy_list.hpp"
#include "tools/sim/exec/exec_policy.hpp"
#include "tools/sim/option_values.hpp"
#include "tools/sim/workload/limits.hpp"

namespace aliquot {

void add_trace_options(CLI::App& command, TypedTraces& typed, const std::string& about_seeds) {
  command.add_option("--traces", typed.traces, "so many traces of each load")->capture_default_str();
  command.add_option("--loads", typed.loads, "offered loads; unscaled: as the model has them")
      ->delimiter(',')
      ->capture_default_str();
  command.add_option("--jobs", typed.jobs, "of each trace")->capture_default_str();
  command.add_option("--seed", typed.seed, "of the first trace; " + about_seeds)->capture_default_str();
}

Result<unsigned> workers_of(const std::string& text) {
  constexpr std::uint64_t most = 1'024;
  if (text.empty()) return std::max(1U, std::thread::hardware_concurrency());
  const auto workers = count_option("--workers", text, most);
  if (!workers) return tl::unexpected(workers.error());
  return static_cast<unsigned>(*workers);
}

Result<std::vector<std::string>> penalties_of(const std::vector<std::string>& texts) {
  std::vector<Duration> penalties;
  for (const std::string& text : texts) {
    const auto penalty = number_option("--penalty", text, kLongestRuntime);
    if (!penalty) return tl::unexpected(penalty.error());
    penalties.push_back(to_duration(*penalty));
  }
  std::ranges::sort(penalties);
  penalties.erase(std::unique(penalties.begin(), penalties.end()), penalties.end());
  std::vector<std::string> canonical;
  for (const Duration penalty : penalties) canonical.push_back(to_text(penalty));
  return canonical;
}

Result<std::vector<std::optional<Decimal>>> loads_of(const std::vector<std::string>& texts) {
  std::vector<std::optional<Decimal>> loads;
  for (const std::string& text : texts) {
    if (text == "unscaled") {
      loads.emplace_back();
      continue;
    }
    const auto load = number_option("--loads", text, Decimal{100 * kPico});
    if (!load) return tl::unexpected(load.error());
    if (load->pico == 0) return tl::unexpected(bad_option("--loads", "must be more than 0"));
    loads.emplace_back(*load);
  }
  std::ranges::sort(loads, [](const auto& a, const auto& b) { return a && (!b || *a < *b); });
  loads.erase(std::unique(loads.begin(), loads.end()), loads.end());
  return loads;
}

Result<std::vector<Decimal>> scaled_loads_of(const std::vector<std::string>& texts) {
  const auto checked = loads_of(texts);
  if (!checked) return tl::unexpected(checked.error());
  std::vector<Decimal> loads;
  for (const auto& load : *checked) {
    if (!load) return tl::unexpected(bad_option("--loads", "'unscaled' is no load: give numbers"));
    loads.push_back(*load);
  }
  return loads;
}

Result<std::vector<std::string>> canonical(const std::vector<std::string>& lists) {
  std::vector<std::string> names;
  for (const std::string& list : lists) {
    for (const std::string& spec : split_policies(list)) {
      const auto policy = make_simulated_policy(spec);
      if (!policy) return tl::unexpected(policy.error());
      names.push_back((*policy)->name());
    }
  }
  return names;
}

Result<SyntheticTraces> traces_of(const TypedTraces& typed) {
  const auto traces = count_option("--traces", typed.traces, kMostTraces);
  if (!traces) return tl::unexpected(traces.error());
  const auto seed = seed_option("--seed", typed.seed, UINT32_MAX - *traces);
  if (!seed) return tl::unexpected(seed.error());
  const auto jobs = count_option("--jobs", typed.jobs, kMostJobs);
  if (!jobs) return tl::unexpected(jobs.error());
  auto loads = loads_of(typed.loads);
  if (!loads) return tl::unexpected(loads.error());
  return SyntheticTraces{static_cast<std::uint32_t>(*seed), static_cast<std::uint32_t>(*traces), *jobs,
                         *std::move(loads)};
}

}  // namespace aliquot
