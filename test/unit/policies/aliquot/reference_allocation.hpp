// A reference implementation of progressive filling: the level of every group is found at once, and again
// whenever it is the group's turn and something has changed. Equal to fill_progressively to the last bit.
#pragma once

#include <utility>
#include <vector>

#include "policies/aliquot/contention_groups.hpp"
#include "policies/aliquot/stretch_level.hpp"

namespace aliquot::reference {

class ReferenceAllocation {
 public:
  ReferenceAllocation(const Draft& draft, Predictions predictions, Yield floor)
      : draft_(draft), predictions_(predictions), groups_(draft) {
    filled_.resize(draft.size(), false);
    for (std::size_t k = 0; k < groups_.size(); ++k) states_.push_back({k, groups_[k].capacity});
    set_floors(floor);
  }

  void allocate(Yields& yields) {
    for (const std::uint32_t entry : groups_.jobs()) {
      const Yield guaranteed = floor_of(draft_.job(entry).demand);
      if (predictions_[entry].penalty > 0)
        fix(entry, std::max(guaranteed, std::min(floors_[entry], Yield{10'000})), yields);
    }
    for (State& state : states_) state.level = level_of(state), state.stale = false;
    while (State* const worst = find_worst()) {
      if (worst->stale) {
        worst->stale = false;
        const double before = worst->level;
        worst->level = level_of(*worst);
        if (worst->level < before) continue;
      }
      worst->done = true;
      for (const auto& [entry, count] : groups_[worst->group].tasks) {
        if (filled_[entry]) continue;
        const Yield share = yield_from_solver(predictions_[entry].share(worst->level));
        fix(entry, worst->level > 0 ? std::max(floors_[entry], share) : kFullYield, yields);
      }
    }
  }

 private:
  struct State {
    std::size_t group;
    Cpu spare;
    double level = 0;
    bool stale = false;
    bool done = false;
  };

  // By entry; where floors and guarantees together are more than a node has, the guarantees alone hold.
  void set_floors(Yield floor) {
    floors_.resize(draft_.size(), kFullYield);
    for (const State& state : states_) {
      const Yield fair = yield_for(state.spare, groups_[state.group].load);
      const Yield least{multiply_divide(fair.raw, floor.raw, kMillion)};
      for (const auto& [entry, count] : groups_[state.group].tasks)
        floors_[entry] = std::min(floors_[entry], least);
    }
    for (const State& state : states_) {
      Cpu sum;
      for (const auto& [entry, count] : groups_[state.group].tasks) {
        const Demand& demand = draft_.job(entry).demand;
        sum += demand.need * std::max(floors_[entry], floor_of(demand)) * count;
      }
      if (sum <= state.spare) continue;
      for (const auto& [entry, count] : groups_[state.group].tasks) floors_[entry] = {};
    }
    for (std::size_t i = 0; i < draft_.size(); ++i)
      floors_[i] = std::max(floors_[i], floor_of(draft_.job(i).demand));
  }

  double level_of(const State& state) const {
    StretchLevel search;
    search.clear();
    for (const auto& [entry, count] : groups_[state.group].tasks)
      if (!filled_[entry]) search.add(predictions_[entry], count, floors_[entry]);
    return search.find(static_cast<double>(state.spare.raw));
  }

  State* find_worst() {
    State* worst = nullptr;
    for (State& state : states_)
      if (!state.done && (worst == nullptr || state.level > worst->level)) worst = &state;
    return worst;
  }

  void fix(std::uint32_t job, Yield yield, Yields& yields) {
    filled_[job] = true;
    yields[job] = yield;
    for (State& state : states_) {
      for (const auto& [entry, count] : groups_[state.group].tasks) {
        if (entry != job) continue;
        state.spare -= draft_.job(job).demand.need * yield * count;
        state.stale = true;
      }
    }
  }

  const Draft& draft_;
  const Predictions predictions_;
  std::vector<Yield> floors_;
  ContentionGroups groups_;
  std::vector<bool> filled_;
  std::vector<State> states_;
};

}  // namespace aliquot::reference
