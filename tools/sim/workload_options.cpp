#include "tools/sim/workload_options.hpp"

#include <CLI/CLI.hpp>

#include "tools/sim/cluster_file.hpp"
#include "tools/sim/option_values.hpp"
#include "tools/sim/workload/limits.hpp"

namespace aliquot {

void add_workload_options(CLI::App& command, TypedWorkload& typed) {
  command
      .add_option("--workload", typed.path, "CSV, SWF or Batsim JSON, plain or gzip (told by the content)")
      ->required();
  add_reading_options(command, typed);
}

void add_reading_options(CLI::App& command, TypedWorkload& typed) {
  const auto nodes = command.add_option("--nodes", typed.nodes, "number of nodes");
  const auto cores = command.add_option("--cores-per-node", typed.cores,
                                        "reference cores of a node (4; with --swf dfrs 2)");
  const auto memory =
      command.add_option("--node-memory", typed.memory, "GB (10^9 bytes) of a node (8; with --swf dfrs 2)");
  command.add_option("--cluster", typed.cluster, "YAML file of nodes that differ (docs/simulator.md)")
      ->excludes(nodes)
      ->excludes(cores)
      ->excludes(memory);
  command
      .add_option("--swf", typed.swf,
                  "how an SWF file is read: each processor a task that takes a whole node, "
                  "or by the rules of the DFRS paper for HPC2N (120 dual-core nodes, 2 GB)")
      ->check(CLI::IsMember({"procs", "dfrs"}))
      ->capture_default_str();
  command.add_flag("--perfect-estimates", typed.perfect,
                   "take the run times for the estimates of the workload");
  command.add_option("--resource-speed", typed.resource_speed,
                     "Gflop/s of a resource of Batsim, by which its profiles are divided (1)");
  command.add_option("--week", typed.week, "only the jobs submitted in this week of the trace (from 1)");
}

Result<ReadOptions> read_options(const TypedWorkload& typed) {
  ReadOptions read;
  const bool dfrs = typed.swf == "dfrs";
  read.swf = dfrs ? ReadOptions::Swf::dfrs : ReadOptions::Swf::procs;
  read.perfect_estimates = typed.perfect;
  if (!typed.week.empty()) {
    const auto week = count_option("--week", typed.week, kMostJobs);
    if (!week) return tl::unexpected(week.error());
    read.week = *week;
  }
  if (!typed.resource_speed.empty()) {
    const auto speed = number_option("--resource-speed", typed.resource_speed, kMostMemory);
    if (!speed) return tl::unexpected(speed.error());
    if (speed->pico == 0) return tl::unexpected(bad_option("--resource-speed", "must be more than 0"));
    read.resource_flops = static_cast<double>(speed->pico) * 1e-3;  // 10^-12 of 10^9
  }
  if (!typed.cluster.empty()) {
    auto shape = read_cluster(typed.cluster);
    if (!shape) return tl::unexpected(shape.error());
    read.shape = std::move(*shape);
    return read;
  }
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

}  // namespace aliquot
