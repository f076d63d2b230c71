#include "policies/aliquot/rising_crowds.hpp"

#include <algorithm>

#include "policies/aliquot/known_lists.hpp"

namespace aliquot {

namespace {

constexpr Yield kWhileStalled{kMillion / 100};
constexpr std::uint32_t kNone = UINT32_MAX;
constexpr std::size_t kAhead = 8;

Yield while_stalled(const Outlook& job, Yield floor) {
  return std::max(job.guaranteed, std::min(floor, kWhileStalled));
}

}  // namespace

RisingCrowds::RisingCrowds(const Draft& draft, const Outlooks& outlooks, const Floors& floors,
                           const CrowdLists* lists, Hurry hurry, Yields& yields)
    : hurry_(hurry),
      full_(draft.memory()),
      crowds_(draft.memory()),
      parts_(draft.memory()),
      members_(draft.memory()),
      stakes_(draft.memory()),
      stakes_from_(draft.memory()) {
  if (lists != nullptr) {
    gather_listed(draft, outlooks, floors, *lists, yields);
  } else {
    Numbers rising(draft.memory());
    Numbers at(draft.nodes(), kNone, draft.memory());
    gather_full(draft, floors, lend(draft, outlooks, floors, yields, rising), at);
    gather_parts(draft, outlooks, floors, rising, at);
  }
  if (full_.empty()) return;
  unite(draft.memory());
  index_stakes();
}

// What is left, and who shares it.
RisingCrowds::Lefts RisingCrowds::lend(const Draft& draft, const Outlooks& outlooks, const Floors& floors,
                                       Yields& yields, Numbers& rising) const {
  Lefts lefts(draft.memory());
  const auto jobs = floors.jobs();
  Numbers lending(jobs.size() + 1, draft.memory());
  rising.resize(jobs.size() + 1);
  std::size_t lend = 0;
  std::size_t rise = 0;
  for (const std::uint32_t i : jobs) {  // without branches: nobody could foretell them
    const bool lends = outlooks[i].stall > 0;
    lending[lend] = rising[rise] = i;
    lend += lends ? 1 : 0;
    rise += lends ? 0 : 1;
  }
  lending.resize(lend);
  rising.resize(rise);
  if (lend > 0) lefts = nothing_lent(draft);
  for (std::size_t k = 0; k < lending.size(); ++k) {
    if (k + kAhead < lending.size()) draft.prefetch_shares(lending[k + kAhead]);
    const std::uint32_t i = lending[k];
    const Outlook& job = outlooks[i];
    yields[i] = while_stalled(job, floors.of(i));
    const Cpu each = job.need * yields[i];
    for (const Share& share : draft.placement(i)) {
      lefts[share.node.raw].spare -= each * share.units;
      lefts[share.node.raw].load -= job.need * share.units;
    }
  }
  return lefts;
}

RisingCrowds::Lefts RisingCrowds::nothing_lent(const Draft& draft) {
  Lefts lefts(draft.nodes(), draft.memory());
  const NodeLedger* room = draft.capacity().all();
  Left* left = lefts.data();
  for (const NodeRun& run : draft.node_runs()) {
    const Cpu capacity = run.capacity;
    for (const Left* const end = left + run.count; left != end; ++left, ++room)
      *left = {capacity, room->load};
  }
  return lefts;
}

// Room for all their tasks.
void RisingCrowds::gather_full(const Draft& draft, const Floors& floors, const Lefts& lefts, Numbers& at) {
  const NodeLedger* const rooms = draft.capacity().all();
  std::uint32_t most = 0;
  const NodeRun* run = draft.node_runs().data();
  full_.resize(floors.crowded_nodes().size());
  Full* next = full_.data();
  for (const std::uint32_t n : floors.crowded_nodes()) {
    while (n >= run->first + run->count) ++run;
    const Left left = lefts.empty() ? Left{run->capacity, rooms[n].load} : lefts[n];
    if (left.load <= left.spare) continue;
    at[n] = static_cast<std::uint32_t>(next - full_.data());
    *next++ = {left.spare, 0, most, most};
    most += static_cast<std::uint32_t>(rooms[n].tasks);
  }
  full_.resize(static_cast<std::size_t>(next - full_.data()));
  parts_.resize(most);
}

void RisingCrowds::gather_parts(const Draft& draft, const Outlooks& outlooks, const Floors& floors,
                                const Numbers& rising, const Numbers& at) {
  members_.reserve(rising.size());
  for (std::size_t next = 0; next < rising.size(); ++next) {
    if (next + kAhead < rising.size()) draft.prefetch_shares(rising[next + kAhead]);
    const std::uint32_t i = rising[next];
    const auto member = static_cast<std::uint32_t>(members_.size());
    std::uint32_t units = 0;
    std::uint64_t hash = 0;
    for (const Share& share : draft.placement(i)) {
      const std::uint32_t k = at[share.node.raw];
      if (k == kNone) continue;
      if (share.units != units) hash = hash_of(member, units = share.units);
      parts_[full_[k].end++] = {member, units};
      full_[k].hash += hash;
    }
    if (units > 0) members_.push_back(member_of(outlooks[i], floors.of(i), i));
  }
}

// The same, list by list.
void RisingCrowds::gather_listed(const Draft& draft, const Outlooks& outlooks, const Floors& floors,
                                 const CrowdLists& lists, Yields& yields) {
  Numbers numbers(draft.size(), kNone, draft.memory());
  members_.reserve(draft.placed_count());
  parts_.resize(lists.claims.size());
  std::uint32_t end = 0;
  for (const CrowdLists::List& list : lists.lists) {
    Left left{draft.node(list.node).capacity, {}};
    for (const Claim& claim : lists.of(list)) {
      const Outlook& job = outlooks[claim.entry];
      if (job.stall > 0) {
        yields[claim.entry] = while_stalled(job, floors.of(claim.entry));
        left.spare -= job.need * yields[claim.entry] * claim.units;
      } else {
        left.load += job.need * claim.units;
      }
    }
    if (left.load <= left.spare) continue;
    Full full{left.spare, 0, end, end};
    for (const Claim& claim : lists.of(list)) {
      if (outlooks[claim.entry].stall > 0) continue;
      std::uint32_t& member = numbers[claim.entry];
      if (member == kNone) {
        member = static_cast<std::uint32_t>(members_.size());
        members_.push_back(member_of(outlooks[claim.entry], floors.of(claim.entry), claim.entry));
      }
      parts_[end++] = {member, claim.units};
      full.hash += hash_of(member, claim.units);
    }
    full.end = end;
    full_.push_back(full);
  }
}

// What was written node by node is moved together, each list once.
void RisingCrowds::unite(std::pmr::memory_resource* memory) {
  KnownLists known(full_.size(), memory);
  crowds_.reserve(full_.size());
  std::uint32_t end = 0;
  std::uint32_t last = 0;  // plus one: neighbours are often alike
  std::uint64_t last_hash = 0;
  for (const Full& node : full_) {
    const std::span<const Part> here(parts_.data() + node.first, node.end - node.first);
    const auto same = [&](std::uint32_t other) {
      const auto parts = parts_of(crowds_[other]);
      return std::equal(here.begin(), here.end(), parts.begin(), parts.end());
    };
    if (last == 0 || node.hash != last_hash || !same(last - 1)) {
      std::uint32_t& number = known.find(node.hash, same);
      if (number == 0) {
        crowds_.push_back({end, end + static_cast<std::uint32_t>(here.size()), node.spare});
        for (const Part& part : here) parts_[end++] = part;
        number = static_cast<std::uint32_t>(crowds_.size());
      }
      last = number;
      last_hash = node.hash;
    }
    Cpu& spare = crowds_[last - 1].spare;
    spare = std::min(spare, node.spare);
  }
  parts_.resize(end);
}

void RisingCrowds::index_stakes() {
  stakes_from_.assign(members_.size() + 1, 0);
  for (const Part& part : parts_) ++stakes_from_[part.member];
  std::uint32_t end = 0;
  for (std::uint32_t& from : stakes_from_) from = end += from;
  stakes_.resize(parts_.size());
  for (std::uint32_t k = 0; k < crowds_.size(); ++k) {
    for (const Part& part : parts_of(crowds_[k])) stakes_[--stakes_from_[part.member]] = {k, part.units};
  }
}

}  // namespace aliquot
