#include "policies/aliquot/settling.hpp"

#include <algorithm>

namespace aliquot {

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
      settled_(crowds.members().size(), 0, memory),
      turns_(memory) {
  places_.reserve(crowds.crowds().size());
  for (const Crowd& crowd : crowds.crowds()) places_.push_back({crowd.spare, crowd.last - crowd.first});
}

void Settling::freeze(std::uint32_t member, Yield yield) {
  settled_[member] = 1;
  --rising_;
  const CrowdMember& job = crowds_.members()[member];
  yields_[job.entry] = yield;
  const Cpu each = Cpu{static_cast<std::int64_t>(job.need)} * yield;
  for (const auto& [crowd, units] : crowds_.stakes_of(member)) {
    Place& place = places_[crowd];
    place.spare -= each * units;
    place.stale = true;
    --place.rising;
  }
}

double Settling::level_of(std::uint32_t crowd) {
  search_.clear();
  for (const Part& part : parts_of(crowd)) {
    if (settled_[part.member] == 0) search_.add(crowds_.members()[part.member], part.units);
  }
  return search_.level(static_cast<double>(places_[crowd].spare.raw));
}

void Settling::settle_crowd(std::uint32_t crowd, double level) {
  for (const Part& part : parts_of(crowd)) {
    if (settled_[part.member] != 0) continue;
    const CrowdMember& job = crowds_.members()[part.member];
    freeze(part.member, level > 0 ? std::max(job.floor, yield_from_solver(job.share(level))) : kFullYield);
  }
}

// If it has changed since its level was found, that is found as things are now; if it has fallen, another
// may be the worst.
void Settling::take_turn() {
  const CrowdTurn turn = turns_.first();
  const std::uint32_t crowd = turn.entry;
  Place& place = places_[crowd];
  if (place.rising == 0) return turns_.pop();
  double level = turn.level();
  if (place.stale) {
    place.stale = false;
    level = level_of(crowd);
    if (level < turn.level()) return turns_.replace_first(level);
  }
  turns_.pop();
  settle_crowd(crowd, level);
}

void Settling::settle() {
  turns_.reserve(places_.size());
  for (std::uint32_t k = 0; k < places_.size(); ++k) turns_.add(k, level_of(k));
  turns_.begin();
  while (rising_ > 0) take_turn();
}

}  // namespace aliquot
