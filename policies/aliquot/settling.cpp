#include "policies/aliquot/settling.hpp"

#include <algorithm>
#include <utility>

namespace aliquot {

namespace {

constexpr int kLooks = 8;

double real(Cpu cpu) { return static_cast<double>(cpu.raw); }

}  // namespace

void settle(const Draft& draft, const Outlooks& outlooks, const Floors& floors, const CrowdLists* lists,
            Hurry hurry, Yields& yields) {
  const RisingCrowds crowds(draft, outlooks, floors, lists, hurry, yields);
  Settling(crowds, yields, draft.memory()).settle();
}

Settling::Settling(const RisingCrowds& crowds, Yields& yields, std::pmr::memory_resource* memory)
    : crowds_(crowds),
      yields_(yields),
      search_(memory),
      rising_(crowds.members().size()),
      places_(memory),
      settled_(crowds.members().size(), kNever, memory),
      turns_(memory) {
  places_.reserve(crowds.crowds().size());
  for (const Crowd& crowd : crowds.crowds()) {
    const State now{crowd.spare, 0};
    places_.push_back({now, now, crowd.last - crowd.first, crowd.dropped});
  }
}

Yield Settling::yield_at(std::uint32_t member, double stretch) const {
  const CrowdMember& job = crowds_.members()[member];
  return std::max(job.floor, yield_from_solver(job.share(stretch)));
}

void Settling::freeze(std::uint32_t member, Yield yield) {
  settled_[member] = time_;
  --rising_;
  const CrowdMember& job = crowds_.members()[member];
  yields_[job.entry] = yield;
  const Cpu each = Cpu{static_cast<std::int64_t>(job.need)} * yield;
  for (const auto& [crowd, units] : crowds_.stakes_of(member)) {
    Place& place = places_[crowd];
    if (place.done) continue;
    place.now.spare -= each * units;
    place.now.time = time_;
    --place.rising;
  }
}

void Settling::gather(std::uint32_t crowd, const State& state) {
  search_.clear();
  for (const Part& part : parts_of(crowd)) {
    if (settled_[part.member] > state.time) search_.add(crowds_.members()[part.member], part.units);
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
  return std::any_of(parts_of(a).begin(), parts_of(a).end(), [&](const Part& part) {
    return is_rising(part.member) && std::any_of(others.begin(), others.end(), [&](const Part& other) {
             return other.member == part.member;
           });
  });
}

// If the first is at `low`, no other crowd can come before it, or it makes no difference. Looks at few:
// where many are close, a level is soon searched.
bool Settling::first_is_worst(double low) const {
  int looks = kLooks;
  return turns_.all_close(
      low, [&](std::uint32_t other) { return --looks >= 0 && !are_related(turns_.first().entry, other); });
}

// If it has changed since its level was found, it is found as things are now. Does it fall? Then another
// may be the worst; where none can, it need not be known.
bool Settling::falls(std::uint32_t crowd, LevelRange& level) {
  Place& place = places_[crowd];
  if (!place.stale()) return false;
  const LevelRange before = std::exchange(level, range_of(crowd, place.now));
  bool falls = level.high < before.low;
  if (!falls && level.low < before.high && !first_is_worst(level.low)) {
    level = exactly(crowd, place.now);
    falls = level.low < (before.exact() ? before : exactly(crowd, place.known)).low;
  }
  place.known = place.now;
  return falls;
}

void Settling::settle_crowd(std::uint32_t crowd, LevelRange level) {
  Place& place = places_[crowd];
  const auto parts = parts_of(crowd);
  if (!level.exact()) {
    const bool certain = std::all_of(parts.begin(), parts.end(), [&](const Part& part) {
      return !is_rising(part.member) ||
             yield_at(part.member, level.low) == yield_at(part.member, level.high);
    });
    if (!certain) level = exactly(crowd, place.known);
  }
  place.done = true;
  ++time_;
  for (const Part& part : parts) {
    if (is_rising(part.member))
      freeze(part.member, level.low > 0 ? yield_at(part.member, level.low) : kFullYield);
  }
}

void Settling::take_turn() {
  const std::uint32_t crowd = turns_.first().entry;
  LevelRange level = turns_.first().level();
  if (places_[crowd].rising > 0) {
    if (!level.exact() && !first_is_worst(level.low))
      return turns_.replace_first(exactly(crowd, places_[crowd].known));
    if (falls(crowd, level)) return turns_.replace_first(level);
    settle_crowd(crowd, level);
  }
  turns_.pop();
}

void Settling::settle() {
  turns_.reserve(places_.size());
  for (std::uint32_t k = 0; k < places_.size(); ++k) {
    if (!places_[k].done) turns_.add(range_of(k, places_[k].now), k);
  }
  turns_.begin();
  while (rising_ > 0) take_turn();
}

}  // namespace aliquot
