#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "tools/sim/commands.hpp"
#include "tools/sim/generate/esp.hpp"
#include "tools/sim/generate/gpu_mix.hpp"
#include "tools/sim/option_values.hpp"
#include "tools/sim/placement/placement_commands.hpp"
#include "tools/sim/workload/csv_writer.hpp"

namespace aliquot {
namespace {

struct Typed {
  std::string seed = "1", sigma = "5", mix = "V", most_cores = "1024", hours = "2";
  bool plain = false, vary = false;
};

double as_double(Decimal value) { return static_cast<double>(value.pico) / static_cast<double>(kPico); }

int print(const std::vector<GpuJob>& jobs) {
  std::cout << workload_csv(workload_of(jobs, {})) << std::flush;
  if (std::cout) return 0;
  return complain({ErrorKind::unavailable, "standard output cannot be written"});
}

int esp(const Typed& typed) {
  const auto seed = seed_option("--seed", typed.seed, UINT32_MAX);
  if (!seed) return complain(seed.error());
  const auto sigma = number_option("--sigma", typed.sigma, Decimal{3'600 * kPico});
  if (!sigma) return complain(sigma.error());
  return print(
      esp_jobs({static_cast<std::uint32_t>(*seed), !typed.plain, typed.vary, as_double(*sigma), {}}));
}

int gpu_mix(const Typed& typed) {
  const auto seed = seed_option("--seed", typed.seed, UINT32_MAX);
  if (!seed) return complain(seed.error());
  const auto sigma = number_option("--sigma", typed.sigma, Decimal{3'600 * kPico});
  if (!sigma) return complain(sigma.error());
  const auto mix = gpu_mix_named(typed.mix);
  if (!mix) return complain(mix.error());
  // More cores than nodes: a job of one core and one GPU a node would find too few nodes.
  const auto most = count_option("--most-cores", typed.most_cores, MachineL{}.nodes);
  if (!most) return complain(most.error());
  const auto hours = number_option("--hours", typed.hours, Decimal{1'000 * kPico});
  if (!hours) return complain(hours.error());
  GpuMixOptions options;
  options.mix = *mix;
  options.seed = static_cast<std::uint32_t>(*seed);
  options.most_cores = static_cast<std::uint32_t>(*most);
  options.ideal_s = as_double(*hours) * 3600;
  options.sigma_s = as_double(*sigma);
  return print(gpu_mix_jobs(options));
}

void add_common_options(CLI::App& command, Typed& typed) {
  command.add_option("--seed", typed.seed, "of the random numbers: the same seed, the same workload")
      ->capture_default_str();
  command.add_option("--sigma", typed.sigma, "standard deviation of the times between arrivals, s")
      ->capture_default_str();
}

}  // namespace

void add_placement_workloads(CLI::App& generate, int& exit_code) {
  const auto typed = std::make_shared<Typed>();
  CLI::App* benchmark = generate.add_subcommand(
      "esp", "CSV of the ESP-2 benchmark for 1,024 nodes of 8 cores and 2 GPUs (IPSCHED, sec. 5)");
  add_common_options(*benchmark, *typed);
  benchmark->add_flag("--plain", typed->plain,
                      "cores only: every type once (default: twice, once with GPUs)");
  benchmark->add_flag("--vary", typed->vary, "add a whole number from -4 to 4 to every size");
  benchmark->callback([typed, &exit_code] { exit_code = esp(*typed); });

  CLI::App* mix = generate.add_subcommand(
      "gpu-mix", "CSV of the workloads I to V for the same nodes (AUCSCHED, sec. 5.2)");
  add_common_options(*mix, *typed);
  mix->add_option("--mix", typed->mix, "I, II, III, IV or V")->capture_default_str();
  mix->add_option("--most-cores", typed->most_cores, "of a job")->capture_default_str();
  mix->add_option("--hours", typed->hours, "about: the makespan if nothing were lost")
      ->capture_default_str();
  mix->callback([typed, &exit_code] { exit_code = gpu_mix(*typed); });
}

}  // namespace aliquot
