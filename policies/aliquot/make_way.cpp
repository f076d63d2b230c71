#include "policies/aliquot/make_way.hpp"

#include <algorithm>

namespace aliquot {
namespace {

constexpr std::int64_t kFarLighter = 4;  // a quarter of the weight, or less
constexpr double kWorthwhile = 0.9;      // times as crowded as before: a smaller gain is none

// Does some node of the job need more CPU than it has, all jobs counted?
bool is_contended(const Draft& draft, std::size_t i) {
  return std::ranges::any_of(draft.placement(i), [&](const Share& share) {
    return draft.ledger(share.node.raw).load > draft.node(share.node.raw).capacity;
  });
}

// The CPU that is needed on the fullest node of the job, over what that node has. A job that weighs less
// than it counts so much less, since it is given so much less.
double crowding(const Draft& draft, std::size_t i) {
  const double its = factor_of(draft.job(i).demand.weight);
  std::vector<double> needed(draft.nodes());
  for (const std::uint32_t k : draft.placed_entries()) {
    const Demand& demand = draft.job(k).demand;
    const double each =
        static_cast<double>(demand.need.raw) * std::min(1.0, factor_of(demand.weight) / its);
    for (const Share& share : draft.placement(k)) needed[share.node.raw] += each * share.units;
  }
  double most = 1;
  for (const Share& share : draft.placement(i))
    most = std::max(most,
                    needed[share.node.raw] / static_cast<double>(draft.node(share.node.raw).capacity.raw));
  return most;
}

bool fits_where_it_stood(const Draft& draft, std::size_t i) {
  const Job& job = draft.job(i);
  return std::ranges::all_of(job.placement, [&](const Share& share) {
    return draft.slots(share.node.raw, job.demand) >= share.units;
  });
}

}  // namespace

bool makes_way_for(Weight lighter, Weight job) { return lighter.raw * kFarLighter <= job.raw; }

std::optional<Way> make_way(PlanningState& planning, std::size_t job,
                            std::span<const std::uint32_t> lighter) {
  Draft& draft = planning.draft();
  if (!is_contended(draft, job)) return std::nullopt;
  Way way;
  way.before = crowding(draft, job);
  const Placement first = draft.placement(job);
  const Prediction prediction = planning.prediction(job);
  planning.remove(job);
  for (const std::uint32_t k : lighter) planning.remove(k);
  (void)planning.place(job);
  way.after = crowding(draft, job);
  const bool is_better = way.after <= kWorthwhile * way.before;
  if (!is_better) {
    planning.remove(job);
    planning.put(job, first, prediction);
  }
  for (const std::uint32_t k : lighter) {
    if (fits_where_it_stood(draft, k)) {
      planning.put(k, draft.job(k).placement, planning.as_before(k));
    } else {
      way.paused.push_back(k);
    }
  }
  return is_better ? std::optional(std::move(way)) : std::nullopt;
}

}  // namespace aliquot
