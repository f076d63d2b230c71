// `evaluate dfrs2010|hpc2n|beyond|merge` and `sweep`: campaigns that resume where they stopped, on all
// cores. Options as they are typed are checked here and become the options of a campaign.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <set>

#include "tools/experiments/beyond/beyond.hpp"
#include "tools/experiments/campaign/campaign_command.hpp"
#include "tools/experiments/commands.hpp"
#include "tools/experiments/papers/paper_campaigns.hpp"
#include "tools/experiments/sweep/grid.hpp"
#include "tools/sim/commands.hpp"
#include "tools/sim/option_values.hpp"

namespace aliquot {
namespace {

struct Typed {
  TypedCampaign campaign;
  TypedTraces traces;
  std::string workload, weeks, grid;
  std::vector<std::string> folders;
  bool exact_needs = false;
};

Result<std::uint64_t> weeks_of(const Typed& typed) {
  if (typed.weeks.empty()) return 0;
  return count_option("--weeks", typed.weeks, kMostTraces);
}

// What the three campaigns of the papers share.
struct Shared {
  std::vector<std::string> penalties;
  std::vector<std::string> also;
};
Result<Shared> shared_options(const Typed& typed) {
  auto penalties = penalties_of(typed.campaign.penalties);
  if (!penalties) return tl::unexpected(penalties.error());
  auto also = canonical(typed.campaign.also);
  if (!also) return tl::unexpected(also.error());
  return Shared{*std::move(penalties), *std::move(also)};
}

Result<Campaign> dfrs2010_campaign(const Typed& typed) {
  auto traces = traces_of(typed.traces);
  if (!traces) return tl::unexpected(traces.error());
  auto shared = shared_options(typed);
  if (!shared) return tl::unexpected(shared.error());
  return dfrs2010({*std::move(traces), std::move(shared->penalties), std::move(shared->also)});
}

Result<Campaign> hpc2n_campaign(const Typed& typed) {
  const auto weeks = weeks_of(typed);
  if (!weeks) return tl::unexpected(weeks.error());
  auto shared = shared_options(typed);
  if (!shared) return tl::unexpected(shared.error());
  return hpc2n({typed.workload, std::move(shared->penalties), std::move(shared->also), *weeks});
}

Result<Campaign> beyond_campaign(const Typed& typed) {
  auto traces = traces_of(typed.traces);
  if (!traces) return tl::unexpected(traces.error());
  const auto weeks = weeks_of(typed);
  if (!weeks) return tl::unexpected(weeks.error());
  auto shared = shared_options(typed);
  if (!shared) return tl::unexpected(shared.error());
  BeyondOptions options;
  static_cast<SyntheticTraces&>(options) = *std::move(traces);
  options.weeks = *weeks;
  options.penalties = std::move(shared->penalties);
  options.also = std::move(shared->also);
  options.wrong_needs = !typed.exact_needs;
  options.workload = typed.workload;
  return beyond(options);
}

Result<Campaign> sweep_campaign(const Typed& typed) {
  const auto grid = read_grid(typed.grid);
  if (!grid) return tl::unexpected(grid.error());
  return sweep(*grid);
}

// The command's own words, and the options that it was given, but for those about shards.
std::vector<std::string> words_of(const CLI::App& command) {
  const std::set<std::string> ours = {"--out", "--workers", "--shard", "--shards", "--submit"};
  std::vector<std::string> words;
  for (const CLI::App* part = &command; part->get_parent() != nullptr; part = part->get_parent())
    words.insert(words.begin(), part->get_name());
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    if (option->count() == 0 || ours.contains(name)) continue;
    const bool is_flag = option->get_items_expected_max() == 0;
    std::vector<std::string> values = option->results();
    if (option->get_delimiter() != '\0') values = {joined(values)};
    for (const std::string& value : values) {
      if (!option->get_positional()) words.push_back(name);
      if (!is_flag) words.push_back(value);
    }
  }
  return words;
}

// What a member of an array reads.
Result<std::vector<std::string>> inputs_of(const Typed& typed) {
  std::vector<std::string> files;
  if (!typed.workload.empty()) files.push_back(typed.workload);
  if (typed.grid.empty()) return files;
  files.push_back(typed.grid);
  const auto grid = read_grid(typed.grid);
  if (!grid) return tl::unexpected(grid.error());
  std::ranges::copy_if(grid->workloads, std::back_inserter(files),
                       [](const std::string& workload) { return workload != "dfrs"; });
  return files;
}

int run(const Result<Campaign>& campaign, const Typed& typed, const CLI::App& command) {
  if (!campaign) return report_error(campaign.error());
  if (typed.campaign.shards.empty()) return run_campaign_command(*campaign, typed.campaign);
  auto inputs = inputs_of(typed);
  if (!inputs) return report_error(inputs.error());
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  return submit_as_array(*campaign, {program, words_of(command), *std::move(inputs), typed.campaign.out},
                         typed.campaign);
}

void add_running_options(CLI::App& command, TypedCampaign& typed) {
  command.add_option("--out", typed.out, "folder of the campaign: created, or continued")->required();
  command.add_option("--workers", typed.workers, "threads (as many as there are cores)");
  CLI::Option* shard =
      command
          .add_option(
              "--shard", typed.shard,
              "i/n: run the i-th of n parts; join them with `evaluate merge`. array/n: in a member of an "
              "array, whose index is i")
          ->capture_default_str();
  CLI::Option* shards = command.add_option(
      "--shards", typed.shards, "print the commands that run so many shards as an array of jobs");
  shards->excludes(shard);
  command
      .add_option(
          "--submit", typed.submit,
          "with --shards: submit the array to slurm or to aliquot; `evaluate shards` and `merge` follow")
      ->needs(shards)
      ->check(CLI::IsMember({"slurm", "aliquot"}));
}

void add_policy_options(CLI::App& command, TypedCampaign& typed) {
  command.add_option("--penalty", typed.penalties, "rescheduling penalties, seconds")
      ->delimiter(',')
      ->capture_default_str();
  command
      .add_option("--also", typed.also,
                  "A,B,...: further policies; the best is still taken over the paper's")
      ->allow_extra_args(false);
}

void add_dfrs2010(CLI::App& evaluate, int& exit_code) {
  const auto typed = std::make_shared<Typed>();
  typed->traces = {"100", "1", {"0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "unscaled"}};
  CLI::App* command =
      evaluate.add_subcommand("dfrs2010", "the evaluation of the DFRS paper on synthetic traces");
  add_trace_options(*command, typed->traces);
  add_policy_options(*command, typed->campaign);
  add_running_options(*command, typed->campaign);
  command->callback(
      [typed, command, &exit_code] { exit_code = run(dfrs2010_campaign(*typed), *typed, *command); });
}

void add_hpc2n(CLI::App& evaluate, int& exit_code) {
  const auto typed = std::make_shared<Typed>();
  CLI::App* command = evaluate.add_subcommand("hpc2n", "the same on the weeks of the HPC2N log");
  command->add_option("--workload", typed->workload, "the log: HPC2N-2002-2.2-cln.swf.gz")->required();
  command->add_option("--weeks", typed->weeks, "only so many, from the first");
  add_policy_options(*command, typed->campaign);
  add_running_options(*command, typed->campaign);
  command->callback(
      [typed, command, &exit_code] { exit_code = run(hpc2n_campaign(*typed), *typed, *command); });
}

void add_beyond(CLI::App& evaluate, int& exit_code) {
  const auto typed = std::make_shared<Typed>();
  typed->campaign.penalties = {"0", "10", "60", "300", "900"};
  typed->traces = {std::to_string(kTestTraces),
                   std::to_string(kFirstTestSeed),
                   {"0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9"}};
  CLI::App* command = evaluate.add_subcommand(
      "beyond", "ALIQUOT against the baselines, and against itself with parts off (docs/policy.md)");
  add_trace_options(*command, typed->traces, "those up to 100 were used for tuning");
  command->add_flag("--exact-needs", typed->exact_needs, "leave out the traces with wrong needs");
  command->add_option("--workload", typed->workload,
                      "also the weeks of this log: HPC2N-2002-2.2-cln.swf.gz");
  command->add_option("--weeks", typed->weeks, "only so many, from the first");
  add_policy_options(*command, typed->campaign);
  add_running_options(*command, typed->campaign);
  command->callback(
      [typed, command, &exit_code] { exit_code = run(beyond_campaign(*typed), *typed, *command); });
}

void add_merge(CLI::App& evaluate, int& exit_code) {
  const auto typed = std::make_shared<Typed>();
  CLI::App* command = evaluate.add_subcommand(
      "merge", "join the shards of a campaign, or write the report of one folder again");
  command->add_option("folders", typed->folders, "the campaign's folders")->required();
  command->add_option("--out", typed->campaign.out, "the folder of the whole (the first one)");
  command->callback(
      [typed, &exit_code] { exit_code = merge_command(typed->folders, typed->campaign.out); });
}

void add_shards(CLI::App& evaluate, int& exit_code) {
  const auto typed = std::make_shared<Typed>();
  CLI::App* command =
      evaluate.add_subcommand("shards", "how far the shards of a campaign are that runs as an array");
  command->add_option("out", typed->campaign.out, "the campaign's folder")->required();
  command->callback([typed, &exit_code] { exit_code = shards_command(typed->campaign.out); });
}

void add_sweep(CLI::App& app, int& exit_code) {
  const auto typed = std::make_shared<Typed>();
  CLI::App* command = app.add_subcommand("sweep", "run the grid of a YAML file (docs/simulator.md)");
  command->add_option("grid", typed->grid, "GRID.yaml")->required();
  add_running_options(*command, typed->campaign);
  command->callback(
      [typed, command, &exit_code] { exit_code = run(sweep_campaign(*typed), *typed, *command); });
}

}  // namespace

void add_campaign_commands(CLI::App& app, CLI::App& evaluate, int& exit_code) {
  add_dfrs2010(evaluate, exit_code);
  add_hpc2n(evaluate, exit_code);
  add_beyond(evaluate, exit_code);
  add_shards(evaluate, exit_code);
  add_merge(evaluate, exit_code);
  add_sweep(app, exit_code);
}

void add_experiment_commands(CLI::App& app, int& exit_code) {
  CLI::App* evaluate =
      app.add_subcommand("evaluate", "run a whole campaign and compare it with the papers");
  evaluate->require_subcommand(1);
  add_campaign_commands(app, *evaluate, exit_code);
  add_study_commands(*evaluate, exit_code);
}

}  // namespace aliquot
