#include "policies/aliquot/board.hpp"

#include <algorithm>
#include <utility>

namespace aliquot {

namespace {
// A job that gets next to nothing now will get more: its CPU is not free for the taking.
constexpr Yield kLeastThought{kMillion / 50};
// Of two nodes that have given all they have, the one that is asked for less is better.
constexpr int kPartOfLoad = 3;  // binary digits: an eighth of it counts

constexpr std::size_t kAhead = 8;

constexpr std::int64_t kErrUpwards = 3;  // times what an action is said to cost, where that is little

// Too high a cost is hardly noticed while it is less than what a short job counts for; too low a one makes
// exchanges that cost more than they gain.
Duration rather_too_much(Duration cost, const AliquotSpec& spec) {
  return spec.cost ? cost : std::max(cost, std::min(cost * kErrUpwards, spec.short_job));
}

}  // namespace

Board::Board(Draft& draft, const AliquotSpec& spec, AliquotState& state, const ActionCosts& costs)
    : draft_(draft),
      spec_(spec),
      state_(state),
      told_(costs),
      cost_(to_seconds(rather_too_much(costs.restart, spec))),
      cost_of_move_(to_seconds(rather_too_much(costs.of_move(), spec))),
      outlooks_(draft.size(), draft.memory()),
      thought_(draft.size(), kFullYield, draft.memory()),
      given_(draft.nodes(), draft.memory()),
      least_given_(draft.nodes() / CapacityIndex::kBlock + 1, draft.memory()) {
  const bool counted = draft.view().index.kept();
  if (counted) {
    for (std::uint32_t n = 0; n < given_.size(); ++n) given_[n] = draft.view().index.load({n}).given;
  }
  const auto stood = draft.stood_entries();
  for (std::size_t k = 0; k < stood.size(); ++k) {
    if (k + kAhead < stood.size()) draft.prefetch_job(stood[k + kAhead]);
    const std::uint32_t i = stood[k];
    if (draft.placed(i)) {
      const Outlook& job = outlook(i);
      thought_[i] = std::max(kLeastThought, job.in_force);
      const Yield known = counted ? job.in_force : Yield{};
      if (thought_[i] != known) give(job.need * thought_[i] - job.need * known, draft.placement(i));
    } else if (counted) {
      const Job& job = draft.job(i);
      give(Cpu{} - job.demand.need * job.yield, job.placement);
    }
  }
}

void Board::give(Cpu each, Shares where) {
  for (const Share& share : where) given_[share.node.raw] += each * share.units;
}

const Outlooks& Board::all_outlooks() const {
  for (std::size_t i = 0; i < draft_.size(); ++i) (void)outlook(i);
  return outlooks_;
}

void Board::charge(std::size_t i, std::int64_t sign) {
  charge(draft_.job(i).demand.need, thought_[i], draft_.placement(i), sign);
}

// After the draft.
void Board::charge(Cpu need, Yield thought, Shares where, std::int64_t sign) {
  const Cpu each = need * thought;
  const AllocatedCpu measure{given_, kPartOfLoad};
  const NodeLedger* const rooms = draft_.capacity().all();
  for (const Share& share : where) {
    const std::uint32_t n = share.node.raw;
    given_[n] += each * (sign * share.units);
    BlockMinimum& least = least_given_[n / CapacityIndex::kBlock];
    if (sign > 0) {
      least.rose();
    } else {
      least.fell(measure.measure(n, rooms[n]), rooms[n].free, draft_.node_runs().front().memory);
    }
  }
}

std::optional<Placement> Board::greedy_placement_of(const Demand& demand) const {
  return greedy_placement(draft_, demand, {given_, kPartOfLoad, least_given_});
}

bool Board::place(std::size_t i) {
  const auto found = placement_for(i);
  if (!found) return false;
  const bool back = *found == draft_.job(i).placement;  // it was paused a moment ago, for nothing
  thought_[i] = back ? std::max(kLeastThought, draft_.job(i).yield) : kFullYield;
  put(i, *found, back ? outlook(i) : charged(i));
  return true;
}

void Board::remove(std::size_t i) {
  const Shares where = draft_.placement(i);
  draft_.remove(i);
  charge(draft_.job(i).demand.need, thought_[i], where, -1);
}

bool Board::place_instead(std::size_t i, std::span<const std::uint32_t> paused) {
  for (const std::uint32_t k : paused) {
    const Job& job = draft_.job(k);
    charge(job.demand.need, thought_[k], job.placement, -1);
  }
  return place(i);
}

void Board::put(std::size_t i, Shares where, const Outlook& outlook) {
  draft_.place(i, where);
  charge(i, 1);
  outlooks_[i] = outlook;
}

// What was decided may not have been done yet: until then the view knows nothing of its penalty.
Outlook Board::unmoved(std::size_t i) const {
  const Job& job = draft_.job(i);
  Instant told = view().now;
  if (job.in_flight && !state_.stalled_until.empty()) {
    if (const auto known = state_.stalled_until.find(job.id); known != state_.stalled_until.end())
      told = known->second;
  }
  return outlook_of(job, view().now, told, spec_.short_job);
}

double Board::cost_of_change(const Job& job) const {
  if (job.phase == Phase::waiting) return 0;
  return job.phase == Phase::running ? cost_of_move_ : cost_;
}

double Board::stall_of(std::size_t i) const {
  const Job& job = draft_.job(i);
  const bool stays = draft_.untouched(i) || draft_.placement(i) == Shares(job.placement);
  if (stays || job.phase == Phase::waiting) return outlook(i).stall;
  return to_seconds(job.phase == Phase::running ? told_.of_move() : told_.restart);
}

Outlook Board::charged(std::size_t i) const {
  Outlook changed = outlook(i);
  const Job& job = draft_.job(i);
  const bool already = draft_.placed(i) && draft_.placement(i) != Shares(job.placement);
  if (job.phase != Phase::waiting && !already) changed.stall_for(cost_of_change(job));
  return changed;
}

bool Board::hopeful(std::size_t i) const {
  return draft_.candidate(i) && hopeful(SlotsBeside(draft_.job(i).demand));
}

// On the nodes that are up.
bool Board::hopeful(const SlotsBeside& slots) const {
  std::int64_t missing = slots.tasks();
  for (const NodeRun& run : draft_.node_runs()) {
    // Mostly one on each will do, and nothing is divided.
    if (run.usable && run.count >= missing && slots.any_within(run.memory, run.capacity)) return true;
    if (run.usable) missing -= slots.within(run.memory, run.capacity) * run.count;
    if (missing <= 0) return true;
  }
  return missing <= 0;
}

bool Board::fits(const Demand& demand) const {
  const SlotsBeside slots(demand);
  std::int64_t missing = demand.tasks;
  draft_.capacity().each_with_free(demand.memory,
                                   [&](const NodeRun& run, std::uint32_t, const NodeLedger& room) {
                                     missing -= slots(run.capacity, room);
                                     return missing <= 0;
                                   });
  return missing <= 0;
}

double Board::pred_left_out(std::size_t i) const {
  const double again = draft_.job(i).phase == Phase::waiting ? 0 : cost_;
  return outlook(i).pred(again + std::max(shortest(), cost_));
}

}  // namespace aliquot
