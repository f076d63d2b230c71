// `evaluate`: whole campaigns, resumable, on all cores.
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <thread>

#include "policies/policy.hpp"
#include "tools/sim/campaign/campaign_folder.hpp"
#include "tools/sim/campaign/degradation.hpp"
#include "tools/sim/campaign/dfrs2010.hpp"
#include "tools/sim/campaign/dfrs2010_tables.hpp"
#include "tools/sim/campaign/published.hpp"
#include "tools/sim/commands.hpp"
#include "tools/sim/option_values.hpp"
#include "tools/sim/workload/limits.hpp"

namespace aliquot {
namespace {

struct Typed {
  std::string out, traces = "100", jobs = "1000", seed = "1", workers, shard = "1/1";
  std::vector<std::string> loads = {"0.1", "0.2", "0.3", "0.4", "0.5",
                                    "0.6", "0.7", "0.8", "0.9", "unscaled"};
  std::vector<std::string> penalties = {"0", "300"};
  std::vector<std::string> also;
};

constexpr std::uint64_t kMostTraces = 100'000;
constexpr std::uint64_t kMostWorkers = 1'024;

Result<unsigned> workers_of(const Typed& typed) {
  if (typed.workers.empty()) return std::max(1U, std::thread::hardware_concurrency());
  const auto workers = count_option("--workers", typed.workers, kMostWorkers);
  if (!workers) return tl::unexpected(workers.error());
  return static_cast<unsigned>(*workers);
}

Result<Shard> shard_of(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash != std::string::npos) {
    const auto number = count_option("--shard", text.substr(0, slash), kMostTraces);
    const auto of = count_option("--shard", text.substr(slash + 1), kMostTraces);
    if (number && of && *number <= *of)
      return Shard{static_cast<std::uint32_t>(*number), static_cast<std::uint32_t>(*of)};
  }
  return tl::unexpected(bad_option("--shard", "'" + text + "' is not i/n with 1 <= i <= n"));
}

Result<std::vector<Duration>> penalties_of(const std::vector<std::string>& texts) {
  std::vector<Duration> penalties;
  for (const std::string& text : texts) {
    const auto penalty = number_option("--penalty", text, kLongestRuntime);
    if (!penalty) return tl::unexpected(penalty.error());
    penalties.push_back(to_duration(*penalty));
  }
  std::ranges::sort(penalties);
  penalties.erase(std::unique(penalties.begin(), penalties.end()), penalties.end());
  return penalties;
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
  // By load; unscaled last.
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

Result<Dfrs2010Options> options_of(const Typed& typed) {
  Dfrs2010Options options;
  const auto traces = count_option("--traces", typed.traces, kMostTraces);
  if (!traces) return tl::unexpected(traces.error());
  const auto seed = seed_option("--seed", typed.seed, UINT32_MAX - *traces);
  if (!seed) return tl::unexpected(seed.error());
  const auto jobs = count_option("--jobs", typed.jobs, kMostJobs);
  if (!jobs) return tl::unexpected(jobs.error());
  auto loads = loads_of(typed.loads);
  if (!loads) return tl::unexpected(loads.error());
  auto penalties = penalties_of(typed.penalties);
  if (!penalties) return tl::unexpected(penalties.error());
  auto also = canonical(typed.also);
  if (!also) return tl::unexpected(also.error());
  options.seed = static_cast<std::uint32_t>(*seed);
  options.traces = static_cast<std::uint32_t>(*traces);
  options.jobs = *jobs;
  options.loads = std::move(*loads);
  options.penalties = std::move(*penalties);
  options.also = std::move(*also);
  return options;
}

Result<void> write_report(const CampaignFolder& folder, const Campaign& campaign, const Results& results) {
  std::string cells = cell_header(Columns::repeatable) + "\n";
  std::string times = cell_header(Columns::measured) + "\n";
  for (const Cell& cell : results.cells) {
    cells += cell_line(cell, Columns::repeatable) + "\n";
    times += cell_line(cell, Columns::measured) + "\n";
  }
  if (auto done = folder.write("cells.csv", cells); !done) return done;
  if (auto done = folder.write("measured/times.csv", times); !done) return done;
  std::vector<std::string> penalties;
  for (const Duration penalty : campaign.penalties) penalties.push_back(to_text(penalty));
  const Judgement judgement = judge(results.cells, published_policies());
  const Dfrs2010Report report = dfrs2010_report(judgement.cells, campaign.policies, penalties);
  for (const NamedText& file : report.csv)
    if (auto done = folder.write(file.name, file.text); !done) return done;
  for (const Table& table : report.degradations) std::cout << as_text(table) << "\n";
  return {};
}

int run_dfrs2010(const Typed& typed) {
  const auto options = options_of(typed);
  if (!options) return complain(options.error());
  const auto workers = workers_of(typed);
  if (!workers) return complain(workers.error());
  const auto shard = shard_of(typed.shard);
  if (!shard) return complain(shard.error());
  const Campaign campaign = dfrs2010(*options);
  const auto folder = CampaignFolder::open(typed.out, identity_of(campaign, *shard));
  if (!folder) return complain(folder.error());
  auto journal = CellJournal::open(folder->journal_path());
  if (!journal) return complain(journal.error());
  const auto results = run_campaign(campaign, *shard, *workers, *journal);
  if (!results) return complain(results.error());
  if (auto written = write_report(*folder, campaign, *results); !written) return complain(written.error());
  return results->failures.empty() ? 0 : 1;
}

}  // namespace

void add_evaluate_command(CLI::App& app, int& exit_code) {
  const auto typed = std::make_shared<Typed>();
  CLI::App* evaluate =
      app.add_subcommand("evaluate", "run a whole campaign and compare it with the papers");
  evaluate->require_subcommand(1);
  CLI::App* paper =
      evaluate->add_subcommand("dfrs2010", "the evaluation of the DFRS paper on synthetic traces");
  paper->add_option("--out", typed->out, "folder of the campaign: made, or gone on with")->required();
  paper->add_option("--traces", typed->traces, "number of traces")->capture_default_str();
  paper->add_option("--loads", typed->loads, "offered loads; `unscaled`: as the model has them")
      ->delimiter(',');
  paper->add_option("--penalty", typed->penalties, "rescheduling penalties, seconds")->delimiter(',');
  paper->add_option("--jobs", typed->jobs, "jobs of a trace")->capture_default_str();
  paper->add_option("--seed", typed->seed, "of the first trace; the next has the next")
      ->capture_default_str();
  paper->add_option("--also", typed->also, "policies beyond the paper's")->delimiter(',');
  paper->add_option("--workers", typed->workers, "threads (as many as there are cores)");
  paper->add_option("--shard", typed->shard, "i/n: run the i-th of n parts only")->capture_default_str();
  paper->callback([typed, &exit_code] { exit_code = run_dfrs2010(*typed); });
}

}  // namespace aliquot
