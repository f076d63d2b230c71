#include "policies/aliquot/rebalancing.hpp"

#include <algorithm>
#include <utility>

namespace aliquot {

namespace {

constexpr double kWorthwhile = 0.98;  // of the largest stretch: a smaller gain is none

struct Move {
  std::uint32_t entry = 0;
  Placement to;
  double stretch = 0;  // the largest one after the move
};

// Tries the move of a job on the draft and takes it back; none if it does not lead below `limit`.
std::optional<Move> try_move(PlanningState& planning, const Contention& now, std::uint32_t i,
                             double limit) {
  const Prediction before = planning.prediction(i);
  const Prediction after = planning.as_changed(i);
  if (now.rules_out(limit, i, {}, after)) return std::nullopt;
  Draft& draft = planning.draft();
  const Placement from = draft.placement(i);
  planning.remove(i);
  std::optional<Move> move;
  auto to = planning.placement_for(i);
  if (to && *to != from && !now.rules_out(limit, i, *to, after)) {
    planning.put(i, *to, after);
    const double at_full_speed = stretch_at_full_speed(draft, planning.predictions());
    if (at_full_speed < limit) {
      const Contention moved(draft, planning.predictions(), planning.spec().floor);
      if (moved.is_within(limit))
        move = Move{i, *std::move(to), std::max(at_full_speed, moved.worst().stretch)};
    }
    planning.remove(i);
  }
  planning.put(i, from, before);
  return move;
}

std::optional<Move> best_move(PlanningState& planning, const Contention& now, double limit) {
  std::optional<Move> best;
  for (const std::uint32_t i : now.jobs_on_all_beyond(limit)) {
    if (planning.draft().fixed(i) || !(planning.as_changed(i).at_full_speed < limit)) continue;
    auto move = try_move(planning, now, i, best ? best->stretch : limit);
    if (move && (!best || move->stretch < best->stretch)) best = std::move(move);
  }
  return best;
}

// The job that the move helps: of the others on the worst node, the one that would end worst.
std::uint32_t beneficiary(const PlanningState& planning, const Contention::Worst& worst,
                          std::uint32_t moved) {
  std::uint32_t helped = moved;
  const Predictions predictions = planning.predictions();
  for (const std::uint32_t i : worst.jobs) {
    if (i == moved) continue;
    if (helped == moved || predictions[i].at_full_speed > predictions[helped].at_full_speed) helped = i;
  }
  return helped;
}

}  // namespace

bool rebalance(PlanningState& planning, std::optional<Contention>& contention) {
  const Draft& draft = planning.draft();
  contention.emplace(draft, planning.predictions(), planning.spec().floor);
  const Contention::Worst worst = contention->worst();
  const double limit = kWorthwhile * worst.stretch;
  if (stretch_at_full_speed(draft, planning.predictions()) >= limit) return false;
  const auto move = best_move(planning, *contention, limit);
  if (!move) return false;
  planning.displace(move->entry,
                    {Displacement::By::rebalancing, draft.id(beneficiary(planning, worst, move->entry)),
                     hundredths(worst.stretch), hundredths(move->stretch)});
  contention.reset();
  const Prediction moved = planning.as_changed(move->entry);
  planning.remove(move->entry);
  planning.put(move->entry, move->to, moved);
  return true;
}

}  // namespace aliquot
