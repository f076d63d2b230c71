#include "policies/aliquot/floors.hpp"

#include <algorithm>

namespace aliquot {

namespace {

constexpr std::size_t kAhead = 8;

Yield part_of(Yield fair, Yield part) { return {multiply_divide(fair.raw, part.raw, kMillion)}; }

}  // namespace

Floors::Floors(const Draft& draft, const Outlooks& outlooks, Yield part, const CrowdLists* lists)
    : nodes_(draft.memory()), of_nodes_(draft.memory()), of_jobs_(draft.memory()), jobs_(draft.memory()) {
  if (lists != nullptr) {
    look_at_lists(draft, part, *lists);
  } else {
    look_at_nodes(draft, part);
  }
  if (!any()) return;
  look_at_jobs(draft, outlooks);
  // The smaller the fair share, the smaller what the floor leaves of it.
  if (part_of(least_fair_, part) + most_guaranteed_ > least_fair_)
    leave_guarantees_room(draft, outlooks, part);
}

void Floors::look_at_nodes(const Draft& draft, Yield part) {
  const NodeLedger* const rooms = draft.capacity().all();
  std::uint32_t* next = nullptr;
  for (const NodeRun& run : draft.node_runs()) {
    Cpu last;  // neighbours are often alike
    std::int32_t least = kNone;
    for (std::uint32_t n = run.first; n < run.first + run.count; ++n) {
      const Cpu load = rooms[n].load;
      if (!(load > run.capacity)) continue;
      if (next == nullptr) {
        nodes_.resize(draft.nodes() - n);
        of_nodes_.resize(draft.nodes(), kNone);
        next = nodes_.data();
      }
      if (load != last) {
        last = load;
        least = least_of(run.capacity, load, part);
      }
      of_nodes_[n] = least;
      *next++ = n;
    }
  }
  if (next != nullptr) nodes_.resize(static_cast<std::size_t>(next - nodes_.data()));
}

void Floors::look_at_lists(const Draft& draft, Yield part, const CrowdLists& lists) {
  if (lists.lists.empty()) return;
  Parts of_lists(draft.memory());
  of_lists.reserve(lists.lists.size());
  for (const CrowdLists::List& list : lists.lists)
    of_lists.push_back(least_of(draft.node(list.node).capacity, draft.ledger(list.node).load, part));
  of_nodes_.reserve(draft.nodes());
  for (const std::uint32_t list : lists.at)
    of_nodes_.push_back(list == CrowdLists::kNone ? kNone : of_lists[list]);
}

std::int32_t Floors::least_of(Cpu capacity, Cpu load, Yield part) {
  const Yield fair = yield_for(capacity, load);
  least_fair_ = std::min(least_fair_, fair);
  return static_cast<std::int32_t>(part_of(fair, part).raw);
}

void Floors::look_at_jobs(const Draft& draft, const Outlooks& outlooks) {
  of_jobs_.resize(draft.size(), kNone);
  jobs_.resize(draft.placed_count() + 1);
  std::uint32_t* next = jobs_.data();
  std::int32_t most = 0;
  const auto placed = draft.placed_entries();
  for (std::size_t k = 0; k < placed.size(); ++k) {
    if (k + kAhead < placed.size()) draft.prefetch_shares(placed[k + kAhead]);
    const std::uint32_t i = placed[k];
    std::int32_t least = kNone;
    for (const Share& share : draft.placement(i)) least = std::min(least, of_nodes_[share.node.raw]);
    // Whether it has one nobody could foretell: no branches.
    const bool has = least != kNone;
    const auto guaranteed = static_cast<std::int32_t>(outlooks[i].guaranteed.raw);
    of_jobs_[i] = std::max(least, guaranteed);
    most = std::max(most, has ? guaranteed : 0);
    *next = i;
    next += has ? 1 : 0;
  }
  jobs_.resize(static_cast<std::size_t>(next - jobs_.data()));
  most_guaranteed_ = {most};
}

// In the order of the nodes: what is taken from a job on one counts on the next.
void Floors::leave_guarantees_room(const Draft& draft, const Outlooks& outlooks, Yield part) {
  const CrowdLists crowds(draft);
  for (const CrowdLists::List& crowd : crowds.lists) {
    const Cpu capacity = draft.node(crowd.node).capacity;
    const Yield fair = yield_for(capacity, draft.ledger(crowd.node).load);
    if (part_of(fair, part) + most_guaranteed_ <= fair) continue;
    Cpu sum;
    for (const Claim& claim : crowds.of(crowd))
      sum += outlooks[claim.entry].need * of(claim.entry) * claim.units;
    if (sum <= capacity) continue;
    for (const Claim& claim : crowds.of(crowd))
      of_jobs_[claim.entry] = static_cast<std::int32_t>(outlooks[claim.entry].guaranteed.raw);
  }
}

}  // namespace aliquot
