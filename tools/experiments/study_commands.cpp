// `evaluate esp|gpu-mix|openb|evolving|evolving-online|moldable|power|predictions|collocation|validity`:
// studies that one run of the program finishes. Options as they are typed are checked here; what a study
// computes and writes stands in its own folder.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <iostream>
#include <memory>

#include "tools/experiments/campaign/campaign_options.hpp"
#include "tools/experiments/collocation/collocation_command.hpp"
#include "tools/experiments/commands.hpp"
#include "tools/experiments/evolving/evolving_report.hpp"
#include "tools/experiments/evolving/online_command.hpp"
#include "tools/experiments/fairness/fairness_command.hpp"
#include "tools/experiments/moldable/moldable_report.hpp"
#include "tools/experiments/needs/need_command.hpp"
#include "tools/experiments/openb/openb_report.hpp"
#include "tools/experiments/placement/experiments.hpp"
#include "tools/experiments/placement/study_report.hpp"
#include "tools/experiments/power/power_command.hpp"
#include "tools/experiments/prediction/prediction_command.hpp"
#include "tools/experiments/show_study.hpp"
#include "tools/experiments/validity/validity_command.hpp"
#include "tools/sim/commands.hpp"
#include "tools/sim/option_values.hpp"
#include "tools/sim/workload/limits.hpp"

