#include "policies/aliquot/rebalancing.hpp"

#include <optional>
#include <utility>

namespace aliquot {

namespace {

constexpr double kWorthwhile = 0.98;  // of the largest stretch: a smaller gain is none

struct Move {
  std::uint32_t entry = 0;
  Placement to;
  double stretch = 0;  // the largest one after the move
};

// Tries the move of a job on the draft and takes it back; none if there is no other place for it.
std::optional<Move> try_move(PlanningState& planning, std::uint32_t i) {
  const Prediction before = planning.prediction(i);
  const Prediction after = planning.as_changed(i);
  const Placement from = planning.draft().placement(i);
  planning.remove(i);
  std::optional<Move> move;
  if (auto to = planning.placement_for(i); to && *to != from) {
    planning.put(i, *to, after);
    move = {i, *std::move(to),
            largest_stretch(planning.draft(), planning.predictions(), planning.spec().floor)};
    planning.remove(i);
  }
  planning.put(i, from, before);
  return move;
}

// Most moves cannot help, which is found out before a place is looked for.
std::optional<Move> best_move(PlanningState& planning, const Contention& contention,
                              const Contention::Worst& worst, double limit) {
  std::optional<Move> best;
  for (const std::uint32_t i : worst.jobs) {
    if (planning.draft().fixed(i) || !(planning.as_changed(i).at_full_speed < limit)) continue;
    if (contention.exceeds_without(i, limit)) continue;
    auto move = try_move(planning, i);
    if (!move || !(move->stretch < limit)) continue;
    limit = move->stretch;
    best = std::move(move);
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

bool rebalance(PlanningState& planning, const Contention& contention) {
  const Draft& draft = planning.draft();
  const Contention::Worst worst = contention.worst();
  const double limit = kWorthwhile * worst.stretch;
  if (stretch_at_full_speed(draft, planning.predictions()) >= limit) return false;
  const auto move = best_move(planning, contention, worst, limit);
  if (!move) return false;
  planning.displace(move->entry,
                    {Displacement::By::rebalancing, draft.id(beneficiary(planning, worst, move->entry)),
                     hundredths(worst.stretch), hundredths(move->stretch)});
  const Prediction moved = planning.as_changed(move->entry);
  planning.remove(move->entry);
  planning.put(move->entry, move->to, moved);
  return true;
}

}  // namespace aliquot
