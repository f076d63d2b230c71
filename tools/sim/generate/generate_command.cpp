// `generate`: workloads by seed, on standard output.
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "tools/sim/commands.hpp"
#include "tools/sim/generate/dfrs_workload.hpp"
#include "tools/sim/generate/lublin.hpp"
#include "tools/sim/option_values.hpp"
#include "tools/sim/placement/placement_commands.hpp"
#include "tools/sim/workload/csv_writer.hpp"
#include "tools/sim/workload/limits.hpp"

namespace aliquot {
namespace {

struct Typed {
  std::string seed = "1", jobs = "1000", nodes = "128", load;
  bool typeless = false;
};

Result<LublinOptions> lublin_options(const Typed& typed) {
  LublinOptions options;
  const auto seed = seed_option("--seed", typed.seed, UINT32_MAX);
  if (!seed) return tl::unexpected(seed.error());
  const auto jobs = count_option("--jobs", typed.jobs, kMostJobs);
  if (!jobs) return tl::unexpected(jobs.error());
  const auto nodes = count_option("--nodes", typed.nodes, kMostTasks);
  if (!nodes) return tl::unexpected(nodes.error());
  options.seed = static_cast<std::uint32_t>(*seed);
  options.jobs = *jobs;
  options.nodes = static_cast<std::uint32_t>(*nodes);
  options.typeless = typed.typeless;
  return options;
}

int print(const std::string& text) {
  std::cout << text << std::flush;
  if (std::cout) return 0;
  return complain({ErrorKind::unavailable, "standard output cannot be written"});
}

int generate_lublin(const Typed& typed) {
  const auto options = lublin_options(typed);
  if (!options) return complain(options.error());
  return print(lublin_swf(lublin(*options), *options));
}

int generate_dfrs(const Typed& typed) {
  const auto options = lublin_options(typed);
  if (!options) return complain(options.error());
  DfrsOptions dfrs{options->seed, std::nullopt, options->jobs, options->nodes};
  if (!typed.load.empty()) {
    const auto load = number_option("--load", typed.load, Decimal{100 * kPico});
    if (!load) return complain(load.error());
    if (load->pico == 0) return complain(bad_option("--load", "must be more than 0"));
    dfrs.load = static_cast<double>(load->pico) / static_cast<double>(kPico);
  }
  const auto workload = dfrs_workload(dfrs);
  if (!workload) return complain(workload.error());
  return print(workload_csv(*workload));
}

void add_size_options(CLI::App& command, Typed& typed) {
  command.add_option("--seed", typed.seed, "of the random numbers: the same seed, the same workload")
      ->capture_default_str();
  command.add_option("--jobs", typed.jobs, "number of jobs")->capture_default_str();
  command.add_option("--nodes", typed.nodes, "width of the system")->capture_default_str();
}

}  // namespace

void add_generate_command(CLI::App& app, int& exit_code) {
  const auto typed = std::make_shared<Typed>();
  CLI::App* generate =
      app.add_subcommand("generate", "write a synthetic workload, or a view, to standard output");
  generate->require_subcommand(1);
  CLI::App* model = generate->add_subcommand("lublin", "SWF of the Lublin-Feitelson model of rigid jobs");
  add_size_options(*model, *typed);
  model->add_flag("--typeless", typed->typeless, "one stream of jobs, not batch and interactive ones");
  model->callback([typed, &exit_code] { exit_code = generate_lublin(*typed); });
  CLI::App* paper = generate->add_subcommand(
      "dfrs", "CSV as in the DFRS paper: Lublin-Feitelson jobs with CPU needs and memory");
  add_size_options(*paper, *typed);
  paper->add_option("--load", typed->load, "scale the time between arrivals to this load (else as it is)");
  paper->callback([typed, &exit_code] { exit_code = generate_dfrs(*typed); });
  add_generate_view(*generate, exit_code);
  add_placement_workloads(*generate, exit_code);
}

}  // namespace aliquot
