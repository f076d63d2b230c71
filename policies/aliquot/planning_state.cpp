#include "policies/aliquot/planning_state.hpp"

#include <algorithm>
#include <utility>

namespace aliquot {

namespace {

// A job that gets next to nothing now will get more later: its CPU is not free to be allocated.
constexpr Yield kLeastAssumed{kMillion / 50};
// Of two nodes that have allocated all they have, the one with the smaller load is better: an eighth of the
// load counts, as a number of binary digits.
constexpr int kPartOfLoad = 3;
constexpr std::int64_t kErrUpwards = 3;

// Too high a cost hardly matters while it is below the run time of a short job; too low a cost leads to
// exchanges that cost more than they gain.
Duration err_upwards(Duration cost, const AliquotSpec& spec) {
  return spec.cost ? cost : std::max(cost, std::min(cost * kErrUpwards, spec.short_job));
}

}  // namespace

PlanningState::PlanningState(Draft& draft, const AliquotSpec& spec, const ActionCosts& costs)
    : draft_(draft),
      spec_(spec),
      memory_(AliquotState::remembered(draft)),
      told_(costs),
      cost_(to_seconds(err_upwards(costs.restart, spec))),
      cost_of_move_(to_seconds(err_upwards(costs.of_move(), spec))),
      predictions_(draft.size(), draft.memory()),
      assumed_yields_(draft.size(), kFullYield, draft.memory()),
      allocated_(draft.nodes(), draft.memory()),
      block_minima_(draft.nodes() / CapacityIndex::kBlock + 1, draft.memory()) {
  // The index has added up the CPU that is given at the yields in force; only the difference is left to
  // add.
  const ViewIndex& index = draft.view().index;
  if (index.kept()) {
    for (std::uint32_t n = 0; n < allocated_.size(); ++n) allocated_[n] = index.load({n}).given;
  }
  for (const std::uint32_t i : draft.stood_entries()) {
    const Job& job = draft.job(i);
    const Cpu counted = index.kept() ? job.demand.need * job.yield : Cpu{};
    Cpu assumed;
    if (draft.placed(i)) {
      predictions_[i] = as_before(i);
      assumed_yields_[i] = std::max(kLeastAssumed, job.yield);
      assumed = job.demand.need * assumed_yields_[i];
    }
    if (assumed != counted) allocate(assumed - counted, job.placement);
  }
}

std::shared_ptr<const PolicyState> PlanningState::take_memory() {
  memory_.add(std::move(displaced_));
  return std::make_shared<AliquotState>(std::move(memory_));
}

double PlanningState::cost_of_change(const Job& job) const {
  if (job.phase == Phase::waiting) return 0;
  return job.phase == Phase::running ? cost_of_move_ : cost_;
}

double PlanningState::penalty_of(std::size_t i) const {
  const Job& job = draft_.job(i);
  const bool stays = draft_.untouched(i) || draft_.placement(i) == Shares(job.placement);
  if (stays || job.phase == Phase::waiting) return predictions_[i].penalty;
  return to_seconds(job.phase == Phase::running ? told_.of_move() : told_.restart);
}

// A decision may not have been carried out yet: until then the view does not know its penalty.
Prediction PlanningState::as_before(std::size_t i) const {
  const Job& job = draft_.job(i);
  Instant penalty_until = view().now;
  if (job.in_flight) {
    const auto decided = memory_.stalled_until.find(job.id);
    if (decided != memory_.stalled_until.end()) penalty_until = decided->second;
  }
  return predict(job, view().now, penalty_until, spec_.short_job);
}

Prediction PlanningState::as_changed(std::size_t i) const {
  Prediction changed = prediction(i);
  const Job& job = draft_.job(i);
  const bool already = draft_.placed(i) && draft_.placement(i) != Shares(job.placement);
  if (job.phase != Phase::waiting && !already) changed.serve(cost_of_change(job));
  return changed;
}

double PlanningState::pred_if_left_out(std::size_t i) const {
  const double resume = draft_.job(i).phase == Phase::waiting ? 0 : cost_;
  return prediction(i).pred(resume + std::max(shortest(), cost_));
}

bool PlanningState::could_run(std::size_t i) const {
  if (!draft_.candidate(i)) return false;
  const SlotsBeside slots(draft_.job(i).demand);
  std::int64_t missing = slots.tasks();
  for (const NodeRun& run : draft_.node_runs()) {
    if (run.usable) missing -= slots.within(run.memory, run.capacity) * run.count;
    if (missing <= 0) return true;
  }
  return missing <= 0;
}

std::optional<Placement> PlanningState::placement_for(std::size_t i) {
  return greedy_placement(draft_, draft_.job(i).demand, {allocated_, kPartOfLoad, block_minima_});
}

bool PlanningState::place(std::size_t i) {
  const auto where = placement_for(i);
  if (!where) return false;
  const Job& job = draft_.job(i);
  const bool back = *where == job.placement;  // it was paused in this decision, for nothing
  assumed_yields_[i] = back ? std::max(kLeastAssumed, job.yield) : kFullYield;
  put(i, *where, back ? as_before(i) : as_changed(i));
  return true;
}

bool PlanningState::place_instead(std::size_t i, std::span<const std::uint32_t> paused) {
  for (const std::uint32_t k : paused) {
    const Job& job = draft_.job(k);
    allocate(Cpu{} - job.demand.need * assumed_yields_[k], job.placement);
    allocation_changed(job.placement, false);
  }
  return place(i);
}

void PlanningState::put(std::size_t i, Shares where, const Prediction& prediction) {
  draft_.place(i, where);
  allocate(draft_.job(i).demand.need * assumed_yields_[i], where);
  allocation_changed(where, true);
  predictions_[i] = prediction;
}

void PlanningState::remove(std::size_t i) {
  const Shares where = draft_.placement(i);
  draft_.remove(i);
  allocate(Cpu{} - draft_.job(i).demand.need * assumed_yields_[i], where);
  allocation_changed(where, false);
}

void PlanningState::allocate(Cpu each, Shares where) {
  for (const Share& share : where) allocated_[share.node.raw] += each * share.units;
}

// After a change of the draft, too.
void PlanningState::allocation_changed(Shares where, bool increased) {
  const AllocatedCpu measure{allocated_, kPartOfLoad};
  const NodeLedger* const ledgers = draft_.capacity().all();
  for (const Share& share : where) {
    const std::uint32_t n = share.node.raw;
    BlockMinimum& least = block_minima_[n / CapacityIndex::kBlock];
    if (increased) {
      least.rose();
    } else {
      least.fell(measure.measure(n, ledgers[n]), ledgers[n].free, draft_.node_runs().front().memory);
    }
  }
}

}  // namespace aliquot
