// aliquot-sim: what a policy would do to a workload, on the manager's own core.
#include <CLI/CLI.hpp>
#include <iostream>

#include "monitor/provenance.hpp"
#include "tools/sim/commands.hpp"
#include "tools/sim/option_values.hpp"
#include "tools/sim/workload/limits.hpp"

namespace aliquot {
namespace {

// Options as they are typed: texts, so that numbers are read exactly and refused clearly.
struct Typed {
  std::string workload, nodes, cores, memory, swf = "procs", policy, penalty = "0", jobs_out, events_out;
  bool perfect = false, json = false, bibtex = false;
};

void add_cluster_options(CLI::App& command, Typed& typed) {
  command.add_option("--workload", typed.workload, "CSV or SWF file, plain or gzip (told by the content)")
      ->required();
  command.add_option("--nodes", typed.nodes, "number of nodes");
  command.add_option("--cores-per-node", typed.cores, "reference cores of a node (4; with --swf dfrs 2)");
  command.add_option("--node-memory", typed.memory, "GB (10^9 bytes) of a node (8; with --swf dfrs 2)");
  command
      .add_option("--swf", typed.swf,
                  "how an SWF file is read: each processor a task that takes a whole node, "
                  "or by the rules of the DFRS paper for HPC2N (120 dual-core nodes, 2 GB)")
      ->check(CLI::IsMember({"procs", "dfrs"}))
      ->capture_default_str();
  command
      .add_option("--penalty", typed.penalty,
                  "seconds without progress after a resume or a change of hosts")
      ->capture_default_str();
}

Result<ReadOptions> read_options(const Typed& typed) {
  ReadOptions read;
  const bool dfrs = typed.swf == "dfrs";
  read.swf = dfrs ? ReadOptions::Swf::dfrs : ReadOptions::Swf::procs;
  read.perfect_estimates = typed.perfect;
  if (!typed.nodes.empty()) {
    const auto nodes = count_option("--nodes", typed.nodes, kMostNodes);
    if (!nodes) return tl::unexpected(nodes.error());
    read.shape.nodes = static_cast<std::uint32_t>(*nodes);
  } else if (dfrs) {
    read.shape.nodes = 120;
  }
  const auto cores =
      count_option("--cores-per-node", typed.cores.empty() ? dfrs ? "2" : "4" : typed.cores, kMostCores);
  if (!cores) return tl::unexpected(cores.error());
  read.shape.cores_per_node = static_cast<std::uint32_t>(*cores);
  const auto memory =
      number_option("--node-memory", typed.memory.empty() ? dfrs ? "2" : "8" : typed.memory, kMostMemory);
  if (!memory) return tl::unexpected(memory.error());
  read.shape.node_memory = memory_of(*memory, Memory{1'000'000'000});
  if (read.shape.node_memory.raw == 0)
    return tl::unexpected(bad_option("--node-memory", "must be more than 0"));
  return read;
}

int run(const Typed& typed) {
  const auto read = read_options(typed);
  if (!read) return complain(read.error());
  if (read->shape.nodes == 0) return complain(bad_option("--nodes", "is missing: on how many nodes?"));
  const auto penalty = number_option("--penalty", typed.penalty, kLongestRuntime);
  if (!penalty) return complain(penalty.error());
  return run_command({typed.workload, *read, typed.policy, to_duration(*penalty), typed.jobs_out,
                      typed.json, typed.events_out});
}

int verify(const Typed& typed) {
  const auto read = read_options(typed);
  if (!read) return complain(read.error());
  const auto penalty = number_option("--penalty", typed.penalty, kLongestRuntime);
  if (!penalty) return complain(penalty.error());
  return verify_command({typed.workload, *read, typed.jobs_out, to_duration(*penalty)});
}

int bound(const Typed& typed) {
  const auto read = read_options(typed);
  if (!read) return complain(read.error());
  if (read->shape.nodes == 0) return complain(bad_option("--nodes", "is missing: on how many nodes?"));
  return bound_command({typed.workload, *read, typed.json});
}

int dispatch(int argc, char** argv) {
  Typed typed;
  CLI::App app("What a scheduling policy does to a workload, simulated on the manager's own core.",
               "aliquot-sim");
  app.set_version_flag("--version", std::string("aliquot-sim ") + kVersion + " (" + kCommit + ")");
  app.require_subcommand(0, 1);
  CLI::App* runs = app.add_subcommand("run", "simulate a workload under a policy");
  add_cluster_options(*runs, typed);
  runs->add_option("--policy", typed.policy, "for example EASY or DYNMCB8-ASAP-PER-600; see `policies`")
      ->required();
  runs->add_flag("--perfect-estimates", typed.perfect,
                 "take the run times for the estimates of an SWF or CSV file");
  runs->add_option("--jobs-out", typed.jobs_out, "write a CSV row for each job to this file");
  runs->add_option("--events-out", typed.events_out,
                   "write a CSV row for each change of a job to this file (gzip if it ends in .gz)");
  runs->add_flag("--json", typed.json, "print the summary and its provenance as JSON");
  CLI::App* verifies =
      app.add_subcommand("verify", "recompute every column of a --jobs-out file from first principles");
  add_cluster_options(*verifies, typed);
  verifies->add_option("--jobs-out", typed.jobs_out, "the file to verify")->required();
  CLI::App* bounds =
      app.add_subcommand("bound", "the max bounded stretch that no schedule of a workload can beat");
  add_cluster_options(*bounds, typed);
  bounds->add_flag("--json", typed.json, "print the bound, what proves it and its provenance as JSON");
  CLI::App* lists = app.add_subcommand("policies", "list what --policy may name, with sources");
  lists->add_flag("--bibtex", typed.bibtex, "the sources as BibTeX");
  int exit_code = 0;
  add_generate_command(app, exit_code);
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
