#include "tools/sim/campaign/campaign_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <thread>

#include "policies/policy.hpp"
#include "tools/sim/option_values.hpp"
#include "tools/sim/workload/limits.hpp"

namespace aliquot {

void add_running_options(CLI::App& command, TypedCampaign& typed) {
  command.add_option("--out", typed.out, "folder of the campaign: made, or gone on with")->required();
  command.add_option("--workers", typed.workers, "threads (as many as there are cores)");
  command
      .add_option("--shard", typed.shard, "i/n: run the i-th of n parts; join them with `evaluate merge`")
      ->capture_default_str();
}

void add_policy_options(CLI::App& command, TypedCampaign& typed) {
  command.add_option("--penalty", typed.penalties, "rescheduling penalties, seconds")
      ->delimiter(',')
      ->capture_default_str();
  command.add_option("--also", typed.also, "policies beyond the paper's; they do not change what is best")
      ->delimiter(',');
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

Result<std::vector<std::string>> canonical(const std::vector<std::string>& specs) {
  std::vector<std::string> names;
  for (const std::string& spec : specs) {
    auto policy = make_policy(spec);
    if (!policy) return tl::unexpected(policy.error());
    names.push_back((*policy)->name());
  }
  return names;
}

}  // namespace aliquot
