// `generate lublin|dfrs|esp|gpu-mix`: workloads by seed, on standard output.
#include <iostream>

#include "tools/sim/commands.hpp"
#include "tools/sim/generate/dfrs_workload.hpp"
#include "tools/sim/generate/esp.hpp"
#include "tools/sim/generate/gpu_mix.hpp"
#include "tools/sim/generate/lublin.hpp"
#include "tools/sim/option_values.hpp"
#include "tools/sim/workload/limits.hpp"
#include "tools/sim/workload/writers.hpp"

namespace aliquot {
namespace {

double as_double(Decimal value) { return static_cast<double>(value.pico) / static_cast<double>(kPico); }

Result<LublinOptions> lublin_options(const GenerateOptions& typed) {
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
  return report_error({ErrorKind::unavailable, "standard output cannot be written"});
}

int print(const std::vector<GpuJob>& jobs) { return print(workload_csv(workload_of(jobs, {}))); }

}  // namespace

int generate_lublin_command(const GenerateOptions& typed) {
  const auto options = lublin_options(typed);
  if (!options) return report_error(options.error());
  return print(lublin_swf(lublin(*options), *options));
}

int generate_dfrs_command(const GenerateOptions& typed) {
  const auto options = lublin_options(typed);
  if (!options) return report_error(options.error());
  DfrsOptions dfrs{options->seed, std::nullopt, options->jobs, options->nodes};
  if (!typed.load.empty()) {
    const auto load = number_option("--load", typed.load, Decimal{100 * kPico});
    if (!load) return report_error(load.error());
    if (load->pico == 0) return report_error(bad_option("--load", "must be more than 0"));
    dfrs.load = as_double(*load);
  }
  const auto workload = dfrs_workload(dfrs);
  if (!workload) return report_error(workload.error());
  return print(workload_csv(*workload));
}

int generate_esp_command(const GpuWorkloadOptions& typed) {
  const auto seed = seed_option("--seed", typed.seed, UINT32_MAX);
  if (!seed) return report_error(seed.error());
  const auto sigma = number_option("--sigma", typed.sigma, Decimal{3'600 * kPico});
  if (!sigma) return report_error(sigma.error());
  return print(
      esp_jobs({static_cast<std::uint32_t>(*seed), !typed.plain, typed.vary, as_double(*sigma), {}}));
}

int generate_gpu_mix_command(const GpuWorkloadOptions& typed) {
  const auto seed = seed_option("--seed", typed.seed, UINT32_MAX);
  if (!seed) return report_error(seed.error());
  const auto sigma = number_option("--sigma", typed.sigma, Decimal{3'600 * kPico});
  if (!sigma) return report_error(sigma.error());
  const auto mix = gpu_mix_named(typed.mix);
  if (!mix) return report_error(mix.error());
  // At most the number of nodes: a job of one core and one GPU per node must fit.
  const auto most = count_option("--most-cores", typed.most_cores, MachineL{}.nodes);
  if (!most) return report_error(most.error());
  const auto hours = number_option("--hours", typed.hours, Decimal{1'000 * kPico});
  if (!hours) return report_error(hours.error());
  GpuMixOptions options;
  options.mix = *mix;
  options.seed = static_cast<std::uint32_t>(*seed);
  options.most_cores = static_cast<std::uint32_t>(*most);
  options.ideal_s = as_double(*hours) * 3600;
  options.sigma_s = as_double(*sigma);
  return print(gpu_mix_jobs(options));
}

}  // namespace aliquot