namespace aliquot {
namespace {

// The placement papers: `evaluate esp` and `evaluate gpu-mix`.

struct TypedStudy {
  std::string seeds = "5", seed = "1", sigma = "5", interval, window, backfill_interval, size, workers, out;
  std::vector<std::string> workloads = gpu_mix_workloads(), experiments;
};

constexpr std::uint64_t kMostSeeds = 1'000;

Result<StudyOptions> study_options(const TypedStudy& typed) {
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
  options.window = typed.window;
  options.backfill_interval = typed.backfill_interval;
  options.size = typed.size;
  return options;
}

// Leaves only the named experiments; no names leave all.
Result<void> select(Study& study, const std::vector<std::string>& names) {
  if (names.empty()) return {};
  for (const std::string& name : names) {
    if (std::ranges::find(study.experiments, name, &Experiment::name) == study.experiments.end())
      return tl::unexpected(bad_option("--experiments", "there is no experiment '" + name + "': 1 to 8"));
  }
  std::erase_if(study.experiments, [&](const Experiment& experiment) {
    return std::ranges::find(names, experiment.name) == names.end();
  });
  return {};
}

int run(Result<Study> study, const TypedStudy& typed,
        const std::function<std::vector<Table>(const Study&)>& tables_of,
        const std::function<std::vector<OutputFile>(const Study&)>& files_of) {
  if (!study) return report_error(study.error());
  if (auto selected = select(*study, typed.experiments); !selected) return report_error(selected.error());
  const auto workers = workers_of(typed.workers);
  if (!workers) return report_error(workers.error());
  if (auto done = run_study(*study, *workers); !done) return report_error(done.error());
  return show_study(tables_of(*study), typed.out, [&] { return files_of(*study); });
}

int esp(const TypedStudy& typed) {
  const auto options = study_options(typed);
  if (!options) return report_error(options.error());
  const auto tables = [](const Study& study) { return std::vector<Table>{esp_table(study)}; };
  return run(esp_study(*options), typed, tables, esp_files);
}

int gpu_mix(const TypedStudy& typed) {
  const auto options = study_options(typed);
  if (!options) return report_error(options.error());
  return run(gpu_mix_study(*options, typed.workloads), typed, gpu_mix_tables, gpu_mix_files);
}

void add_study_options(CLI::App& command, TypedStudy& typed) {
  command.add_option("--seeds", typed.seeds, "so many workloads of each sort")->capture_default_str();
  command.add_option("--seed", typed.seed, "of the first; each further one has the next")
      ->capture_default_str();
  command
      .add_option("--sigma", typed.sigma,
                  "standard deviation of the times between arrivals, s (the paper gives none)")
      ->capture_default_str();
  command.add_option("--experiments", typed.experiments, "only these of 1 to 8")->delimiter(',');
  command.add_option("--interval", typed.interval, "seconds between two collective placements");
  command.add_option("--window", typed.window, "jobs that a collective placement looks at");
  command.add_option("--backfill-interval", typed.backfill_interval, "seconds between two backfills");
  command.add_option(
      "--size", typed.size,
      "priority of a job as large as the cluster, in minutes of waiting (the paper gives none)");
  command.add_option("--workers", typed.workers, "threads (as many as there are cores)");
  command.add_option("--out", typed.out, "a folder for tables, figures and a page");
}

void add_placement_studies(CLI::App& evaluate, int& exit_code) {
  const auto first = std::make_shared<TypedStudy>();
  CLI::App* paper = evaluate.add_subcommand(
      "esp", "ESP on CPU-GPU nodes: backfill against collective placement (IPSCHED, Tables 6 and 7)");
  add_study_options(*paper, *first);
  paper->callback([first, &exit_code] { exit_code = esp(*first); });

  const auto second = std::make_shared<TypedStudy>();
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

// `evaluate openb`

struct TypedOpenb {
  std::string nodes, tasks, out;
  std::string orders = "10", seed = "1";
  std::string policies = "FIT-BEST,FIT-DOT,FGD,FGD-FILL";
};

constexpr std::uint64_t kMostOrders = 10'000;

Result<OpenbOptions> openb_options(const TypedOpenb& typed) {
  const auto orders = count_option("--orders", typed.orders, kMostOrders);
  if (!orders) return tl::unexpected(orders.error());
  const auto seed = seed_option("--seed", typed.seed, UINT32_MAX);
  if (!seed) return tl::unexpected(seed.error());
  auto policies = canonical({typed.policies});
  if (!policies) return tl::unexpected(policies.error());
  return OpenbOptions{typed.nodes, typed.tasks, *std::move(policies), *seed, *orders};
}

int openb(const TypedOpenb& typed) {
  const auto options = openb_options(typed);
  if (!options) return report_error(options.error());
  const auto study = openb_study(*options);
  if (!study) return report_error(study.error());
  std::cout << as_text(openb_table(*study));
  if (typed.out.empty()) return 0;
  if (auto written = write_files(typed.out, openb_files(*study)); !written)
    return report_error(written.error());
  std::cout << "open " << typed.out << "/report.html\n";
  return 0;
}

void add_openb(CLI::App& evaluate, int& exit_code) {
  const auto typed = std::make_shared<TypedOpenb>();
  CLI::App* command = evaluate.add_subcommand(
      "openb", "tasks of a GPU cluster come until it is full: how much of its GPUs is then in use?");
  command
      ->add_option("--nodes", typed->nodes,
                   "CSV of the nodes (openb_node_list_all_node.csv of Alibaba's cluster-trace-gpu-v2023)")
      ->required();
  command->add_option("--tasks", typed->tasks, "CSV of the tasks (openb_pod_list_default.csv)")->required();
  command->add_option("--orders", typed->orders, "so many random orders")->capture_default_str();
  command->add_option("--seed", typed->seed, "of the first order; each further one has the next")
      ->capture_default_str();
  command->add_option("--policies", typed->policies, "A,B,...: which ones")->capture_default_str();
  command->add_option("--out", typed->out, "a folder for every run, the table and a page");
  command->callback([typed, &exit_code] { exit_code = openb(*typed); });
}

// `evaluate evolving`

struct TypedEvolving {
  std::string tests = "2000", seed = "1", nodes = "100", orders = "100", insertions = "1000", workers, out;
};

constexpr std::uint64_t kMostTests = 20'000;  // 100 MB of measures
constexpr std::uint64_t kMostSearched = 1'000'000;

Result<evolving::EvolvingOptions> evolving_options(const TypedEvolving& typed) {
  const auto tests = count_option("--tests", typed.tests, kMostTests);
  if (!tests) return tl::unexpected(tests.error());
  const auto seed = seed_option("--seed", typed.seed, UINT32_MAX);
  if (!seed) return tl::unexpected(seed.error());
  const auto nodes = count_option("--nodes", typed.nodes, evolving::kMostNodes);
  if (!nodes) return tl::unexpected(nodes.error());
  const auto orders = count_option("--orders", typed.orders, kMostSearched);
  if (!orders) return tl::unexpected(orders.error());
  const auto insertions = seed_option("--insertions", typed.insertions, kMostSearched);
  if (!insertions) return tl::unexpected(insertions.error());
  return evolving::EvolvingOptions{*tests, *seed, static_cast<std::int64_t>(*nodes), *orders, *insertions};
}

int evolving_command(const TypedEvolving& typed) {
  const auto options = evolving_options(typed);
  if (!options) return report_error(options.error());
  const auto workers = workers_of(typed.workers);
  if (!workers) return report_error(workers.error());
  const auto study = evolving::evolving_study(*options, *workers);
  if (!study) return report_error(study.error());
  return show_study(evolving::evolving_tables(*study), typed.out,
                    [&] { return evolving::evolving_files(*study); });
}

void add_evolving(CLI::App& evaluate, int& exit_code) {
  const auto typed = std::make_shared<TypedEvolving>();
  CLI::App* command = evaluate.add_subcommand(
      "evolving", "applications with evolution profiles, offline (Klein and Perez 2011, Tables 1 and 2)");
  command->add_option("--tests", typed->tests, "so many random test cases")->capture_default_str();
  command->add_option("--seed", typed->seed, "of the first; each further one has the next")
      ->capture_default_str();
  command->add_option("--nodes", typed->nodes, "of the cluster (the paper does not say)")
      ->capture_default_str();
  command->add_option("--orders", typed->orders, "random orders of the list to compare")
      ->capture_default_str();
  command->add_option("--insertions", typed->insertions, "insertions to try; 0: do not compare orders")
      ->capture_default_str();
  command->add_option("--workers", typed->workers, "threads (as many as there are cores)");
  command->add_option("--out", typed->out, "a folder for every test, the tables and a page");
  command->callback([typed, &exit_code] { exit_code = evolving_command(*typed); });
}

// `evaluate moldable`

struct TypedMoldable {
  TypedTraces traces{"2", "1", {"0.1", "0.3", "0.5", "0.7", "0.9"}};
  std::string workload, weeks, policy = "ALIQUOT", penalty = "300", acceptable = "2.5", threshold = "0.5";
  std::string workers, out;
};

constexpr std::uint64_t kMostMoldableTraces = 1'000;  // in memory all at once

Result<double> ratio_option(const std::string& option, const std::string& text) {
  const auto value = number_option(option, text, Decimal{1'000 * kPico});
  if (!value) return tl::unexpected(value.error());
  return static_cast<double>(value->pico) / static_cast<double>(kPico);
}

// The rules and what is simulated; the traces are checked already.
Result<moldable::MoldableOptions> moldable_options(const TypedMoldable& typed, SyntheticTraces traces) {
  const auto policies = canonical({typed.policy});
  if (!policies) return tl::unexpected(policies.error());
  if (policies->size() != 1) return tl::unexpected(bad_option("--policy", "give one policy"));
  const auto penalty = number_option("--penalty", typed.penalty, kLongestRuntime);
  if (!penalty) return tl::unexpected(penalty.error());
  const auto acceptable = ratio_option("--acceptable", typed.acceptable);
  if (!acceptable) return tl::unexpected(acceptable.error());
  if (*acceptable < 1) return tl::unexpected(bad_option("--acceptable", "must be at least 1"));
  const auto threshold = ratio_option("--threshold", typed.threshold);
  if (!threshold) return tl::unexpected(threshold.error());
  const auto weeks =
      typed.weeks.empty() ? Result<std::uint64_t>(0) : count_option("--weeks", typed.weeks, kMostTraces);
  if (!weeks) return tl::unexpected(weeks.error());
  return moldable::MoldableOptions{std::move(traces), typed.workload,        *weeks,
                                   policies->front(), to_duration(*penalty), {*threshold, std::nullopt},
                                   {*acceptable}};
}

Result<moldable::MoldableOptions> moldable_options(const TypedMoldable& typed) {
  auto traces = traces_of(typed.traces);
  if (!traces) return tl::unexpected(traces.error());
  if (traces->traces * traces->loads.size() > kMostMoldableTraces)
    return tl::unexpected(bad_option(
        "--traces", "times the number of loads must be at most " + std::to_string(kMostMoldableTraces)));
  return moldable_options(typed, *std::move(traces));
}

int moldable_command(const TypedMoldable& typed) {
  const auto options = moldable_options(typed);
  if (!options) return report_error(options.error());
  const auto workers = workers_of(typed.workers);
  if (!workers) return report_error(workers.error());
  const auto study = moldable::moldable_study(*options, *workers);
  if (!study) return report_error(study.error());
  return show_study(moldable::moldable_tables(*study), typed.out,
                    [&] { return moldable::moldable_files(*study); });
}

void add_moldable(CLI::App& evaluate, int& exit_code) {
  const auto typed = std::make_shared<TypedMoldable>();
  CLI::App* command = evaluate.add_subcommand(
      "moldable", "moldable jobs: fixed numbers of tasks against numbers chosen at their arrival");
  add_trace_options(*command, typed->traces);
  command->add_option("--workload", typed->workload,
                      "also the weeks of this log: HPC2N-2002-2.2-cln.swf.gz");
  command->add_option("--weeks", typed->weeks, "only so many, spread evenly over the log");
  command->add_option("--policy", typed->policy, "under which the traces are simulated")
      ->capture_default_str();
  command->add_option("--penalty", typed->penalty, "rescheduling penalty, seconds")->capture_default_str();
  command
      ->add_option("--acceptable", typed->acceptable,
                   "least stretch: how much slower than on its best number a job may be")
      ->capture_default_str();
  command->add_option("--threshold", typed->threshold, "load balance: of the difference of load factors")
      ->capture_default_str();
  command->add_option("--workers", typed->workers, "threads (as many as there are cores)");
  command->add_option("--out", typed->out, "a folder for every run, the tables and a page");
  command->callback([typed, &exit_code] { exit_code = moldable_command(*typed); });
}

void add_validity(CLI::App& evaluate, int& exit_code) {
  const auto typed = std::make_shared<ValidityOptions>();
  CLI::App* command = evaluate.add_subcommand(
      "validity", "one workload live on real local nodes, and simulated with the measured action costs");
  command->add_option("--out", typed->out, "folder: a live run in it is compared again, else one is made")
      ->required();
  command->add_option("--jobs", typed->jobs, "jobs of the live run (42)");
  command->add_option("--seed", typed->seed, "of its workload (1)");
  command->add_option("--policy", typed->policy, "of its manager (DYNMCB8-ASAP-PER-20+match)");
  command->add_option("--live", typed->live, "the program that makes the live run (tools/validity)");
  command->callback([typed, &exit_code] { exit_code = validity_command(*typed); });
}

}  // namespace

void add_study_commands(CLI::App& evaluate, int& exit_code) {
  add_validity(evaluate, exit_code);
  add_openb(evaluate, exit_code);
  add_evolving(evaluate, exit_code);
  add_evolving_online(evaluate, exit_code);
  add_moldable(evaluate, exit_code);
  add_power_study(evaluate, exit_code);
  add_prediction_study(evaluate, exit_code);
  add_need_study(evaluate, exit_code);
  add_fairness_study(evaluate, exit_code);
  add_collocation_study(evaluate, exit_code);
  add_placement_studies(evaluate, exit_code);
}

}  // namespace aliquot
