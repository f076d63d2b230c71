// aliquot-sim: what a scheduling policy does to a workload, simulated on the manager's own core. This file
// defines the command line; the commands are functions (commands.hpp).
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "monitor/provenance.hpp"
#include "tools/experiments/commands.hpp"
#include "tools/sim/commands.hpp"
#include "tools/sim/option_values.hpp"
#include "tools/sim/power/power_options.hpp"
#include "tools/sim/shared_options.hpp"
#include "tools/sim/site_accounts.hpp"
#include "tools/sim/workload/limits.hpp"

namespace aliquot {
namespace {

// Options of run, verify and bound as they are typed: texts, so that numbers are read exactly.
struct Typed {
  TypedWorkload workload;
  TypedModel model;
  std::string policy, penalty = "0", jobs_out, events_out, journal_out, batsim_out, report, output;
  bool failures = false;
  std::string power_rule;  // empty: no energy is counted
  TypedPower power;
  std::string needs = "declared";
  std::string half_life;  // empty: no fair share
  std::string moves_at_a_time = "0", cool_down = "0";
  std::string accounts;  // a file; empty: without shares and limits
};

// Errors: an option is wrong, or the cluster is not given.
Result<ReadOptions> options_with_nodes(const TypedWorkload& typed) {
  auto read = read_options(typed);
  if (read && read->shape.nodes == 0)
    return tl::unexpected(bad_option("--nodes", "is missing: on how many nodes? (or --cluster F.yaml)"));
  return read;
}

Result<std::optional<power::PowerSettings>> power_options(const Typed& typed) {
  if (typed.power_rule.empty()) return std::nullopt;
  const auto rule = power::rule_named(typed.power_rule);
  if (!rule)
    return tl::unexpected(bad_option(
        "--power", "there is no rule '" + typed.power_rule + "': always-on, cape-rm or aliquot"));
  auto settings = power_settings(typed.power);
  if (!settings) return tl::unexpected(settings.error());
  settings->rule = *rule;
  return *settings;
}

Result<NeedSource> need_source(const std::string& text) {
  for (std::size_t k = 0; k < kNeedSourceNames.size(); ++k)
    if (text == kNeedSourceNames[k]) return static_cast<NeedSource>(k);
  return tl::unexpected(
      bad_option("--needs", "'" + text + "' is none of declared, learned, learned-up, true"));
}

Result<std::optional<Duration>> half_life(const std::string& text) {
  if (text.empty()) return std::nullopt;
  const auto read = number_option("--fair-share", text, kLongestRuntime);
  if (!read) return tl::unexpected(read.error());
  if (to_duration(*read) < seconds(1))
    return tl::unexpected(bad_option("--fair-share", "must be at least 1 second"));
  return to_duration(*read);
}

Result<MoveTerms> move_terms(const Typed& typed) {
  const auto at_a_time = seed_option("--moves-at-a-time", typed.moves_at_a_time, 1'000'000);
  if (!at_a_time) return tl::unexpected(at_a_time.error());
  const auto cool_down =
      number_option("--cool-down", typed.cool_down, Decimal{kPico * (kLongestCoolDown.raw / kMillion)});
  if (!cool_down) return tl::unexpected(cool_down.error());
  return MoveTerms{static_cast<std::uint32_t>(*at_a_time), to_duration(*cool_down)};
}

int run(const Typed& typed) {
  const auto read = options_with_nodes(typed.workload);
  if (!read) return report_error(read.error());
  const auto model = model_options(typed.model);
  if (!model) return report_error(model.error());
  const auto power = power_options(typed);
  if (!power) return report_error(power.error());
  const auto needs = need_source(typed.needs);
  if (!needs) return report_error(needs.error());
  const auto fair_share = half_life(typed.half_life);
  if (!fair_share) return report_error(fair_share.error());
  const auto moves = move_terms(typed);
  if (!moves) return report_error(moves.error());
  auto accounts =
      typed.accounts.empty() ? Result<std::vector<AccountTerms>>() : read_accounts(typed.accounts);
  if (!accounts) return report_error(accounts.error());
  return run_command({typed.workload.path, *read, typed.policy, *model, typed.jobs_out,
                      typed.output == "json", typed.events_out, typed.journal_out, typed.batsim_out,
                      typed.report, *power, *needs, *fair_share, *moves, std::move(*accounts)});
}

int verify(const Typed& typed) {
  const auto read = read_options(typed.workload);
  if (!read) return report_error(read.error());
  const auto penalty = number_option("--penalty", typed.penalty, kLongestRuntime);
  if (!penalty) return report_error(penalty.error());
  return verify_command({typed.workload.path, *read, typed.jobs_out, to_duration(*penalty),
                         typed.events_out, typed.report, typed.failures});
}

int bound(const Typed& typed) {
  const auto read = options_with_nodes(typed.workload);
  if (!read) return report_error(read.error());
  return bound_command({typed.workload.path, *read, typed.output == "json"});
}

void add_run(CLI::App& app, int& exit_code) {
  const auto typed = std::make_shared<Typed>();
  CLI::App* command = app.add_subcommand("run", "simulate a workload under a policy");
  add_workload_options(*command, typed->workload);
  add_model_options(*command, typed->model);
  command->add_option("--policy", typed->policy, "for example EASY or DYNMCB8-ASAP-PER-600; see `policies`")
      ->required();
  command->add_option("--jobs-out", typed->jobs_out, "write a CSV row for each job to this file");
  command->add_option("--events-out", typed->events_out,
                      "write a CSV row for each change of a job to this file (gzip if it ends in .gz)");
  command->add_option("--journal-out", typed->journal_out,
                      "write every step in the format of a manager's journal, for aliquot-replay");
  command->add_option("--batsim-out", typed->batsim_out,
                      "write out_jobs.csv and out_schedule.csv, as Batsim 4 does, into this folder");
  command->add_option("--report", typed->report,
                      "write a page with pictures of nodes, jobs and yields over time to this HTML file "
                      "(its name ends in .svg: the pictures alone)");
  command->add_option("--power", typed->power_rule,
                      "count energy; idle nodes go off by this rule: always-on, cape-rm or aliquot");
  add_power_options(*command, typed->power);
  command
      ->add_option(
          "--needs", typed->needs,
          "CPU needs: declared; learned while jobs run, or learned-up, above what is declared, too; "
          "true, as the column true_need has them")
      ->capture_default_str();
  command->add_option("--fair-share", typed->half_life,
                      "the users of the trace have equal shares, and half of what they have used is "
                      "forgotten in so many seconds");
  command->add_option("--accounts", typed->accounts,
                      "a file with the shares, limits and yields of accounts: the list `accounts` of the "
                      "manager's configuration");
  command
      ->add_option("--moves-at-a-time", typed->moves_at_a_time,
                   "VMs of the whole cluster that are moved at a time, at most; 0: any number")
      ->capture_default_str();
  command
      ->add_option("--cool-down", typed->cool_down,
                   "seconds that a job stays where it is after a move, and twice as many after each "
                   "move in a row; 0: none")
      ->capture_default_str();
  add_output_option(*command, typed->output, {"text", "json"});
  command->callback([typed, &exit_code] { exit_code = run(*typed); });
}

void add_compare(CLI::App& app, int& exit_code) {
  const auto typed = std::make_shared<CompareOptions>();
  CLI::App* command =
      app.add_subcommand("compare", "simulate one workload under several policies: one table");
  add_workload_options(*command, typed->workload);
  // The same option, but it can be typed without its name.
  const std::string described = command->get_option("--workload")->get_description();
  command->remove_option(command->get_option("--workload"));
  command->add_option("workload,--workload", typed->workload.path, described)->required();
  command
      ->add_option("--policies", typed->policies,
                   "A,B,...: which ones (the nine of the DFRS paper, and ALIQUOT); see `policies`")
      ->allow_extra_args(false);
  add_model_options(*command, typed->model);
  command->add_flag("--no-bound", typed->no_bound,
                    "leave out the offline lower bound, which takes its time for large workloads");
  add_output_option(*command, typed->output, {"table", "csv", "json"});
  command->callback([typed, &exit_code] { exit_code = compare_command(*typed); });
}

void add_verify(CLI::App& app, int& exit_code) {
  const auto typed = std::make_shared<Typed>();
  CLI::App* command =
      app.add_subcommand("verify", "recompute every column of a --jobs-out file from first principles");
  add_workload_options(*command, typed->workload);
  command
      ->add_option("--penalty", typed->penalty,
                   "seconds without progress after a resume or a change of hosts")
      ->capture_default_str();
  command->add_option("--jobs-out", typed->jobs_out, "the file to verify")->required();
  command->add_option("--events", typed->events_out, "the --events-out of the same run: verify it too");
  command->add_option("--report", typed->report, "what the same run printed with --json: verify it too");
  command->add_flag("--failures", typed->failures, "a job may have failed before its work was done");
  command->callback([typed, &exit_code] { exit_code = verify(*typed); });
}

void add_bound(CLI::App& app, int& exit_code) {
  const auto typed = std::make_shared<Typed>();
  CLI::App* command =
      app.add_subcommand("bound", "the max bounded stretch that no schedule of a workload can beat");
  add_workload_options(*command, typed->workload);
  add_output_option(*command, typed->output, {"text", "json"});
  command->callback([typed, &exit_code] { exit_code = bound(*typed); });
}

void add_policies(CLI::App& app, int& exit_code) {
  const auto bibtex = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("policies", "list what --policy may name, with sources");
  command->add_flag("--bibtex", *bibtex, "the sources as BibTeX");
  command->callback([bibtex, &exit_code] { exit_code = policies_command(*bibtex); });
}

void add_convert(CLI::App& app, int& exit_code) {
  const auto typed = std::make_shared<ConvertOptions>();
  CLI::App* command =
      app.add_subcommand("convert", "write a workload in another format: CSV, SWF or Batsim JSON");
  command->add_option("in", typed->workload.path, "CSV, SWF or Batsim JSON, plain or gzip")->required();
  command->add_option("out", typed->out, "the file to write: .csv, .swf or .json, packed if it ends in .gz")
      ->required();
  command->add_option("--to", typed->to, "csv, swf or batsim, whatever its name ends in");
  add_reading_options(*command, typed->workload);
  command->callback([typed, &exit_code] { exit_code = convert_command(*typed); });
}

void add_decide(CLI::App& app, int& exit_code) {
  const auto typed = std::make_shared<DecideOptions>();
  CLI::App* command = app.add_subcommand("decide", "one decision of a policy over a view (docs/view.md)");
  command->add_option("--view", typed->view, "the view, a JSON file; - is standard input")->required();
  command->add_option("--policy", typed->policy, "for example DYNMCB8; see `policies`")->required();
  command->add_option("--repeat", typed->repeat, "decide so often, to see how long it takes")
      ->capture_default_str();
  add_output_option(*command, typed->output, {"text", "json"});
  command->callback([typed, &exit_code] { exit_code = decide_command(*typed); });
}

void add_models(CLI::App& generate, int& exit_code) {
  const auto typed = std::make_shared<GenerateOptions>();
  const auto add_size_options = [&](CLI::App& command) {
    command.add_option("--seed", typed->seed, "of the random numbers: the same seed, the same workload")
        ->capture_default_str();
    command.add_option("--jobs", typed->jobs, "number of jobs")->capture_default_str();
    command.add_option("--nodes", typed->nodes, "width of the system")->capture_default_str();
  };
  CLI::App* model = generate.add_subcommand("lublin", "SWF of the Lublin-Feitelson model of rigid jobs");
  add_size_options(*model);
  model->add_flag("--typeless", typed->typeless, "one stream of jobs, not batch and interactive ones");
  model->callback([typed, &exit_code] { exit_code = generate_lublin_command(*typed); });
  CLI::App* paper = generate.add_subcommand(
      "dfrs", "CSV as in the DFRS paper: Lublin-Feitelson jobs with CPU needs and memory");
  add_size_options(*paper);
  paper->add_option("--load", typed->load, "scale the time between arrivals to this load (else as it is)");
  paper->callback([typed, &exit_code] { exit_code = generate_dfrs_command(*typed); });
}

void add_view(CLI::App& generate, int& exit_code) {
  const auto typed = std::make_shared<ViewOptions>();
  CLI::App* command = generate.add_subcommand("view", "JSON of a busy moment, for `decide`");
  command->add_option("--nodes", typed->nodes, "of 4 cores and 8 GB")->capture_default_str();
  command->add_option("--jobs", typed->jobs, "the last of them has just arrived")->capture_default_str();
  command->add_option("--shape", typed->shape, "needs and memory as in the DFRS paper, or continuous")
      ->check(CLI::IsMember({"paper", "continuous"}))
      ->capture_default_str();
  command->add_option("--seed", typed->seed, "of the random numbers: the same seed, the same view")
      ->capture_default_str();
  command->callback([typed, &exit_code] { exit_code = generate_view_command(*typed); });
}

void add_placement_workloads(CLI::App& generate, int& exit_code) {
  const auto typed = std::make_shared<GpuWorkloadOptions>();
  const auto add_common_options = [&](CLI::App& command) {
    command.add_option("--seed", typed->seed, "of the random numbers: the same seed, the same workload")
        ->capture_default_str();
    command.add_option("--sigma", typed->sigma, "standard deviation of the times between arrivals, s")
        ->capture_default_str();
  };
  CLI::App* benchmark = generate.add_subcommand(
      "esp", "CSV of the ESP-2 benchmark for 1,024 nodes of 8 cores and 2 GPUs (IPSCHED, sec. 5)");
  add_common_options(*benchmark);
  benchmark->add_flag("--plain", typed->plain,
                      "cores only: every type once (default: twice, once with GPUs)");
  benchmark->add_flag("--vary", typed->vary, "add a whole number from -4 to 4 to every size");
  benchmark->callback([typed, &exit_code] { exit_code = generate_esp_command(*typed); });
  CLI::App* mix = generate.add_subcommand(
      "gpu-mix", "CSV of the workloads I to V for the same nodes (AUCSCHED, sec. 5.2)");
  add_common_options(*mix);
  mix->add_option("--mix", typed->mix, "I, II, III, IV or V")->capture_default_str();
  mix->add_option("--most-cores", typed->most_cores, "of a job")->capture_default_str();
  mix->add_option("--hours", typed->hours, "about: the makespan if nothing were lost")
      ->capture_default_str();
  mix->callback([typed, &exit_code] { exit_code = generate_gpu_mix_command(*typed); });
}

void add_generate(CLI::App& app, int& exit_code) {
  CLI::App* generate =
      app.add_subcommand("generate", "write a synthetic workload, or a view, to standard output");
  generate->require_subcommand(1);
  add_models(*generate, exit_code);
  add_view(*generate, exit_code);
  add_placement_workloads(*generate, exit_code);
}

int dispatch(int argc, char** argv) {
  CLI::App app("What a scheduling policy does to a workload, simulated on the manager's own core.",
               "aliquot-sim");
  app.set_version_flag("--version", std::string("aliquot-sim ") + kVersion + " (" + kCommit + ")");
  app.require_subcommand(0, 1);
  int exit_code = 0;
  add_run(app, exit_code);
  add_compare(app, exit_code);
  add_generate(app, exit_code);
  add_convert(app, exit_code);
  add_verify(app, exit_code);
  add_bound(app, exit_code);
  add_decide(app, exit_code);
  add_policies(app, exit_code);
  add_experiment_commands(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (!app.get_subcommands().empty()) return exit_code;
  std::cerr << app.help();
  return 2;
}

}  // namespace
}  // namespace aliquot

int main(int argc, char** argv) { return aliquot::dispatch(argc, argv); }
