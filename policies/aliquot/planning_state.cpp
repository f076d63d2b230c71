#include "policies/aliquot/planning_state.hpp"

#include <algorithm>

#include "policies/dfrs/greedy_placement.hpp"

namespace aliquot {

namespace {

// A job that gets next to nothing now will get more later: its CPU is not free to be allocated.
constexpr Yield kLeastAssumed{kMillion / 50};
// Of two nodes that have allocated all they have, the one with the smaller load is better: an eighth of the
// load counts, as a number of binary digits.
constexpr int kPartOfLoad = 3;
constexpr std::int64_t kErrUpwards = 3;
constexpr std::size_t kMostDisplaced = 100;  // beyond these only jobs that are paused are remembered

ActionCosts costs_of(const ClusterView& view, const AliquotSpec& spec) {
  if (spec.cost) return {*spec.cost, std::nullopt};
  const auto part = [&](Duration cost) {
    return Duration{multiply_divide(cost.raw, spec.cost_percent, 100)};
  };
  return {part(view.costs.restart), part(view.costs.of_move())};
}

// Too high a cost hardly matters while it is below the run time of a short job; too low a cost leads to
// exchanges that cost more than they gain.
Duration err_upwards(Duration cost, const AliquotSpec& spec) {
  return spec.cost ? cost : std::max(cost, std::min(cost * kErrUpwards, spec.short_job));
}

// Of different jobs.
JobsAtIssue::Retries merged(const JobsAtIssue::Retries& a, const JobsAtIssue::Retries& b) {
  if (b.empty()) return a;
  JobsAtIssue::Retries all;
  all.reserve(a.size() + b.size());
  auto of_b = b.begin();
  for (const auto& [job, retry] : a) {
    for (; of_b != b.end() && of_b->first < job; ++of_b) all.append(of_b->first, of_b->second);
    all.append(job, retry);
  }
  for (; of_b != b.end(); ++of_b) all.append(of_b->first, of_b->second);
  return all;
}

Yield assumed_in_force(const Job& job) { return std::max(kLeastAssumed, job.yield); }

}  // namespace

PlanningState::PlanningState(const ClusterView& view, const AliquotSpec& spec, const JobsAtIssue& at_issue)
    : at_issue_(at_issue),
      draft_(at_issue.are_all() ? Draft(view) : Draft(view, at_issue.ids())),
      spec_(spec),
      memory_(AliquotState::remembered(view)),
      retries_(draft_, view.memory.retries),
      stalled_until_(draft_, memory_.stalled_until),
      displaced_(draft_, memory_.displaced),
      told_(costs_of(view, spec)),
      cost_(to_seconds(err_upwards(told_.restart, spec))),
      cost_of_move_(to_seconds(err_upwards(told_.of_move(), spec))),
      predictions_(draft_.size()),
      assumed_yields_(draft_.size(), kFullYield),
      allocated_(draft_.nodes()) {
  for (const std::uint32_t i : draft_.placed_entries()) {
    predictions_[i] = as_before(i);
    assumed_yields_[i] = assumed_in_force(draft_.job(i));
  }
  allocate_in_force();
}

// What nodes give is known from the index. That is what most jobs count for; of the others the difference.
void PlanningState::allocate_in_force() {
  const ViewIndex& index = view().index;
  if (index.kept())
    for (std::uint32_t n = 0; n < draft_.nodes(); ++n) allocated_[n] = index.load({n}).given;
  for (std::size_t i = 0; i < draft_.size(); ++i) {
    if (!draft_.stood(i)) continue;
    const Job& job = draft_.job(i);
    const Cpu known = index.kept() ? job.demand.need * job.yield : Cpu{};
    const Cpu counted = draft_.placed(i) ? allocated_to_task(i) : Cpu{};
    if (counted != known) allocate(counted - known, job.placement);
  }
}

// A job that is resumed or moved serves a penalty that the view does not know until it has been done.
PolicyMemory PlanningState::take_memory() {
  std::size_t displaced = 0;
  for (std::size_t i = 0; i < draft_.size(); ++i) {
    if (stalled_until_[i] && *stalled_until_[i] <= view().now) stalled_until_[i].reset();
    if (draft_.placed(i) && !draft_.stays(i) && penalty_of(i) > 0)
      stalled_until_[i] = view().now + from_seconds(penalty_of(i));
    if (displaced_[i] && ++displaced > kMostDisplaced && draft_.placed(i)) displaced_[i].reset();
  }
  memory_.stalled_until = stalled_until_.by_job(draft_);
  memory_.displaced = displaced_.by_job(draft_);
  return {merged(retries_.by_job(draft_), at_issue_.retries_left_out()),
          {},
          std::make_shared<AliquotState>(std::move(memory_))};
}

double PlanningState::cost_of_change(const Job& job) const {
  if (job.phase == Phase::waiting) return 0;
  return job.phase == Phase::running ? cost_of_move_ : cost_;
}

double PlanningState::penalty_of(std::size_t i) const {
  const Job& job = draft_.job(i);
  if (draft_.stays(i) || job.phase == Phase::waiting) return predictions_[i].penalty;
  return to_seconds(job.phase == Phase::running ? told_.of_move() : told_.restart);
}

// A decision may not have been carried out yet: until then the view does not know its penalty.
Prediction PlanningState::as_before(std::size_t i) const {
  const Job& job = draft_.job(i);
  const bool decided = job.in_flight && stalled_until_[i];
  return predict(job, view().now, decided ? *stalled_until_[i] : view().now, spec_.short_job);
}

Prediction PlanningState::as_changed(std::size_t i) const {
  Prediction changed = prediction(i);
  const Job& job = draft_.job(i);
  const bool already = draft_.placed(i) && !draft_.stays(i);
  if (job.phase != Phase::waiting && !already) changed.serve(cost_of_change(job));
  return changed;
}

double PlanningState::pred_if_left_out(std::size_t i) const {
  const double resume = draft_.job(i).phase == Phase::waiting ? 0 : cost_;
  return prediction(i).pred(resume + std::max(shortest(), cost_));
}

bool PlanningState::could_run(std::size_t i) const {
  return draft_.candidate(i) && draft_.fits_when_empty(draft_.job(i).demand, true);
}

std::optional<Placement> PlanningState::placement_for(std::size_t i) {
  return greedy_placement(draft_, draft_.job(i).demand, {allocated_, kPartOfLoad});
}

bool PlanningState::place(std::size_t i) {
  const auto where = placement_for(i);
  if (!where) return false;
  const Job& job = draft_.job(i);
  const bool back = *where == job.placement;  // it was paused in this decision, for nothing
  assumed_yields_[i] = back ? assumed_in_force(job) : kFullYield;
  put(i, *where, back ? as_before(i) : as_changed(i));
  return true;
}

void PlanningState::put(std::size_t i, Shares where, const Prediction& prediction) {
  draft_.place(i, where);
  allocate(allocated_to_task(i), where);
  predictions_[i] = prediction;
}

void PlanningState::remove(std::size_t i) {
  allocate(allocated_to_task(i) * -1, draft_.placement(i));
  draft_.remove(i);
}

void PlanningState::free_cpu_of(std::size_t i) {
  allocate(allocated_to_task(i) * -1, draft_.job(i).placement);
}

// Jobs of small weights are to give way: others go where there are such jobs rather than to one another.
// What the load of the node counts too much for them is taken off.
Cpu PlanningState::allocated_to_task(std::size_t i) const {
  const Demand& demand = draft_.job(i).demand;
  const Cpu each = demand.need * assumed_yields_[i];
  if (demand.weight >= Weight{}) return each;
  const Weight rest{kMillion - demand.weight.raw};
  return part_of(each, demand.weight) - Cpu{part_of(demand.need, rest).raw >> kPartOfLoad};
}

void PlanningState::allocate(Cpu each, Shares where) {
  for (const Share& share : where) allocated_[share.node.raw] += each * std::int64_t{share.units};
}

}  // namespace aliquot
