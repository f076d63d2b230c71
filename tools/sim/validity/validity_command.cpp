#include "tools/sim/validity/validity_command.hpp"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>

#include "policies/policy.hpp"
#include "tools/sim/commands.hpp"
#include "tools/sim/option_values.hpp"
#include "tools/sim/validity/live_driver.hpp"
#include "tools/sim/validity/validity_report.hpp"

namespace aliquot {
namespace {

constexpr std::uint64_t kMostLiveJobs = 1'000;
constexpr const char* kJournal = "/journal.jsonl";
constexpr const char* kWork = "/work.csv";

// The work table is written last: where it stands, the live run is whole.
bool has_live_run(const std::string& folder) { return std::filesystem::exists(folder + kWork); }

Result<void> check(const ValidityOptions& options) {
  if (!options.jobs.empty())
    if (const auto jobs = count_option("--jobs", options.jobs, kMostLiveJobs); !jobs)
      return tl::unexpected(jobs.error());
  if (!options.seed.empty())
    if (const auto seed = seed_option("--seed", options.seed, UINT32_MAX); !seed)
      return tl::unexpected(seed.error());
  if (!options.policy.empty())
    if (const auto policy = make_policy(options.policy); !policy) return tl::unexpected(policy.error());
  return {};
}

Result<void> make_live_run(const ValidityOptions& options) {
  const std::string program = options.live.empty() ? live_driver() : options.live;
  if (program.empty())
    return fail(
        ErrorKind::not_found,
        "the live run is made by tools/validity of the source tree, which is not beside this program: "
        "name it with --live, or copy a run's journal.jsonl and work.csv to " +
            options.out);
  std::vector<std::string> words = {program, "--out", options.out, "--bin", own_folder()};
  const auto pass_on = [&](const char* name, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {name, value});
  };
  pass_on("--jobs", options.jobs);
  pass_on("--seed", options.seed);
  pass_on("--policy", options.policy);
  if (auto done = run_to_end(words); !done) return done;
  if (has_live_run(options.out)) return {};
  return fail(ErrorKind::internal, program + ": left no work.csv in " + options.out);
}

// Options that say otherwise than the run in the folder are a mistake, not a wish.
Result<void> check_same(const ValidityOptions& options, const LiveRun& live, std::size_t jobs) {
  const auto other = [&](const std::string& what) {
    return fail(ErrorKind::conflict, options.out + ": holds a live run " + what +
                                         ": choose another --out, or leave the option out");
  };
  if (!options.jobs.empty() && parse_count(options.jobs, kMostLiveJobs).value_or(0) != jobs)
    return other("of " + std::to_string(jobs) + " jobs");
  if (options.policy.empty()) return {};
  const auto wanted = make_policy(options.policy);
  const auto found = make_policy(live.policy);
  if (!wanted || !found || (*wanted)->name() != (*found)->name()) return other("under " + live.policy);
  return {};
}

Result<Validity> evaluate(const ValidityOptions& options) {
  auto live = read_live_run(options.out + kJournal);
  if (!live) return tl::unexpected(live.error());
  const auto work = read_work_table(options.out + kWork);
  if (!work) return tl::unexpected(work.error());
  if (auto same = check_same(options, *live, work->size()); !same) return tl::unexpected(same.error());
  auto measured = reenactment(*live, *work, WorkFrom::measured);
  if (!measured) return tl::unexpected(measured.error());
  const auto expected = reenactment(*live, *work, WorkFrom::expected);
  if (!expected) return tl::unexpected(expected.error());
  // What calibrating guests did before counts as well: an action is an action.
  Validity validity{std::move(*live), {}, std::move(*measured), {}};
  validity.costs = action_costs(validity.live.actions);
  const ModelOptions model = model_of(validity.costs);
  const auto add = [&](const char* name, const Reenactment& what,
                       const ModelOptions& costs) -> Result<void> {
    auto compared = compare_with_live(name, validity.live, what, costs);
    if (!compared) return tl::unexpected(compared.error());
    validity.models.push_back(std::move(*compared));
    return {};
  };
  auto done = add("measured costs, measured work", validity.what, model);
  if (done) done = add("measured costs, work expected before", *expected, model);
  if (done) done = add("no costs, measured work", validity.what, {});
  if (!done) return tl::unexpected(done.error());
  return validity;
}

Result<void> write(const std::string& folder, const ValidityFile& file) {
  const std::string path = folder + "/" + file.name;
  std::ofstream stream(path, std::ios::binary | std::ios::trunc);
  stream << file.text;
  stream.close();
  if (stream) return {};
  return fail(ErrorKind::unavailable, path + ": cannot be written: check the folder and its space");
}

}  // namespace

int validity_command(const ValidityOptions& options) {
  if (auto fine = check(options); !fine) return complain(fine.error());
  if (!has_live_run(options.out))
    if (auto made = make_live_run(options); !made) return complain(made.error());
  const auto validity = evaluate(options);
  if (!validity) return complain(validity.error());
  for (const ValidityFile& file : validity_files(*validity))
    if (auto written = write(options.out, file); !written) return complain(written.error());
  for (const std::string& trouble : validity->live.troubles)
    std::cerr << "aliquot-sim: note: live: " << trouble << "\n";
  std::cout << as_text(costs_table(*validity)) << "\n" << as_text(models_table(*validity)) << "\n";
  const LiveComparison& judged = validity->models.front();
  std::cout << verdict(judged) << "\nopen " << options.out << "/report.html\n";
  return judged.within_bounds() ? 0 : 1;
}

void add_validity_command(CLI::App& evaluate, int& exit_code) {
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

}  // namespace aliquot
