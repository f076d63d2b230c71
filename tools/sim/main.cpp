// aliquot-sim: what a policy would do to a workload, on the manager's own core.
#include <CLI/CLI.hpp>
#include <iostream>

#include "monitor/provenance.hpp"
#include "tools/sim/commands.hpp"
#include "tools/sim/model_flags.hpp"
#include "tools/sim/option_values.hpp"
#include "tools/sim/workload/limits.hpp"
#include "tools/sim/workload_options.hpp"

namespace aliquot {
namespace {

// Options as they are typed: texts, so that numbers are read exactly and refused clearly.
struct Typed {
  TypedWorkload workload;
  TypedModel model;
  std::string policy, penalty = "0", jobs_out, events_out, journal_out, batsim_out, report;
  bool json = false, bibtex = false, failures = false;
};

void add_penalty_option(CLI::App& command, Typed& typed) {
  command
      .add_option("--penalty", typed.penalty,
                  "seconds without progress after a resume or a change of hosts")
      ->capture_default_str();
}

int run(const Typed& typed) {
  const auto read = read_options(typed.workload);
  if (!read) return complain(read.error());
  if (read->shape.nodes == 0) {
    return complain(bad_option("--nodes", "is missing: on how many nodes? (or --cluster F.yaml)"));
  }
  const auto model = model_options(typed.model);
  if (!model) return complain(model.error());
  return run_command({typed.workload.path, *read, typed.policy, *model, typed.jobs_out, typed.json,
                      typed.events_out, typed.journal_out, typed.batsim_out, typed.report});
}

int verify(const Typed& typed) {
  const auto read = read_options(typed.workload);
  if (!read) return complain(read.error());
  const auto penalty = number_option("--penalty", typed.penalty, kLongestRuntime);
  if (!penalty) return complain(penalty.error());
  return verify_command({typed.workload.path, *read, typed.jobs_out, to_duration(*penalty),
                         typed.events_out, typed.report, typed.failures});
}

int bound(const Typed& typed) {
  const auto read = read_options(typed.workload);
  if (!read) return complain(read.error());
  if (read->shape.nodes == 0) {
    return complain(bad_option("--nodes", "is missing: on how many nodes? (or --cluster F.yaml)"));
  }
  return bound_command({typed.workload.path, *read, typed.json});
}

int dispatch(int argc, char** argv) {
  Typed typed;
  CLI::App app("What a scheduling policy does to a workload, simulated on the manager's own core.",
               "aliquot-sim");
  app.set_version_flag("--version", std::string("aliquot-sim ") + kVersion + " (" + kCommit + ")");
  app.require_subcommand(0, 1);
  CLI::App* runs = app.add_subcommand("run", "simulate a workload under a policy");
  add_workload_options(*runs, typed.workload);
  add_model_options(*runs, typed.model);
  runs->add_option("--policy", typed.policy, "for example EASY or DYNMCB8-ASAP-PER-600; see `policies`")
      ->required();
  runs->add_option("--jobs-out", typed.jobs_out, "write a CSV row for each job to this file");
  runs->add_option("--events-out", typed.events_out,
                   "write a CSV row for each change of a job to this file (gzip if it ends in .gz)");
  runs->add_option("--journal-out", typed.journal_out,
                   "write every step as a manager's journal has it; aliquot-replay decides it anew");
  runs->add_option("--batsim-out", typed.batsim_out,
                   "write out_jobs.csv and out_schedule.csv, as Batsim 4 does, into this folder");
  runs->add_option("--report", typed.report,
                   "write a page with pictures of nodes, jobs and yields over time to this HTML file "
                   "(its name ends in .svg: the pictures alone)");
  runs->add_flag("--json", typed.json, "print the summary and its provenance as JSON");
  CLI::App* verifies =
      app.add_subcommand("verify", "recompute every column of a --jobs-out file from first principles");
  add_workload_options(*verifies, typed.workload);
  add_penalty_option(*verifies, typed);
  verifies->add_option("--jobs-out", typed.jobs_out, "the file to verify")->required();
  verifies->add_option("--events", typed.events_out, "the --events-out of the same run: verify it too");
  verifies->add_option("--report", typed.report, "what the same run printed with --json: verify it too");
  verifies->add_flag("--failures", typed.failures, "a job may have failed before its work was done");
  CLI::App* bounds =
      app.add_subcommand("bound", "the max bounded stretch that no schedule of a workload can beat");
  add_workload_options(*bounds, typed.workload);
  bounds->add_flag("--json", typed.json, "print the bound, what proves it and its provenance as JSON");
  CLI::App* lists = app.add_subcommand("policies", "list what --policy may name, with sources");
  lists->add_flag("--bibtex", typed.bibtex, "the sources as BibTeX");
  int exit_code = 0;
  add_convert_command(app, exit_code);
  add_generate_command(app, exit_code);
  add_evaluate_command(app, exit_code);
  add_decide_command(app, exit_code);
  add_compare_command(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (runs->parsed()) return run(typed);
  if (verifies->parsed()) return verify(typed);
  if (bounds->parsed()) return bound(typed);
  if (lists->parsed()) return policies_command(typed.bibtex);
  if (!app.get_subcommands().empty()) return exit_code;
  std::cerr << app.help();
  return 2;
}

}  // namespace
}  // namespace aliquot

int main(int argc, char** argv) { return aliquot::dispatch(argc, argv); }
