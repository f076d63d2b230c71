#include "policies/aliquot/aliquot.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

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

Duration in_micro(double seconds) { return {std::llround(seconds * 1e6)}; }

// The time in which a job gets this many seconds at full speed; at most a year.
double time_at(Yield yield, double at_full_speed) {
  constexpr double kYear = 365 * 86'400;
  const auto part = static_cast<double>(std::max<std::int64_t>(1, yield.raw)) / kMillion;
  return std::min(kYear, at_full_speed / part);
}

Duration between_rebalances(const AliquotSpec& spec) {
  return std::max(kLeastBetweenRebalances, Duration{spec.short_job.raw / kRebalancesOfShort});
}

void refill(std::int32_t& tokens, const Cause& cause, std::int32_t preemptions) {
  const auto arrived = static_cast<std::int32_t>(std::min<std::size_t>(cause.arrived.size(), kMostTokens));
  tokens = std::clamp(tokens + arrived - preemptions, 0, kMostTokens);
}

void spend(std::int32_t& tokens, std::int32_t actions) { tokens = std::max(0, tokens - actions); }

// Jobs that a repacking has left out have no instant yet at which they may preempt others.
void schedule_left_out(const PlanningState& planning, Duration wait, RetrySchedule& retries) {
  for (std::size_t i = 0; i < planning.draft().size(); ++i)
    if (!retries.of(i) && planning.could_run(i)) retries.set(i, {0, planning.view().now + wait});
}

// A job that is resumed or moved serves a penalty that the view does not know until it has been done.
void remember_penalties(PlanningState& planning, std::span<const std::uint32_t> placed) {
  const Draft& draft = planning.draft();
  for (const std::uint32_t i : placed) {
    if (draft.untouched(i)) continue;
    const Job& job = draft.job(i);
    if (job.phase == Phase::waiting || draft.placement(i) == Shares(job.placement)) continue;
    if (const double penalty = planning.penalty_of(i); penalty > 0)
      planning.memory().stalled_until[job.id] = planning.view().now + in_micro(penalty);
  }
}

}  // namespace

Plan Aliquot::decide(const ClusterView& view) const {
  Scratch::Lease lease(scratch_);
  Draft draft(view, Draft::Start::as_in_force, lease.memory());
  PlanningState planning(draft, spec_, costs(view));
  std::int32_t& tokens = planning.memory().tokens;
  RetrySchedule retries(draft);

  // Rules 1 and 2: pending jobs are admitted, preempted jobs are resumed.
  Admission admission(planning, retries);
  admission.admit();
  admission.resume();
  refill(tokens, view.cause, admission.preemptions());

  if (repack_if_due(planning)) schedule_left_out(planning, admission.first_resume(), retries);

  // Rule 3: one job leaves the worst node.
  std::optional<Contention> contention;
  if (spec_.local && rebalance_is_due(planning) && allowance(planning) > 0 &&
      rebalance(planning, contention))
    spend(tokens, 1);

  // Rule 4: the CPU is shared. Jobs that wait for memory have an instant at which they try again.
  const auto placed = draft.placed_entries();
  for (const std::uint32_t i : placed) retries.clear(i);
  PolicyMemory memory{retries.by_job(), {}, {}};
  if (!contention) contention.emplace(draft, planning.predictions(), spec_.floor);
  const Yields yields =
      allocate_shares(planning, placed, *contention, spec_.hurry && !memory.retries.empty());

  remember_penalties(planning, placed);
  Plan plan = draft.plan(yields);
  plan.wake_at = wake_at(planning, placed, yields, memory.retries);
  memory.state = planning.take_memory();
  plan.memory = std::move(memory);
  return plan;
}

ActionCosts Aliquot::costs(const ClusterView& view) const {
  if (spec_.cost) return {*spec_.cost, std::nullopt};
  const auto part = [&](Duration cost) {
    return Duration{multiply_divide(cost.raw, spec_.cost_percent, 100)};
  };
  return {part(view.costs.restart), part(view.costs.of_move())};
}

bool Aliquot::actions_are_free(const ClusterView& view) const { return costs(view).restart < kFree; }

// How many jobs may still be moved or paused.
std::int32_t Aliquot::allowance(const PlanningState& planning) const {
  const bool limited = spec_.budget && !actions_are_free(planning.view());
  return limited ? planning.memory().tokens : std::numeric_limits<std::int32_t>::max();
}

// Were all jobs repacked?
bool Aliquot::repack_if_due(PlanningState& planning) const {
  const ClusterView& view = planning.view();
  AliquotState& memory = planning.memory();
  const Duration interval = std::max(kLeastBetweenRepacks, costs(view).restart * kCostsBetweenRepacks);
  const bool wanted =
      spec_.repack == Repack::on || (spec_.repack == Repack::where_free && actions_are_free(view));
  if (!wanted || view.now - memory.last_repack < interval) return false;
  memory.last_repack = view.now;
  const std::int32_t allowed = allowance(planning);
  const auto changes = allowed > 0 ? repack_if_better(planning, allowed) : std::nullopt;
  spend(memory.tokens, changes.value_or(0));
  return changes.has_value();
}

// A rebalance that comes too soon after the last one is deferred if memory came free: two jobs must not go
// on sharing a node beside an empty one until something else happens.
bool Aliquot::rebalance_is_due(PlanningState& planning) const {
  const ClusterView& view = planning.view();
  AliquotState& memory = planning.memory();
  if (!has_event(view.cause) && !memory.rebalance_deferred) return false;
  if (view.now - memory.last_rebalance < between_rebalances(spec_)) {
    memory.rebalance_deferred = memory.rebalance_deferred || view.cause.completed || view.cause.disturbed;
    return false;
  }
  memory.last_rebalance = view.now;
  memory.rebalance_deferred = false;
  return true;
}

// The next instant at which a job that is not placed may preempt others, a penalty ends, a job that gets
// less than it needs has run twice as long as was expected of it, or a deferred rebalance is due.
std::optional<Instant> Aliquot::wake_at(const PlanningState& planning, Entries placed, const Yields& yields,
                                        const FlatMap<JobId, Retry>& retries) const {
  const Instant now = planning.view().now;
  Instant next = kNever;
  for (const auto& [job, retry] : retries)
    if (retry.not_before > now) next = std::min(next, retry.not_before);
  double soonest = std::numeric_limits<double>::infinity();  // microseconds: rounded once
  for (const std::uint32_t i : placed) {
    if (yields[i] >= kFullYield) continue;
    const double penalty = planning.penalty_of(i);
    const double outlived = time_at(yields[i], kOutlived * planning.predictions()[i].remaining);
    const double micro = 1e6 * (penalty > 0 ? penalty : outlived);
    if (micro >= kLeastMicro) soonest = std::min(soonest, micro);
  }
  if (soonest < std::numeric_limits<double>::infinity()) {
    next = std::min(next, now + Duration{std::llround(soonest)});
    if (spec_.local && planning.memory().rebalance_deferred)
      next = std::min(next, planning.memory().last_rebalance + between_rebalances(spec_));
  }
  return next < kNever ? std::optional(next) : std::nullopt;
}

}  // namespace aliquot
