// The shares of crowded nodes as they are meant: every crowd's level is searched at once, and again
// whenever it is its turn and something has changed. To the last bit what settle() comes to in a hurry.
#pragma once

#include <vector>

#include "policies/aliquot/crowd_level.hpp"
#include "policies/aliquot/crowd_lists.hpp"
#include "policies/aliquot/outlook.hpp"

namespace aliquot::naive {

class Settling {
 public:
  Settling(const Draft& draft, const Outlooks& outlooks, Yield floor)
      : draft_(draft), outlooks_(outlooks), lists_(draft) {
    settled_.resize(draft.size(), false);
    for (const auto& list : lists_.lists) crowds_.push_back({&list, draft.node(list.node).capacity});
    set_floors(floor);
  }

  void settle(Yields& yields) {
    for (const Claim& claim : lists_.claims) {
      const Yield guaranteed = floor_of(draft_.job(claim.entry).demand);
      if (!settled_[claim.entry] && outlooks_[claim.entry].stall > 0)
        freeze(claim.entry, std::max(guaranteed, std::min(floors_[claim.entry], Yield{10'000})), yields);
    }
    for (Crowd& crowd : crowds_) crowd.level = level_of(crowd), crowd.stale = false;
    while (Crowd* const worst = find_worst()) {
      if (worst->stale) {
        worst->stale = false;
        const double before = worst->level;
        worst->level = level_of(*worst);
        if (worst->level < before) continue;
      }
      worst->done = true;
      for (const Claim& claim : lists_.of(*worst->list)) {
        if (settled_[claim.entry]) continue;
        const Yield share = yield_from_solver(outlooks_[claim.entry].share(worst->level));
        freeze(claim.entry, worst->level > 0 ? std::max(floors_[claim.entry], share) : kFullYield, yields);
      }
    }
  }

 private:
  struct Crowd {
    const CrowdLists::List* list;
    Cpu spare;
    double level = 0;
    bool stale = false;
    bool done = false;
  };

  // By entry; where they and the guarantees are more than a node has, the guarantees alone stand.
  void set_floors(Yield floor) {
    floors_.resize(draft_.size(), kFullYield);
    for (const Crowd& crowd : crowds_) {
      const Yield fair = yield_for(crowd.spare, draft_.ledger(crowd.list->node).load);
      const Yield least{multiply_divide(fair.raw, floor.raw, kMillion)};
      for (const Claim& claim : lists_.of(*crowd.list))
        floors_[claim.entry] = std::min(floors_[claim.entry], least);
    }
    for (const Crowd& crowd : crowds_) {
      Cpu sum;
      for (const Claim& claim : lists_.of(*crowd.list)) {
        const Demand& demand = draft_.job(claim.entry).demand;
        sum += demand.need * std::max(floors_[claim.entry], floor_of(demand)) * claim.units;
      }
      if (sum <= crowd.spare) continue;
      for (const Claim& claim : lists_.of(*crowd.list)) floors_[claim.entry] = {};
    }
    for (std::size_t i = 0; i < draft_.size(); ++i)
      floors_[i] = std::max(floors_[i], floor_of(draft_.job(i).demand));
  }

  double level_of(const Crowd& crowd) const {
    LevelSearch search(std::pmr::get_default_resource());
    search.clear();
    for (const Claim& claim : lists_.of(*crowd.list)) {
      if (settled_[claim.entry]) continue;
      const Outlook& job = outlooks_[claim.entry];
      const double least = static_cast<double>(floors_[claim.entry].raw) * 1e-6;
      const auto need = static_cast<double>(draft_.job(claim.entry).demand.need.raw);
      search.add({need, least, job.flow + job.stall, job.rest, job.whole, job.at_full, claim.entry},
                 claim.units);
    }
    return search.level(static_cast<double>(crowd.spare.raw));
  }

  Crowd* find_worst() {
    Crowd* worst = nullptr;
    for (Crowd& crowd : crowds_)
      if (!crowd.done && (worst == nullptr || crowd.level > worst->level)) worst = &crowd;
    return worst;
  }

  void freeze(std::uint32_t entry, Yield yield, Yields& yields) {
    settled_[entry] = true;
    yields[entry] = yield;
    for (Crowd& crowd : crowds_) {
      for (const Claim& claim : lists_.of(*crowd.list)) {
        if (claim.entry != entry) continue;
        crowd.spare -= draft_.job(entry).demand.need * yield * claim.units;
        crowd.stale = true;
      }
    }
  }

  const Draft& draft_;
  const Outlooks& outlooks_;
  std::vector<Yield> floors_;
  CrowdLists lists_;
  std::vector<bool> settled_;
  std::vector<Crowd> crowds_;
};

}  // namespace aliquot::naive
