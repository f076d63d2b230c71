#include "policies/aliquot/settling.hpp"

#include <algorithm>
#include <utility>

#include "policies/aliquot/known_lists.hpp"

namespace aliquot {

namespace {

constexpr Yield kWhileStalled{kMillion / 100};

double real(Cpu cpu) { return static_cast<double>(cpu.raw); }

}  // namespace

Settling::Settling(const Draft& draft, const Outlooks& outlooks, const Crowded& crowded)
    : draft_(draft),
      outlooks_(outlooks),
      crowded_(crowded),
      search_(draft.memory()),
      rising_(crowded.members.size()),
      places_(draft.memory()),
      settled_(crowded.members.size(), kNever, draft.memory()),
      stakes_(draft.memory()),
      stakes_from_(draft.memory()),
      turns_(draft.memory()) {
  places_.reserve(crowded.crowds.size());
  for (const Crowd& crowd : crowded.crowds)
    places_.push_back({{crowd.spare, 0}, {}, crowd.last - crowd.first, false});
}

void Settling::index_parts() {
  stakes_from_.assign(crowded_.members.size() + 1, 0);
  for (const CrowdPart& part : crowded_.parts) ++stakes_from_[part.member];
  std::uint32_t end = 0;
  for (std::uint32_t& from : stakes_from_) from = end += from;
  stakes_.resize(crowded_.parts.size());
  for (std::uint32_t k = 0; k < places_.size(); ++k) {
    for (const CrowdPart& part : parts_of(k)) stakes_[--stakes_from_[part.member]] = {k, part.units};
  }
}

Yield Settling::yield_at(std::uint32_t member, double stretch) const {
  return std::max(crowded_.floors[member],
                  yield_from_solver(outlooks_[crowded_.members[member].entry].share(stretch)));
}

void Settling::freeze(std::uint32_t member, Yield yield, Yields& yields) {
  settled_[member] = time_;
  --rising_;
  const std::uint32_t entry = crowded_.members[member].entry;
  yields[entry] = yield;
  const Cpu each = Cpu{static_cast<std::int64_t>(crowded_.members[member].need)} * yield;
  for (std::uint32_t k = stakes_from_[member]; k < stakes_from_[member + 1]; ++k) {
    Place& place = places_[stakes_[k].crowd];
    if (place.done) continue;
    place.now.spare -= each * stakes_[k].units;
    place.now.time = time_;
    --place.rising;
  }
}

void Settling::lend(Yields& yields) {
  for (std::uint32_t m = 0; m < crowded_.members.size(); ++m) {
    if (!(crowded_.members[m].stall > 0)) continue;
    freeze(m, std::max(crowded_.guaranteed[m], std::min(crowded_.floors[m], kWhileStalled)), yields);
  }
}

void Settling::gather(std::uint32_t crowd, const State& state) {
  search_.clear();
  for (const CrowdPart& part : parts_of(crowd)) {
    if (settled_[part.member] > state.time) search_.add(crowded_.members[part.member], part.units);
  }
}

// Of two crowds of the same tasks, the others being settled, the one that has more to give is never the
// worst.
void Settling::drop_dominated() {
  KnownLists known(places_.size(), draft_.memory());
  for (std::uint32_t k = 0; k < places_.size(); ++k) {
    Place& place = places_[k];
    place.done = place.rising == 0;
    if (place.done) continue;
    ListHash hash;
    const auto parts = parts_of(k);
    for (const CrowdPart& part : parts) {
      if (is_rising(part.member)) hash.add(part.member, part.units);
    }
    const auto same = [&](std::uint32_t other) {
      if (places_[other].rising != place.rising) return false;
      const auto others = parts_of(other);
      auto at = others.begin();
      return std::all_of(parts.begin(), parts.end(), [&](const CrowdPart& part) {
        if (!is_rising(part.member)) return true;
        while (!is_rising(at->member)) ++at;
        return std::exchange(at, at + 1)->member == part.member && at[-1].units == part.units;
      });
    };
    std::uint32_t& number = known.find(hash.value(), same);
    if (number == 0) {
      number = k + 1;
      continue;
    }
    Place& other = places_[number - 1];
    const Cpu more = place.now.spare - other.now.spare;
    if (more.raw != 0) {
      gather(k, place.now);
      const Cpu larger = std::max(place.now.spare, other.now.spare);
      if (!search_.surely_higher(real(larger), std::abs(static_cast<double>(more.raw)))) continue;
    }
    (more.raw >= 0 ? place : other).done = true;
    if (more.raw < 0) number = k + 1;
  }
}

LevelRange Settling::exactly(std::uint32_t crowd, const State& state) {
  gather(crowd, state);
  const double level = search_.level(real(state.spare));
  return {level, level};
}

LevelRange Settling::range_of(std::uint32_t crowd, const State& state) {
  gather(crowd, state);
  if (const auto range = search_.range(real(state.spare))) return *range;
  const double level = search_.level(real(state.spare));
  return {level, level};
}

// A heap whose first turn comes later than before.
void Settling::put_first_in_order() {
  if (turns_.empty()) return;
  const Turn moved = turns_.front();
  std::size_t at = 0;
  for (std::size_t child = 1; child < turns_.size(); child = 2 * at + 1) {
    if (child + 1 < turns_.size() && turns_[child].comes_after(turns_[child + 1])) ++child;
    if (!moved.comes_after(turns_[child])) break;
    turns_[at] = turns_[child];
    at = child;
  }
  turns_[at] = moved;
}

// The first turn: none of the others can come before it. False: it had to be searched to know.
bool Settling::is_worst(Turn& turn) {
  if (turn.level.exact()) return true;
  for (std::size_t other = 1; other < std::min<std::size_t>(3, turns_.size()); ++other) {
    if (turns_[other].level.high < turn.level.low) continue;
    turn.level = exactly(turn.crowd, places_[turn.crowd].known);
    return false;
  }
  return true;
}

// If it has changed since its level was found, it is found as things are now. False: another may be the
// worst.
bool Settling::is_final(Turn& turn) {
  Place& place = places_[turn.crowd];
  if (!place.stale()) return true;
  const LevelRange before = turn.level;
  turn.level = range_of(turn.crowd, place.now);
  bool falls = turn.level.high < before.low;
  if (!falls && turn.level.low < before.high) {  // nobody knows yet
    turn.level = exactly(turn.crowd, place.now);
    falls = turn.level.low < (before.exact() ? before : exactly(turn.crowd, place.known)).low;
  }
  place.known = place.now;
  return !falls;
}

void Settling::settle_crowd(const Turn& turn, Yields& yields) {
  Place& place = places_[turn.crowd];
  LevelRange level = turn.level;
  const auto parts = parts_of(turn.crowd);
  if (!level.exact()) {
    const bool certain = std::all_of(parts.begin(), parts.end(), [&](const CrowdPart& part) {
      return !is_rising(part.member) || yield_at(part.member, level.low) == yield_at(part.member, level.high);
    });
    if (!certain) level = exactly(turn.crowd, place.known);
  }
  place.done = true;
  ++time_;
  for (const CrowdPart& part : parts) {
    if (is_rising(part.member))
      freeze(part.member, level.low > 0 ? yield_at(part.member, level.low) : kFullYield, yields);
  }
}

void Settling::settle(Yields& yields) {
  index_parts();
  lend(yields);
  drop_dominated();
  turns_.reserve(places_.size());
  for (std::uint32_t k = 0; k < places_.size(); ++k) {
    places_[k].known = places_[k].now;
    if (!places_[k].done) turns_.push_back({range_of(k, places_[k].now), k});
  }
  std::make_heap(turns_.begin(), turns_.end(),
                 [](const Turn& a, const Turn& b) { return a.comes_after(b); });
  while (rising_ > 0) {
    Turn& turn = turns_.front();
    if (places_[turn.crowd].rising > 0) {
      if (!is_worst(turn) || !is_final(turn)) {
        put_first_in_order();
        continue;
      }
      settle_crowd(turn, yields);
    }
    turns_.front() = turns_.back();
    turns_.pop_back();
    put_first_in_order();
  }
}

}  // namespace aliquot
