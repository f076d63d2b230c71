#include "tools/sim/one_run.hpp"

#include <algorithm>
#include <future>
#include <iostream>
#include <system_error>

#include "tools/sim/exec/exec_policy.hpp"
#include "tools/sim/site_accounts.hpp"
#include "tools/sim/stopwatch.hpp"

namespace aliquot {
namespace {

struct Read {
  Result<Workload> workload = Workload{};
  double seconds = 0;
};

double seconds_since(std::int64_t start) {
  return static_cast<double>(monotonic_nanoseconds() - start) / 1e9;
}

Read read(const RunOptions& options, EarlyJobs* early) {
  const std::int64_t before = monotonic_nanoseconds();
  auto workload = read_workload(options.workload, options.read, early);
  return {std::move(workload), seconds_since(before)};
}

// Not if files are written during the run, if all jobs must be known beforehand, or if the policy is a
// program that a discarded run would ask in vain.
bool may_begin_early(const RunOptions& options) {
  const bool plain = options.events_out.empty() && options.journal_out.empty() &&
                     options.batsim_out.empty() && options.report.empty();
  const bool costs = std::ranges::any_of(options.model.bandwidth, [](auto rate) { return rate > 0; });
  return plain && !costs && !options.read.week && options.accounts.empty() &&
         !options.policy.starts_with("exec:");
}

// `jobs`: the run's own workload, or an empty one if the jobs come from `early`.
Result<void> simulate(OneRun& run, const Workload& jobs, const RunOptions& options,
                      std::unique_ptr<Policy> policy, EarlyJobs* early) {
  if (auto allowed = check_limits(jobs, options.accounts); !allowed) return allowed;
  auto outputs = RunOutputs::create({options.events_out, options.journal_out, options.batsim_out}, jobs,
                                    options.read.shape);
  if (!outputs) return tl::unexpected(outputs.error());
  run.outputs = std::move(*outputs);
  if (!options.report.empty())
    run.outputs->tell([&run](Instant now, const auto& events) { run.timeline.take(now, events); });
  run.outputs->watch(run.watchers);
  const std::int64_t before = monotonic_nanoseconds();
  run.simulation = std::make_unique<Simulation>(jobs, options.read.shape, options.model, std::move(policy),
                                                run.watchers, monotonic_nanoseconds, early);
  if (options.power) run.simulation->set_power(*options.power);
  run.simulation->set_needs(options.needs);
  if (!options.accounts.empty()) run.simulation->set_accounts(options.accounts);
  if (options.half_life) run.simulation->set_fair_share(*options.half_life);
  if (options.moves != MoveTerms{}) run.simulation->set_terms(MoveTermsChanged{options.moves});
  run.outputs->begin(run.simulation->scheduler().cluster().state());
  const auto done = run_guarded([&run] { return run.simulation->run(); });
  run.simulating_s = seconds_since(before);
  return done ? run.outputs->close(run.simulating_s) : done;
}

// Nothing if the run must be simulated again, now that the whole workload is known.
std::optional<Result<void>> simulate_early(OneRun& run, const RunOptions& options,
                                           std::unique_ptr<Policy> policy, Read& got) {
  static const Workload empty;
  EarlyJobs early;
  std::future<Read> reading;
  try {
    reading = std::async(std::launch::async, [&options, &early] { return read(options, &early); });
  } catch (const std::system_error&) {  // no thread can be created
    got = read(options, nullptr);
    return std::nullopt;
  }
  struct LetGo {
    EarlyJobs& jobs;
    ~LetGo() { (void)jobs.let_go(); }
  } const always{early};  // otherwise the reader could wait for ever
  auto simulated = simulate(run, empty, options, std::move(policy), &early);
  const bool withdrawn = early.let_go();
  got = reading.get();
  if (withdrawn) return std::nullopt;
  return simulated;
}

}  // namespace

Result<std::unique_ptr<OneRun>> run_once(const RunOptions& options) {
  auto policy = make_simulated_policy(options.policy);
  if (!policy) return fail(ErrorKind::invalid_argument, policy.error().message);
  auto run = std::make_unique<OneRun>();
  Read got;
  std::optional<Result<void>> simulated;
  if (may_begin_early(options))
    simulated = simulate_early(*run, options, std::move(*policy), got);
  else
    got = read(options, nullptr);
  if (!got.workload) return tl::unexpected(got.workload.error());
  for (const std::string& note : got.workload->notes) std::cerr << "aliquot-sim: note: " << note << "\n";
  if (!simulated) {
    run = std::make_unique<OneRun>();
    run->workload = std::move(*got.workload);
    if (!*policy) policy = make_simulated_policy(options.policy);
    simulated = simulate(*run, run->workload, options, std::move(*policy), nullptr);
  } else {
    run->workload = std::move(*got.workload);
  }
  run->reading_s = got.seconds;
  if (!*simulated) return tl::unexpected(simulated->error());
  return run;
}

}  // namespace aliquot
