#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>

#include "tools/sim/campaign/campaign_options.hpp"
#include "tools/sim/commands.hpp"
#include "tools/sim/option_values.hpp"
#include "tools/sim/placement/experiments.hpp"
#include "tools/sim/placement/placement_commands.hpp"
#include "tools/sim/placement/study_files.hpp"

namespace aliquot {
namespace {

struct Typed {
  std::string seeds = "5", seed = "1", sigma = "5", interval, backfill_interval, size, workers, out;
  std::vector<std::string> workloads = gpu_mix_workloads(), experiments;
};

constexpr std::uint64_t kMostSeeds = 1'000;

Result<StudyOptions> study_options(const Typed& typed) {
  StudyOptions options;
  const auto seeds = count_option("--seeds", typed.seeds, kMostSeeds);
  if (!seeds) return tl::unexpected(seeds.error());
  const auto seed = seed_option("--seed", typed.seed, UINT32_MAX - *seeds);
  if (!seed) return tl::unexpected(seed.error());
  const auto sigma = number_option("--sigma", typed.sigma, Decimal{3'600 * kPico});
  if (!sigma) return tl::unexpected(sigma.error());
  options.seeds = static_cast<std::uint32_t>(*seeds);
  options.first_seed = static_cast<std::uint32_t>(*seed);
  options.sigma_s = static_cast<double>(sigma->pico) / static_cast<double>(kPico);
  options.interval = typed.interval;
  options.backfill_interval = typed.backfill_interval;
  options.size = typed.size;
  return options;
}

Result<void> write(const std::string& folder, const std::vector<NamedText>& files) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  for (const NamedText& named : files) {
    const std::string path = folder + "/" + named.name;
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << named.text;
    file.close();
    if (!file)
      return fail(ErrorKind::unavailable, path + ": cannot be written: check the folder and its space");
  }
  return {};
}

using FilesOf = std::vector<NamedText> (*)(const Study&);

// Only those that are named.
Result<void> narrow(Study& study, const std::vector<std::string>& names) {
  if (names.empty()) return {};
  for (const std::string& name : names) {
    const auto known = [&](const Experiment& experiment) { return experiment.name == name; };
    if (std::ranges::none_of(study.experiments, known))
      return tl::unexpected(bad_option("--experiments", "there is no experiment '" + name + "': 1 to 8"));
  }
  std::erase_if(study.experiments, [&](const Experiment& experiment) {
    return std::ranges::find(names, experiment.name) == names.end();
  });
  return {};
}

int conduct_study(Result<Study> study, const Typed& typed, FilesOf files_of,
                  const std::function<std::vector<Table>(const Study&)>& tables_of) {
  if (!study) return complain(study.error());
  if (auto narrowed = narrow(*study, typed.experiments); !narrowed) return complain(narrowed.error());
  const auto workers = workers_of(typed.workers);
  if (!workers) return complain(workers.error());
  if (auto done = run_study(*study, *workers); !done) return complain(done.error());
  for (const Table& table : tables_of(*study)) std::cout << as_text(table) << "\n";
  if (typed.out.empty()) return 0;
  if (auto written = write(typed.out, files_of(*study)); !written) return complain(written.error());
  std::cout << "open " << typed.out << "/report.html\n";
  return 0;
}

int esp(const Typed& typed) {
  const auto options = study_options(typed);
  if (!options) return complain(options.error());
  return conduct_study(esp_study(*options), typed, esp_files,
                       [](const Study& study) { return std::vector<Table>{esp_table(study)}; });
}

int gpu_mix(const Typed& typed) {
  const auto options = study_options(typed);
  if (!options) return complain(options.error());
  return conduct_study(gpu_mix_study(*options, typed.workloads), typed, gpu_mix_files, gpu_mix_tables);
}

void add_study_options(CLI::App& command, Typed& typed) {
  command.add_option("--seeds", typed.seeds, "so many workloads of each sort")->capture_default_str();
  command.add_option("--seed", typed.seed, "of the first; each further one has the next")
      ->capture_default_str();
  command
      .add_option("--sigma", typed.sigma, "standard deviation of the times between arrivals, s (unsaid)")
      ->capture_default_str();
  command.add_option("--experiments", typed.experiments, "only these of 1 to 8")->delimiter(',');
  command.add_option("--interval", typed.interval, "seconds between two collective placements");
  command.add_option("--backfill-interval", typed.backfill_interval, "seconds between two backfills");
  command.add_option("--size", typed.size,
                     "priority of a job as large as the cluster, in minutes of waiting (unsaid)");
  command.add_option("--workers", typed.workers, "threads (as many as there are cores)");
  command.add_option("--out", typed.out, "a folder for tables, figures and a page");
}

}  // namespace

void add_placement_studies(CLI::App& evaluate, int& exit_code) {
  const auto first = std::make_shared<Typed>();
  CLI::App* paper = evaluate.add_subcommand(
      "esp", "ESP on CPU-GPU nodes: backfill against collective placement (IPSCHED, Tables 6 and 7)");
  add_study_options(*paper, *first);
  paper->callback([first, &exit_code] { exit_code = esp(*first); });

  const auto second = std::make_shared<Typed>();
  second->seeds = "3";
  second->interval = "5";
  CLI::App* mix = evaluate.add_subcommand(
      "gpu-mix", "workloads of cores, nodes and GPUs: backfill, IPSCHED and AUCSCHED (AUCSCHED, sec. 6)");
  add_study_options(*mix, *second);
  mix->add_option("--workloads", second->workloads, "which of ESP, ESP+-4, I, II, III, IV, V")
      ->delimiter(',')
      ->capture_default_str();
  mix->callback([second, &exit_code] { exit_code = gpu_mix(*second); });
}

}  // namespace aliquot
