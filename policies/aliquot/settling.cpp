#include "policies/aliquot/settling.hpp"

#include <algorithm>
#include <utility>

#include "policies/aliquot/known_lists.hpp"

namespace aliquot {

namespace {

constexpr Yield kWhileStalled{kMillion / 100};
constexpr int kLooks = 8;

double real(Cpu cpu) { return static_cast<double>(cpu.raw); }

}  // namespace

void CrowdStakes::index(std::span<const Crowd> crowds, std::span<const CrowdPart> parts,
                        std::size_t members) {
  from_.assign(members + 1, 0);
  for (const CrowdPart& part : parts) ++from_[part.member];
  std::uint32_t end = 0;
  for (std::uint32_t& from : from_) from = end += from;
  stakes_.resize(parts.size());
  for (std::uint32_t k = 0; k < crowds.size(); ++k) {
    for (std::uint32_t at = crowds[k].first; at < crowds[k].last; ++at)
      stakes_[--from_[parts[at].member]] = {k, parts[at].units};
  }
}

Settling::Settling(const Draft& draft, const Outlooks& outlooks, const Crowded& crowded)
    : draft_(draft),
      outlooks_(outlooks),
      crowded_(crowded),
      search_(draft.memory()),
      rising_(crowded.members.size()),
      places_(draft.memory()),
      settled_(crowded.members.size(), kNever, draft.memory()),
      turns_(draft.memory()) {
  places_.reserve(crowded.crowds.size());
  for (const Crowd& crowd : crowded.crowds)
    places_.push_back({{crowd.spare, 0}, {}, crowd.last - crowd.first, false});
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
  for (const auto& [crowd, units] : crowded_.stakes.of(member)) {
    Place& place = places_[crowd];
    if (place.done) continue;
    place.now.spare -= each * units;
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
    std::uint64_t hash = 0;
    const auto parts = parts_of(k);
    for (const CrowdPart& part : parts) {
      if (is_rising(part.member)) hash += hash_of(part.member, part.units);
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
    std::uint32_t& number = known.find(hash, same);
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

// Has any of them somebody to settle whom the other has too?
bool Settling::are_related(std::uint32_t a, std::uint32_t b) const {
  const auto others = parts_of(b);
  return std::any_of(parts_of(a).begin(), parts_of(a).end(), [&](const CrowdPart& part) {
    return is_rising(part.member) && std::any_of(others.begin(), others.end(), [&](const CrowdPart& other) {
             return other.member == part.member;
           });
  });
}

// No other crowd can come before the first, or it makes no difference. Looks at few: where many are close,
// a level is soon searched.
bool Settling::first_is_worst() const {
  int looks = kLooks;
  return turns_.first().level().exact() || turns_.all_close([&](std::uint32_t other) {
    return --looks >= 0 && !are_related(turns_.first().entry, other);
  });
}

// If it has changed since its level was found, it is found as things are now. Does it fall? Then another
// may be the worst.
bool Settling::falls(std::uint32_t crowd, LevelRange& level) {
  Place& place = places_[crowd];
  if (!place.stale()) return false;
  const LevelRange before = std::exchange(level, range_of(crowd, place.now));
  bool falls = level.high < before.low;
  if (!falls && level.low < before.high) {  // nobody knows yet
    level = exactly(crowd, place.now);
    falls = level.low < (before.exact() ? before : exactly(crowd, place.known)).low;
  }
  place.known = place.now;
  return falls;
}

void Settling::settle_crowd(std::uint32_t crowd, LevelRange level, Yields& yields) {
  Place& place = places_[crowd];
  const auto parts = parts_of(crowd);
  if (!level.exact()) {
    const bool certain = std::all_of(parts.begin(), parts.end(), [&](const CrowdPart& part) {
      return !is_rising(part.member) ||
             yield_at(part.member, level.low) == yield_at(part.member, level.high);
    });
    if (!certain) level = exactly(crowd, place.known);
  }
  place.done = true;
  ++time_;
  for (const CrowdPart& part : parts) {
    if (is_rising(part.member))
      freeze(part.member, level.low > 0 ? yield_at(part.member, level.low) : kFullYield, yields);
  }
}

void Settling::take_turn(Yields& yields) {
  const std::uint32_t crowd = turns_.first().entry;
  LevelRange level = turns_.first().level();
  if (places_[crowd].rising > 0) {
    if (!first_is_worst()) return turns_.replace_first(exactly(crowd, places_[crowd].known));
    if (falls(crowd, level)) return turns_.replace_first(level);
    settle_crowd(crowd, level, yields);
  }
  turns_.pop();
}

void Settling::settle(Yields& yields) {
  lend(yields);
  drop_dominated();
  turns_.reserve(places_.size());
  for (std::uint32_t k = 0; k < places_.size(); ++k) {
    places_[k].known = places_[k].now;
    if (!places_[k].done) turns_.add(range_of(k, places_[k].now), k);
  }
  turns_.begin();
  while (rising_ > 0) take_turn(yields);
}

}  // namespace aliquot
