#include "tools/sim/shared_options.hpp"

#include <CLI/CLI.hpp>
#include <functional>

#include "tools/sim/cluster_file.hpp"
#include "tools/sim/option_values.hpp"
#include "tools/sim/workload/limits.hpp"

namespace aliquot {
namespace {

constexpr Decimal kFastest{kPico * 1'000'000};  // GB/s

Result<Duration> seconds_option(const std::string& option, const std::string& text) {
  const auto value = number_option(option, text, kLongestRuntime);
  if (!value) return tl::unexpected(value.error());
  return to_duration(*value);
}

// A probability, or another part of a whole, as parts per million.
Result<std::uint32_t> chance_option(const std::string& option, const std::string& text) {
  const auto value = number_option(option, text, Decimal{kPico});
  if (!value) return tl::unexpected(value.error());
  constexpr Int128 step = kPico / kMillion;
  return static_cast<std::uint32_t>((value->pico + step / 2) / step);
}

// Bytes a second; 0 would be "costs no time".
Result<std::int64_t> bandwidth_option(const std::string& option, const std::string& text) {
  const auto value = number_option(option, text, kFastest);
  if (!value) return tl::unexpected(value.error());
  const std::int64_t bytes = memory_of(*value, Memory{1'000'000'000}).raw;
  if (bytes == 0) return tl::unexpected(bad_option(option, "must be more than 0"));
  return bytes;
}

// Each "KIND=NUMBER" into its place; a kind is the word of an action, or `all`.
template <class T>
Result<void> read_by_kind(const std::string& option, const std::vector<std::string>& typed,
                          std::array<T, kActionKinds>& into,
                          Result<T> (*read)(const std::string&, const std::string&)) {
  for (const std::string& text : typed) {
    const std::size_t sign = std::min(text.find('='), text.size());
    const std::string what = text.substr(0, sign);
    const auto value = read(option, sign < text.size() ? text.substr(sign + 1) : "");
    if (!value) return tl::unexpected(value.error());
    bool known = false;
    std::string words;
    for (std::size_t kind = 0; kind < kActionKinds; ++kind) {
      const std::string name(word(static_cast<ActionKind>(kind)));
      if (static_cast<ActionKind>(kind) == ActionKind::abort) continue;  // is never carried out by itself
      words += ", " + name;
      if (what != name && what != "all") continue;
      into[kind] = *value;
      known = true;
    }
    if (!known)
      return tl::unexpected(bad_option(option, "'" + what.substr(0, 40) + "' is none of all" + words));
  }
  return {};
}

}  // namespace

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

void add_model_options(CLI::App& command, TypedModel& typed) {
  const auto add = [&](const char* name, std::string& into, const char* help) {
    command.add_option(name, into, help)->group("What actions cost, and what goes wrong");
  };
  const auto add_list = [&](const char* name, std::vector<std::string>& into, const char* help) {
    command.add_option(name, into, help)->delimiter(',')->group("What actions cost, and what goes wrong");
  };
  add("--penalty", typed.penalty, "seconds without progress after a resume or a change of hosts (0)");
  add("--migration-penalty", typed.migration_penalty, "the same after a change of hosts, if it is another");
  add("--communication", typed.communication,
      "how much the tasks of a job wait for each other, from 0 to 1: while some stand still after a change "
      "of hosts, the others lose this part of their pace (1)");
  command
      .add_flag("--network", typed.network,
                "jobs of several tasks have a network: all their VMs stand still before one is saved, and "
                "if one cannot be saved, all go on")
      ->group("What actions cost, and what goes wrong");
  add_list("--delay", typed.delay, "KIND=SECONDS,...: what an action takes, such as save=2,migrate=1");
  add_list("--bandwidth", typed.bandwidth,
           "KIND=GB/S,...: and the time in which a task's memory goes through this");
  add("--jitter", typed.jitter, "up to this many seconds more, where there is a delay");
  add_list("--fail", typed.fail, "KIND=PROBABILITY,...: the action fails, and nothing was done");
  add("--lose", typed.lost, "probability that an action's outcome is lost");
  add("--crash", typed.crash, "probability that a VM dies some time after its start");
  add("--mtbf", typed.mtbf, "mean seconds from a node's repair to its next failure; none: no failures");
  add("--mttr", typed.mttr, "mean seconds of a node's repair (3600)");
  add("--checkpoint", typed.checkpoint,
      "seconds of virtual time that a job may lose with its node: checkpoints are made so often (none)");
  add("--seed", typed.seed, "of all that is left to chance here (0)");
}

Result<ModelOptions> model_options(const TypedModel& typed) {
  ModelOptions options;
  Result<void> first{};
  const auto take = [&first](const auto& read, auto& into) {
    if (first && !read) first = tl::unexpected(read.error());
    if (read) into = *read;
  };
  take(seconds_option("--penalty", typed.penalty), options.penalty);
  if (!typed.migration_penalty.empty()) {
    take(seconds_option("--migration-penalty", typed.migration_penalty), options.migration_penalty);
  }
  take(chance_option("--communication", typed.communication), options.communication);
  options.network = typed.network;
  if (!typed.jitter.empty()) take(seconds_option("--jitter", typed.jitter), options.jitter);
  if (!typed.lost.empty()) take(chance_option("--lose", typed.lost), options.lost);
  if (!typed.crash.empty()) take(chance_option("--crash", typed.crash), options.crash);
  take(seed_option("--seed", typed.seed, UINT32_MAX), options.seed);
  options.mttr = seconds(3600);
  if (!typed.mtbf.empty()) {
    take(seconds_option("--mtbf", typed.mtbf), options.mtbf);
    if (first && options.mtbf < seconds(1))
      first = tl::unexpected(bad_option("--mtbf", "must be at least 1"));
  } else if (!typed.mttr.empty()) {
    first = tl::unexpected(bad_option("--mttr", "goes with --mtbf: without it no node fails"));
  }
  if (!typed.mttr.empty()) take(seconds_option("--mttr", typed.mttr), options.mttr);
  if (!typed.checkpoint.empty()) {
    options.checkpoint.emplace();
    take(seconds_option("--checkpoint", typed.checkpoint), *options.checkpoint);
    if (first && options.checkpoint->raw == 0)
      first = tl::unexpected(bad_option("--checkpoint", "must be more than 0"));
  }
  if (first) first = read_by_kind<Duration>("--delay", typed.delay, options.delay, seconds_option);
  if (first)
    first = read_by_kind<std::int64_t>("--bandwidth", typed.bandwidth, options.bandwidth, bandwidth_option);
  if (first) first = read_by_kind<std::uint32_t>("--fail", typed.fail, options.fail, chance_option);
  if (!first) return tl::unexpected(first.error());
  return options;
}

void add_output_option(CLI::App& command, std::string& typed, const std::vector<std::string>& forms) {
  typed = forms.front();
  command.add_option("-o,--output", typed, "form of the output")
      ->check(CLI::IsMember(forms))
      ->capture_default_str();
  command.add_flag_callback(
      "--json", [&typed] { typed = "json"; }, "the same as -o json");
}

}  // namespace aliquot
