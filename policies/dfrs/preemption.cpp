#include "policies/dfrs/preemption.hpp"

#include <algorithm>
#include <vector>

#include "policies/dfrs/priority.hpp"

namespace aliquot {

namespace {

// Jobs that run where they ran and may be paused, the highest priority first.
std::vector<std::size_t> pausable_jobs(const Draft& draft) {
  std::vector<std::size_t> entries;
  for (std::size_t i = 0; i < draft.size(); ++i) {
    const Job& job = draft.job(i);
    const bool stands_as_before = draft.placed(i) && draft.placement(i) == job.placement;
    if (stands_as_before && !draft.fixed(i) && job.progress.at(draft.view().now).raw > 0) {
      entries.push_back(i);
    }
  }
  return by_decreasing_priority(draft, std::move(entries));
}

}  // namespace

bool preempt_for(Draft& draft, const Demand& demand) {
  std::vector<PreemptionSearch::Candidate> candidates;
  for (const std::size_t i : pausable_jobs(draft)) {
    const Job& job = draft.job(i);
    candidates.push_back({job.placement, charge_of_task(job.demand), static_cast<std::uint32_t>(i)});
  }
  PreemptionSearch search(draft);
  search.begin(demand);
  for (auto next = candidates.rbegin(); next != candidates.rend() && !search.enough(); ++next) {
    search.take_off(*next);
  }
  if (!search.enough()) return false;
  (void)search.finish();
  return true;
}

PreemptionSearch::PreemptionSearch(Draft& draft)
    : draft_(draft),
      slots_(Demand{}),
      remaining_(draft.memory()),
      taken_(draft.memory()),
      paused_(draft.memory()) {
  remaining_.reserve(draft.nodes());
  for (std::size_t n = 0; n < draft.nodes(); ++n) {
    remaining_.push_back({draft.ledger(n).free, draft.ledger(n).guaranteed});
  }
}

void PreemptionSearch::begin(const Demand& demand) {
  put_back_all();
  paused_.clear();
  slots_ = SlotsBeside(demand);
  memory_ = demand.memory;
  missing_ = demand.tasks;
  draft_.capacity().each_with_free(demand.memory,
                                   [&](const NodeRun& run, std::uint32_t, const NodeLedger& node) {
                                     missing_ -= slots_(run.capacity, node);
                                   });
}

void PreemptionSearch::read(Shares where) {
  for (const Share& share : where) {
    const NodeLedger& node = draft_.ledger(share.node.raw);
    remaining_[share.node.raw] = {node.free, node.guaranteed};
  }
}

void PreemptionSearch::changed(Shares where) {
  put_back_all();
  read(where);
}

std::int64_t PreemptionSearch::slots_on(NodeId node) const {
  const Remaining& remaining = remaining_[node.raw];
  if (remaining.free < memory_ || !draft_.node(node.raw).usable()) return 0;
  return slots_.within(remaining.free, draft_.node(node.raw).capacity - remaining.guaranteed);
}

// Leaves the candidate out of what its nodes hold, sign 1, or puts it back, -1.
void PreemptionSearch::leave_out(const Candidate& candidate, std::int64_t sign) {
  for (const Share& share : candidate.shares) {
    Remaining& node = remaining_[share.node.raw];
    missing_ += slots_on(share.node);
    node.free += candidate.each.memory * (sign * share.units);
    node.guaranteed -= candidate.each.guaranteed * (sign * share.units);
    missing_ -= slots_on(share.node);
  }
}

void PreemptionSearch::take_off(const Candidate& candidate) {
  leave_out(candidate, 1);
  taken_.push_back(&candidate);
}

void PreemptionSearch::put_back_all() {
  for (const Candidate* const candidate : taken_) read(candidate->shares);
  taken_.clear();
}

std::span<const std::uint32_t> PreemptionSearch::finish() {
  for (auto next = taken_.rbegin(); next != taken_.rend(); ++next) {
    leave_out(**next, -1);
    if (enough()) continue;  // spared
    leave_out(**next, 1);
    paused_.push_back((*next)->entry);
  }
  taken_.clear();
  for (const std::uint32_t entry : paused_) draft_.remove(entry);
  return paused_;
}

}  // namespace aliquot
