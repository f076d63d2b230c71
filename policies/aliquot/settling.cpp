// The shares themselves: crowd by crowd, the worst first.
#include <algorithm>

#include "policies/aliquot/crowds.hpp"

namespace aliquot {

namespace {

constexpr Yield kWhileStalled{kMillion / 100};

double real(Cpu cpu) { return static_cast<double>(cpu.raw); }

}  // namespace

void Crowds::index_parts() {
  stakes_from_.assign(members_.size() + 1, 0);
  for (const Part& part : parts_) ++stakes_from_[part.member];
  std::uint32_t end = 0;
  for (std::uint32_t& from : stakes_from_) from = end += from;
  stakes_.resize(parts_.size());
  for (std::uint32_t k = 0; k < crowds_.size(); ++k) {
    for (const Part& part : parts_of(crowds_[k])) stakes_[--stakes_from_[part.member]] = {k, part.units};
  }
}

Yield Crowds::yield_at(std::uint32_t member, double stretch) const {
  return std::max(floors_[member], yield_from_solver(outlooks_[members_[member].entry].share(stretch)));
}

void Crowds::freeze(std::uint32_t member, Yield yield, Yields& yields) {
  members_[member].rising = false;
  --rising_;
  const std::uint32_t entry = members_[member].entry;
  yields[entry] = yield;
  const Cpu each = draft_.job(entry).demand.need * yield;
  for (std::uint32_t k = stakes_from_[member]; k < stakes_from_[member + 1]; ++k) {
    Crowd& crowd = crowds_[stakes_[k].crowd];
    if (crowd.done) continue;
    crowd.spare -= each * stakes_[k].units;
    crowd.stale = true;
  }
}

void Crowds::lend(Yields& yields) {
  for (std::uint32_t m = 0; m < members_.size(); ++m) {
    if (!(members_[m].stall > 0)) continue;
    members_[m].lent = true;
    freeze(m, std::max(guaranteed_[m], std::min(floors_[m], kWhileStalled)), yields);
  }
  for (Crowd& crowd : crowds_) crowd.stale = false;
}

// What was bounded only is searched now, as it was at first; most crowds are settled by others before that.
// Then, if it has changed since, as it is now. False: another may be the worst.
bool Crowds::is_final(Turn& turn) {
  Crowd& crowd = crowds_[turn.crowd];
  const double before = turn.level;
  if (!turn.searched) {
    turn.searched = true;
    if (crowd.stale) gather(crowd, true);
    turn.level = search_.level(real(crowd.stale ? at_first_[turn.crowd] : crowd.spare));
    return false;
  }
  crowd.stale = false;
  turn.level = search_.level(real(crowd.spare));
  return !(turn.level < before);
}

// A heap whose first turn comes later than before.
void Crowds::put_in_order(std::span<Turn> turns) {
  if (turns.empty()) return;
  const Turn moved = turns.front();
  std::size_t at = 0;
  for (std::size_t child = 1; child < turns.size(); child = 2 * at + 1) {
    if (child + 1 < turns.size() && turns[child].comes_after(turns[child + 1])) ++child;
    if (!moved.comes_after(turns[child])) break;
    turns[at] = turns[child];
    at = child;
  }
  turns[at] = moved;
}

// The worst first; of equals the first. A level that is stale is an upper bound, and so is what was never
// searched.
void Crowds::settle(Yields& yields) {
  index_parts();
  rising_ = members_.size();
  lend(yields);
  at_first_.reserve(crowds_.size());
  std::pmr::vector<Turn> turns(draft_.memory());
  turns.reserve(crowds_.size());
  for (std::uint32_t k = 0; k < crowds_.size(); ++k) {
    at_first_.push_back(crowds_[k].spare);
    gather(crowds_[k], false);
    const double bound = search_.bound(real(crowds_[k].spare));
    turns.push_back({bound, k, !(bound > 0)});
  }
  std::make_heap(turns.begin(), turns.end(), [](const Turn& a, const Turn& b) { return a.comes_after(b); });
  while (rising_ > 0) {
    Crowd& crowd = crowds_[turns.front().crowd];
    if (!turns.front().searched || crowd.stale) {
      gather(crowd, false);
      if (!search_.empty() && !is_final(turns.front())) {
        put_in_order(turns);
        continue;
      }
    }
    crowd.done = true;
    const double level = turns.front().level;
    turns.front() = turns.back();
    turns.pop_back();
    put_in_order(turns);
    for (const Part& part : parts_of(crowd)) {
      if (!members_[part.member].rising) continue;
      freeze(part.member, level > 0 ? yield_at(part.member, level) : kFullYield, yields);
    }
  }
}

}  // namespace aliquot
