#include "tools/experiments/validity/validity_command.hpp"

#include <filesystem>
#include <iostream>

#include "policies/policy.hpp"
#include "tools/experiments/validity/live_driver.hpp"
#include "tools/experiments/validity/validity_report.hpp"
#include "tools/sim/commands.hpp"
#include "tools/sim/option_values.hpp"

namespace aliquot {
namespace {

constexpr std::uint64_t kMostLiveJobs = 1'000;
constexpr const char* kJournal = "/journal.jsonl";
constexpr const char* kWork = "/work.csv";

// tools/validity writes the work table last: a folder with one holds a complete live run.
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

// Refuses options that contradict the run in the folder.
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
  // Actions of the calibrating guests count as well.
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

}  // namespace

int validity_command(const ValidityOptions& options) {
  if (auto fine = check(options); !fine) return report_error(fine.error());
  if (!has_live_run(options.out))
    if (auto made = make_live_run(options); !made) return report_error(made.error());
  const auto validity = evaluate(options);
  if (!validity) return report_error(validity.error());
  if (auto written = write_files(options.out, validity_files(*validity)); !written)
    return report_error(written.error());
  for (const std::string& trouble : validity->live.troubles)
    std::cerr << "aliquot-sim: note: live: " << trouble << "\n";
  std::cout << as_text(costs_table(*validity)) << "\n" << as_text(models_table(*validity)) << "\n";
  const LiveComparison& judged = validity->models.front();
  std::cout << verdict(judged) << "\nopen " << options.out << "/report.html\n";
  return judged.within_bounds() ? 0 : 1;
}

}  // namespace aliquot
