#include "policies/aliquot/aliquot.hpp"

#include <algorithm>
#include <limits>

#include "policies/aliquot/admission.hpp"
#include "policies/aliquot/rebalancing.hpp"
#include "policies/aliquot/repacking.hpp"
#include "policies/aliquot/share_allocation.hpp"
#include "policies/dfrs/greedy.hpp"

namespace aliquot {

namespace {

constexpr std::int32_t kMostTokens = 50;
constexpr Duration kFree = seconds(1);          // an action that costs less than this is free
constexpr std::int64_t kRebalancesOfShort = 3;  // every 10 s of the 30
constexpr Duration kLeastBetweenRebalances = seconds(1);
constexpr Duration kLeastBetweenRepacks = seconds(600);
constexpr std::int64_t kCostsBetweenRepacks = 12;
constexpr double kOutlived = 2;      // times the expected remaining time, on which the share of a job rests
constexpr double kLeastMicro = 0.5;  // microseconds: sooner than that is now
constexpr double kYear = 365 * 86'400;

bool actions_are_free(const PlanningState& planning) { return planning.told_costs().restart < kFree; }

// --- the token bucket ---

// How many jobs may still be moved or paused. Where actions are free, no tokens are needed.
std::int32_t allowance(const PlanningState& planning) {
  const bool limited = planning.spec().budget && !actions_are_free(planning);
  return limited ? planning.memory().tokens : std::numeric_limits<std::int32_t>::max();
}

// Each submission adds a token, each move or pause takes one.
void change_tokens(PlanningState& planning, std::size_t submissions, std::int32_t actions) {
  const auto added = static_cast<std::int32_t>(std::min<std::size_t>(submissions, kMostTokens));
  std::int32_t& tokens = planning.memory().tokens;
  tokens = std::clamp(tokens + added - actions, 0, kMostTokens);
}

// --- what is done now and then ---

bool repack_is_due(const PlanningState& planning) {
  const Repack repack = planning.spec().repack;
  const Duration interval =
      std::max(kLeastBetweenRepacks, planning.told_costs().restart * kCostsBetweenRepacks);
  const bool wanted = repack == Repack::on || (repack == Repack::where_free && actions_are_free(planning));
  return wanted && planning.view().now - planning.memory().last_repack >= interval;
}

void repack_if_due(PlanningState& planning) {
  if (!repack_is_due(planning)) return;
  planning.memory().last_repack = planning.view().now;
  if (const std::int32_t allowed = allowance(planning); allowed > 0)
    change_tokens(planning, 0, repack_if_better(planning, allowed));
}

Duration between_rebalances(const AliquotSpec& spec) {
  return std::max(kLeastBetweenRebalances, Duration{spec.short_job.raw / kRebalancesOfShort});
}

// A rebalance that comes too soon after the last one is deferred if memory came free: two jobs must not go
// on sharing a node beside an empty one until something else happens.
bool rebalance_is_due(PlanningState& planning) {
  const ClusterView& view = planning.view();
  AliquotState& memory = planning.memory();
  if (!planning.spec().local || (!has_event(view.cause) && !memory.rebalance_deferred)) return false;
  if (view.now - memory.last_rebalance < between_rebalances(planning.spec())) {
    memory.rebalance_deferred = memory.rebalance_deferred || view.cause.completed || view.cause.disturbed;
    return false;
  }
  memory.last_rebalance = view.now;
  memory.rebalance_deferred = false;
  return allowance(planning) > 0;
}

// --- when to decide again ---

// The seconds until the job has outlived the expectation on which its share rests, at most a year.
double until_outlived(const Prediction& job, Yield yield) {
  const auto part = static_cast<double>(std::max<std::int64_t>(1, yield.raw)) / kMillion;
  return std::min(kYear, kOutlived * job.remaining / part);
}

// The next instant at which a job that is not placed may preempt others, a penalty ends, a job that gets
// less than it needs has run twice as long as was expected of it, or a deferred rebalance is due.
std::optional<Instant> wake_at(const PlanningState& planning, const Yields& yields) {
  const Instant now = planning.view().now;
  const AliquotState& memory = planning.memory();
  Instant next = kNever;
  for (const auto& [job, retry] : planning.at_issue().retries_left_out())
    next = std::min(next, retry.not_before);
  double soonest = std::numeric_limits<double>::infinity();  // microseconds: rounded once
  for (std::size_t i = 0; i < planning.draft().size(); ++i) {
    if (const auto& retry = planning.retries()[i]; retry && retry->not_before > now)
      next = std::min(next, retry->not_before);
    if (!planning.draft().placed(i) || yields[i] >= kFullYield) continue;
    const double penalty = planning.penalty_of(i);
    const double micro =
        1e6 * (penalty > 0 ? penalty : until_outlived(planning.predictions()[i], yields[i]));
    if (micro >= kLeastMicro) soonest = std::min(soonest, micro);
  }
  if (soonest < std::numeric_limits<double>::infinity()) {
    next = std::min(next, now + Duration{std::llround(soonest)});
    if (planning.spec().local && memory.rebalance_deferred)
      next = std::min(next, memory.last_rebalance + between_rebalances(planning.spec()));
  }
  return next < kNever ? std::optional(next) : std::nullopt;
}

// Every job that waits for memory has an instant at which it tries again, also one that a repacking has
// left out.
void schedule_retries(PlanningState& planning) {
  for (std::size_t i = 0; i < planning.draft().size(); ++i) {
    std::optional<Retry>& retry = planning.retries()[i];
    if (planning.draft().placed(i)) {
      retry.reset();
    } else if (!retry && planning.could_run(i)) {
      retry = {0, planning.view().now + first_resume(planning)};
    }
  }
}

}  // namespace

Plan Aliquot::decide(const ClusterView& view) const {
  if (const auto few = JobsAtIssue::few(view))
    if (auto plan = decide_about(view, *few)) return *std::move(plan);
  return *decide_about(view, JobsAtIssue::all());
}

std::optional<Plan> Aliquot::decide_about(const ClusterView& view, const JobsAtIssue& at_issue) const {
  PlanningState planning(view, spec_, at_issue);
  if (!at_issue.are_all() && repack_is_due(planning)) return std::nullopt;

  // Rules 1 and 2: pending jobs are admitted, preempted jobs are resumed.
  Admission admission(planning);
  admission.admit();
  if (at_issue.left_out_matter(planning.draft(), admission.has_freed_memory())) return std::nullopt;
  admission.resume();
  change_tokens(planning, view.cause.arrived.size(), admission.preemptions());

  // Where actions are free, all jobs are repacked now and then.
  repack_if_due(planning);
  schedule_retries(planning);

  // Rule 3: one job leaves the worst node.
  Contention contention(planning.draft(), planning.predictions(), spec_.floor);
  if (rebalance_is_due(planning) && rebalance(planning, contention)) {
    change_tokens(planning, 0, 1);
    contention = Contention(planning.draft(), planning.predictions(), spec_.floor);
  }

  // Rule 4: the CPU is shared. While jobs wait for memory, there is waiting pressure.
  const bool waiting_pressure = spec_.hurry && planning.any_retries();
  const Yields yields = allocate_shares(planning, contention, waiting_pressure);

  Plan plan = planning.draft().plan(yields);
  plan.wake_at = wake_at(planning, yields);
  plan.memory = planning.take_memory();
  return plan;
}

}  // namespace aliquot
