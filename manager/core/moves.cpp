#include "manager/core/moves.hpp"

#include <algorithm>
#include <vector>

namespace aliquot {
namespace {

constexpr std::uint32_t kMostInARow = 7;  // 64 times the first

// Of the cool-down after so many moves in a row.
Duration length_of(const MoveTerms& terms, std::uint32_t moves) {
  return terms.cool_down * (std::int64_t{1} << (std::clamp(moves, 1U, kMostInARow) - 1));
}

void cool_down_until(ClusterState& state, DerivedJob& known, Instant until) {
  CoolDown& its = known.record->cool_down;
  state.cooling.erase({its.until, known.id});
  its.until = until;
  state.cooling.insert({until, known.id});
  known.changed = true;
}

}  // namespace

bool is_budget_used(const CoreState& state) {
  const std::uint32_t most = state.moves.at_a_time;
  if (most == 0) return false;
  std::int64_t moved = 0;
  for (const auto& [id, record] : state.records)
    moved += std::ranges::count_if(record.vms, [](const Vm& vm) { return migrates(vm) && !vm.unclear; });
  return moved >= most;
}

// The other moves of the same placement are no moves of their own.
void begin_move(ClusterState& state, DerivedJob& known) {
  const MoveTerms& terms = state.core.moves;
  if (terms.cool_down.raw == 0 || !known.job) return;
  CoolDown& its = known.record->cool_down;
  const Instant now = state.now();
  if (its.until <= now && !any_migrates(*known.record)) {
    const bool in_a_row = its.moves > 0 && now - its.until < length_of(terms, its.moves);
    its.moves = in_a_row ? std::min(its.moves + 1, kMostInARow) : 1;
  }
  cool_down_until(state, known, now + length_of(terms, its.moves));
}

void end_move(ClusterState& state, DerivedJob& known) {
  const CoolDown& its = known.record->cool_down;
  if (its.moves == 0 || !known.job) return;
  cool_down_until(state, known, state.now() + length_of(state.core.moves, its.moves));
}

void end_cool_downs(ClusterState& state) {
  while (!state.cooling.empty() && state.cooling.begin()->first <= state.now()) {
    state.derived.touch(state.derived.at(state.cooling.begin()->second), true);
    state.cooling.erase(state.cooling.begin());
  }
}

void forget_cool_down(ClusterState& state, DerivedJob& known) {
  CoolDown& its = known.record->cool_down;
  state.cooling.erase({its.until, known.id});
  its = {};
}

// Without cool-downs there are none, not even those that have begun.
void on(ClusterState& state, const MoveTermsChanged& event) {
  state.core.moves = event.terms;
  if (event.terms.cool_down.raw > 0) return;
  for (const auto& [id, record] : state.core.records) {
    if (record.cool_down == CoolDown{}) continue;
    DerivedJob& known = state.derived.at(id);
    state.derived.touch(known, true);
    forget_cool_down(state, known);
  }
}

}  // namespace aliquot
