#include "policies/aliquot/aliquot.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "policies/aliquot/admission.hpp"
#include "policies/aliquot/repacking.hpp"
#include "policies/aliquot/settling.hpp"
#include "policies/aliquot/steady.hpp"
#include "policies/dfrs/average_yield.hpp"
#include "policies/dfrs/greedy.hpp"

namespace aliquot {

namespace {

constexpr std::int64_t kSearchesOfShort = 3;  // 10 s of the 30
constexpr Duration kLeastBetweenSearches = seconds(1);
constexpr Duration kLeastBetweenRepacks = seconds(600);
constexpr std::int64_t kCostsBetweenRepacks = 12;
constexpr Duration kFree = seconds(1);  // an action that costs less is for nothing: no budget counts it
constexpr std::int32_t kMostTokens = 50;
constexpr double kLeastMicro = 0.5;  // less is now
constexpr double kOutlived = 2;      // times what was expected of a job: its share was worked out from that

Duration in_micro(double seconds) { return {std::llround(seconds * 1e6)}; }

// In which it gets so many seconds at full speed; no longer than a year.
double time_at(Yield yield, double at_full_speed) {
  constexpr double kYear = 365 * 86'400;
  const auto part = static_cast<double>(std::max<std::int64_t>(1, yield.raw)) / kMillion;
  return std::min(kYear, at_full_speed / part);
}

Duration between_searches(const AliquotSpec& spec) {
  return std::max(kLeastBetweenSearches, Duration{spec.short_job.raw / kSearchesOfShort});
}

Duration between_repacks(Duration cost) {
  return std::max(kLeastBetweenRepacks, cost * kCostsBetweenRepacks);
}

}  // namespace

ActionCosts Aliquot::costs(const ClusterView& view) const {
  if (spec_.cost) return {*spec_.cost, std::nullopt};
  const auto part = [&](Duration cost) {
    return Duration{multiply_divide(cost.raw, spec_.cost_percent, 100)};
  };
  return {part(view.costs.restart), part(view.costs.of_move())};
}

// What needs the budget.
bool Aliquot::improve(Board& board, std::int32_t pauses, Searched& found) const {
  const ClusterView& view = board.view();
  AliquotState& state = board.state();
  const auto arrived =
      static_cast<std::int32_t>(std::min<std::size_t>(view.cause.arrived.size(), kMostTokens));
  state.tokens = std::clamp(state.tokens + arrived - pauses, 0, kMostTokens);
  const Duration cost = costs(view).restart;
  const bool free = cost < kFree;
  const auto allowed = [&] {
    return spec_.budget && !free ? state.tokens : std::numeric_limits<std::int32_t>::max();
  };
  const auto spend = [&](std::int32_t actions) { state.tokens = std::max(0, state.tokens - actions); };
  bool packed = false;
  const bool repacks = spec_.repack == Repack::on || (spec_.repack == Repack::where_free && free);
  if (repacks && view.now - state.last_repack >= between_repacks(cost)) {
    state.last_repack = view.now;
    const auto changes = allowed() > 0 ? repack_if_better(board, allowed()) : std::nullopt;
    packed = changes.has_value();
    spend(changes.value_or(0));
  }
  if (spec_.local && search_now(view, state) && allowed() > 0 && move_one(board, found)) spend(1);
  return packed;
}

// At most so often; where room came free before its time, when that has come: otherwise who shares a node
// might go on doing so beside an empty one until something else happens.
bool Aliquot::search_now(const ClusterView& view, AliquotState& state) const {
  if (!has_event(view.cause) && !state.rebalance_deferred) return false;
  if (view.now - state.last_rebalance < between_searches(spec_)) {
    state.rebalance_deferred = state.rebalance_deferred || view.cause.completed || view.cause.disturbed;
    return false;
  }
  state.last_rebalance = view.now;
  state.rebalance_deferred = false;
  return true;
}

Yields Aliquot::yields(const Board& board, const Entries& placed, const Searched& found,
                       Hurry hurry) const {
  const Draft& draft = board.draft();
  if (spec_.fair) return fair_yields(draft);
  Yields yields(draft.size(), draft.memory());
  for (const std::uint32_t i : placed) yields[i] = kFullYield;
  std::optional<Floors> fresh;
  const Floors& floors = found.floors ? *found.floors : fresh.emplace(draft, board.outlooks(), spec_.floor);
  if (!floors.any()) return yields;
  settle(draft, board.outlooks(), floors, found.crowds ? &found.crowds->lists() : nullptr, hurry, yields);
  std::pmr::vector<PlacedDemand> sized(draft.memory());
  sized.reserve(placed.size());
  for (const std::uint32_t i : placed) sized.push_back({i, board.outlook(i).tasks, board.outlook(i).need});
  raise_average_yield(draft, sized, yields);
  keep_steady(draft, placed, board.outlooks(), floors, yields);
  return yields;
}

// The next instant of a job that is not placed, of one that will have use for its CPU again, of one that
// gets less than it needs and will have run twice as long as was expected of it, or of a search that is
// owed to such a one.
std::optional<Instant> Aliquot::wake_at(const Board& board, const Entries& placed, const Yields& yields,
                                        const FlatMap<JobId, Retry>& retries) const {
  const Instant now = board.view().now;
  Instant first = kNever;
  for (const auto& [job, retry] : retries)
    first = std::min(first, retry.not_before > now ? retry.not_before : kNever);
  std::optional<Instant> wake;
  if (first < kNever) wake = first;
  double soonest = std::numeric_limits<double>::infinity();  // micro-seconds: rounded once
  for (const std::uint32_t i : placed) {
    if (yields[i] >= kFullYield) continue;
    const double stall = board.stall_of(i);
    const double micro = 1e6 * (stall > 0 ? stall : time_at(yields[i], kOutlived * board.outlook(i).rest));
    if (micro >= kLeastMicro) soonest = std::min(soonest, micro);
  }
  if (soonest < std::numeric_limits<double>::infinity()) {
    Instant when = now + Duration{std::llround(soonest)};
    if (spec_.local && board.state().rebalance_deferred)
      when = std::min(when, board.state().last_rebalance + between_searches(spec_));
    if (!wake || when < *wake) wake = when;
  }
  return wake;
}

Plan Aliquot::decide(const ClusterView& view) const {
  Scratch::Lease lease(scratch_);
  Outsiders outsiders(lease.memory());
  outsiders.reserve(view.jobs.size());
  Draft draft(view, Draft::Start::as_in_force, lease.memory(), [&](std::uint32_t i, const Job& job) {
    if (job.placement.empty()) outsiders.push_back(outsider(i, job));
  });
  AliquotState state = AliquotState::remembered(draft);
  Board board(draft, spec_, state, costs(view));
  Attempts attempts(draft, outsiders);
  Admission admission(board, attempts, std::move(outsiders));
  admission.admit();
  admission.resume();
  Searched found;
  // Whom a packing has left out has no instant yet; everybody else has one, or stands, or cannot hope.
  const bool packed = improve(board, admission.pauses(), found);
  for (std::size_t i = 0; packed && i < draft.size(); ++i) {
    const bool left_out = !attempts.has_next(i) && !draft.placed(i) && board.hopeful(i);
    if (left_out) attempts.set(i, {0, view.now + admission.first_resume()});
  }
  const auto placed = draft.placed_entries();
  for (const std::uint32_t i : placed) {
    attempts.forget(i);
    if (draft.untouched(i)) continue;
    const Job& job = draft.job(i);
    if (job.phase == Phase::waiting || draft.placement(i) == Shares(job.placement)) continue;
    if (const double stall = board.stall_of(i); stall > 0)
      state.stalled_until[job.id] = view.now + in_micro(stall);
  }
  FlatMap<JobId, Retry> retries = attempts.retries();
  const bool hurries = spec_.hurry && !retries.empty();  // who waits for room tries again
  const Yields given = yields(board, placed, found, {hurries ? board.cost() : 0});
  Plan plan = draft.plan(given);
  plan.memory.retries = std::move(retries);
  plan.wake_at = wake_at(board, placed, given, plan.memory.retries);
  state.add(board.take_displacements());
  plan.memory.state = std::make_shared<AliquotState>(std::move(state));
  return plan;
}

}  // namespace aliquot
