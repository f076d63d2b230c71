#include "tools/experiments/moldable/molded_run.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "tools/experiments/moldable/moldable_jobs.hpp"
#include "tools/sim/exec/exec_policy.hpp"
#include "tools/sim/report.hpp"
#include "tools/sim/simulation.hpp"

namespace aliquot::moldable {
namespace {

std::uint32_t part_of(std::uint32_t submitted, double factor) {
  return static_cast<std::uint32_t>(std::max(1.0, static_cast<double>(submitted) * factor));
}

MoldingRule molding_rule(const StudyRule& rule, const MoldableOptions& options, std::uint32_t submitted) {
  switch (rule.kind) {
    case StudyRule::Kind::one_task:
      return Fixed{1};
    case StudyRule::Kind::of_submitted:
      return Fixed{part_of(submitted, rule.factor)};
    case StudyRule::Kind::load_balance:
      return options.load_balance;
    case StudyRule::Kind::least_stretch:
      return options.least_stretch;
    case StudyRule::Kind::largest:
      break;
  }
  return Fixed{};
}

// Molds the jobs as they arrive, and remembers what their stretches are relative to.
class Molding {
 public:
  Molding(const StudyRule& rule, const MoldableOptions& options, std::uint32_t nodes, std::uint64_t seed)
      : rule_(rule), options_(options), nodes_(nodes), chance_(seed) {}

  void operator()(const WorkloadJob& job, const ClusterView& view, Submission& submission) {
    const auto made = moldable_job(job, nodes_, chance_);
    if (!made) {
      error_ = made.error();
      return;
    }
    const MoldingChoice choice = mold(view, made->offer, molding_rule(rule_, options_, made->submitted));
    const Duration run_time = made->run_time_on(choice.tasks);
    submission.demand.tasks = choice.tasks;
    submission.demand.estimate = run_time;
    submission.program = ModelWork{run_time, 0};
    alone_[job.id] = made->alone();
    tasks_ += choice.tasks;
    work_ += to_seconds(run_time) * static_cast<double>((submission.demand.need * choice.tasks).raw) / 1e6;
  }

  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

  [[nodiscard]] RuleOutcome outcome(const std::vector<EndedJob>& ended) const {
    RuleOutcome outcome;
    const auto count = static_cast<double>(ended.size());
    double sum = 0;
    for (const EndedJob& job : ended) {
      const double alone = to_seconds(std::max(kStretchBound, alone_.at(job.job)));
      const double stretch = std::max(1.0, to_seconds(job.ended - job.submitted) / alone);
      outcome.largest_stretch = std::max(outcome.largest_stretch, stretch);
      sum += stretch;
    }
    outcome.mean_stretch = sum / count;
    outcome.mean_tasks = static_cast<double>(tasks_) / count;
    outcome.work = work_;
    return outcome;
  }

 private:
  const StudyRule& rule_;
  const MoldableOptions& options_;
  const std::uint32_t nodes_;
  const Chance chance_;
  std::map<JobId, Duration> alone_;
  std::uint64_t tasks_ = 0;
  double work_ = 0;
  std::optional<Error> error_;
};

}  // namespace

Result<RuleOutcome> molded_run(const Workload& workload, const ClusterShape& shape, const StudyRule& rule,
                               const MoldableOptions& options, std::uint64_t seed) {
  auto policy = make_simulated_policy(options.policy);
  if (!policy) return tl::unexpected(policy.error());
  ModelOptions model;
  model.penalty = options.penalty;
  Collector collected;
  Simulation simulation(workload, shape, model, *std::move(policy), collected);
  Molding molding(rule, options, shape.nodes, seed);
  simulation.set_molder(
      [&](const WorkloadJob& job, const ClusterView& view, Submission& made) { molding(job, view, made); });
  if (auto done = run_guarded([&] { return simulation.run(); }); !done) return tl::unexpected(done.error());
  if (molding.error()) return tl::unexpected(*molding.error());
  if (collected.refused > 0)
    return fail(ErrorKind::internal, "the checker refused a plan " + collected.first_refusal);
  return molding.outcome(collected.ended);
}

}  // namespace aliquot::moldable
