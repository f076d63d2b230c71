#include "tools/experiments/evolving/online_study.hpp"

#include <algorithm>
#include <cmath>

#include "manager/hypervisor/model/chance.hpp"
#include "tools/experiments/campaign/on_threads.hpp"
#include "tools/experiments/evolving/test_case.hpp"
#include "tools/sim/exec/exec_policy.hpp"
#include "tools/sim/generate/gpu_jobs.hpp"
#include "tools/sim/report.hpp"
#include "tools/sim/simulation.hpp"

namespace aliquot::evolving {
namespace {

// Draws of arrivals are apart from those of the applications, which have the same seed.
constexpr std::uint64_t kArrivalDraws = 100;

ClusterShape shape_of(const OnlineOptions& options) {
  ClusterShape shape;
  shape.nodes = options.nodes;
  return shape;
}

double area_of(const EvolutionProfile& profile) {
  double area = 0;
  for (const ProfileStep& step : profile.steps())
    area += to_seconds(step.duration) * static_cast<double>(step.nodes);
  return area;
}

std::int64_t most_nodes(const EvolutionProfile& profile) {
  return std::ranges::max_element(profile.steps(), {}, &ProfileStep::nodes)->nodes;
}

std::vector<LaterStep> later_steps(const EvolutionProfile& profile) {
  std::vector<LaterStep> later;
  Duration after;
  for (std::size_t k = 0; k + 1 < profile.steps().size(); ++k) {
    after = after + profile.steps()[k].duration;
    later.push_back({after, static_cast<std::uint32_t>(profile.steps()[k + 1].nodes)});
  }
  return later;
}

Result<OnlineRun> run(const OnlineOptions& options, const Workload& workload, std::string_view policy) {
  auto made = make_simulated_policy(std::string(policy));
  if (!made) return tl::unexpected(made.error());
  ModelOptions model;
  model.penalty = options.penalty;
  Collector collected;
  const ClusterShape shape = shape_of(options);
  Simulation simulation(workload, shape, model, *std::move(made), collected);
  if (auto done = run_guarded([&] { return simulation.run(); }); !done) return tl::unexpected(done.error());
  if (collected.refused > 0)
    return fail(ErrorKind::internal, "the checker refused a plan " + collected.first_refusal);
  const Summary summary = summarize(workload, shape, make_rows(workload, collected), collected);
  return OnlineRun{summary.avg_bounded_stretch, summary.max_bounded_stretch, summary.makespan};
}

}  // namespace

Workload online_workload(const OnlineOptions& options, Decimal load, std::uint32_t seed, bool evolving) {
  const ClusterShape shape = shape_of(options);
  const Chance chance(seed);
  const std::vector<EvolutionProfile> applications = random_applications(seed, options.jobs);
  double area = 0;
  for (const EvolutionProfile& profile : applications) area += area_of(profile);
  const double offered = static_cast<double>(load.pico) / static_cast<double>(kPico) * options.nodes;
  const double mean_gap = area / static_cast<double>(options.jobs) / offered;  // s
  Workload workload;
  Instant at;
  for (const EvolutionProfile& profile : applications) {
    TraceJob job;
    job.id = JobId{workload.jobs.size() + 1};
    job.submitted = at;
    job.tasks = static_cast<std::uint32_t>(evolving ? profile.steps().front().nodes : most_nodes(profile));
    job.cpu_need = Decimal{kPico};
    job.memory = options.memory;
    job.runtime = profile.total_duration();
    workload.jobs.push_back(make_job(job, shape));
    if (evolving) workload.profiles[job.id] = later_steps(profile);
    const double gap = -mean_gap * std::log(1 - uniform(chance, job.id.raw, kArrivalDraws));
    at = at + Duration{std::llround(gap * static_cast<double>(kMillion))};
  }
  return workload;
}

Result<OnlineStudy> online_study(const OnlineOptions& options, unsigned workers) {
  if (options.nodes < kWidestStep)
    return fail(ErrorKind::invalid_argument, "--nodes: steps of the applications ask for up to " +
                                                 std::to_string(kWidestStep) + " nodes: give as many");
  OnlineStudy study{options, {}};
  for (const Decimal load : options.loads)
    for (std::uint32_t k = 0; k < options.traces; ++k)
      study.traces.push_back({load, options.first_seed + k, {}});
  const std::size_t runs = study.traces.size() * kOnlineVariants.size();
  const auto done = on_threads(runs, workers, [&](std::size_t k) -> Result<void> {
    OnlineTrace& trace = study.traces[k / kOnlineVariants.size()];
    const OnlineVariant& variant = kOnlineVariants[k % kOnlineVariants.size()];
    const Workload workload = online_workload(options, trace.load, trace.seed, variant.evolving);
    const auto outcome = run(options, workload, variant.policy);
    if (!outcome) return tl::unexpected(outcome.error());
    trace.runs[k % kOnlineVariants.size()] = *outcome;
    return {};
  });
  if (!done) return tl::unexpected(done.error());
  return study;
}

}  // namespace aliquot::evolving
