#include "policies/aliquot/share_allocation.hpp"

#include <algorithm>
#include <cmath>
#include <queue>
#include <utility>

#include "policies/dfrs/average_yield.hpp"

namespace aliquot {

namespace {

constexpr Yield kWhilePenalized{kMillion / 100};
constexpr std::int64_t kPartOfYield = 20;  // a change by less than this part of a yield is none

class ProgressiveFilling {
 public:
  ProgressiveFilling(const Contention& contention, const GroupsOfJobs& groups_of, Predictions predictions,
                     double cost, Yields& yields)
      : contention_(contention),
        groups_(contention.groups()),
        groups_of_(groups_of),
        predictions_(predictions),
        yields_(yields),
        memory_(yields.get_allocator().resource()),
        contenders_(memory_),
        filled_(groups_.jobs().size(), 0, memory_),
        states_(memory_),
        search_(memory_) {
    contenders_.reserve(groups_.jobs().size());
    for (std::uint32_t job = 0; job < groups_.jobs().size(); ++job)
      contenders_.emplace_back(weighted(prediction(job), cost), contention.floor_of(job));
    states_.reserve(groups_.size());
    for (const ContentionGroups::Group& group : groups_.groups())
      states_.push_back({group.capacity, group.load});
  }

  void fill() {
    give_penalized_jobs_next_to_nothing();
    std::pmr::vector<Turn> turns(memory_);
    turns.reserve(groups_.size());
    for (std::uint32_t k = 0; k < groups_.size(); ++k)
      if (states_[k].is_contended()) turns.push_back({level_of(k), k});
    std::priority_queue queue(std::less<Turn>{}, std::move(turns));
    while (!queue.empty()) {
      Turn turn = queue.top();
      queue.pop();
      if (!states_[turn.group].is_contended()) continue;
      // Shares that were fixed meanwhile can only have lowered the level.
      if (states_[turn.group].stale) {
        const double level = level_of(turn.group);
        if (level < turn.level) {
          queue.push({level, turn.group});
          continue;
        }
        turn.level = level;
      }
      fill_group(turn);
    }
  }

 private:
  struct GroupState {
    Cpu spare;           // beside the jobs whose yields are fixed
    Cpu load;            // what the other jobs need
    bool stale = false;  // the spare CPU has changed since the level was found
    [[nodiscard]] bool is_contended() const { return load > spare; }
  };
  struct Turn {
    double level;
    std::uint32_t group;
    // The highest level comes first, of equal ones the first group.
    bool operator<(const Turn& other) const {
      return level != other.level ? level < other.level : group > other.group;
    }
  };

  [[nodiscard]] const Prediction& prediction(std::uint32_t job) const {
    return predictions_[groups_.jobs()[job]];
  }

  // A job makes no progress while it serves a penalty, whatever it gets.
  void give_penalized_jobs_next_to_nothing() {
    for (std::uint32_t job = 0; job < filled_.size(); ++job) {
      if (prediction(job).penalty > 0)
        fix(job,
            std::max(prediction(job).guaranteed, std::min(contention_.floor_of(job), kWhilePenalized)));
    }
  }

  double level_of(std::uint32_t group) {
    states_[group].stale = false;
    search_.clear();
    for (const auto& [job, count] : groups_.tasks_of(group))
      if (filled_[job] == 0) search_.add(contenders_[job], count);
    return search_.find(static_cast<double>(states_[group].spare.raw));
  }

  void fill_group(const Turn& turn) {
    for (const auto& [job, count] : groups_.tasks_of(turn.group)) {
      if (filled_[job] != 0) continue;
      const Yield share = yield_from_solver(contenders_[job].share(turn.level));
      fix(job, std::max(contention_.floor_of(job), share));
    }
  }

  void fix(std::uint32_t job, Yield yield) {
    filled_[job] = 1;
    yields_[groups_.jobs()[job]] = yield;
    const Cpu need = prediction(job).need;
    const Cpu given = need * yield;
    for (const auto& [group, count] : groups_of_[job]) {
      states_[group].spare -= given * count;
      states_[group].load -= need * count;
      states_[group].stale = true;
    }
  }

  const Contention& contention_;
  const ContentionGroups& groups_;
  const GroupsOfJobs& groups_of_;
  const Predictions predictions_;
  Yields& yields_;
  std::pmr::memory_resource* const memory_;
  std::pmr::vector<Contender> contenders_;  // with the weight of the waiting pressure
  std::pmr::vector<std::uint8_t> filled_;   // by job: its yield is fixed
  std::pmr::vector<GroupState> states_;
  StretchLevel search_;
};

bool hardly_changes(const Draft& draft, std::uint32_t i, const Prediction& job, Yield next) {
  const std::int64_t change = std::max(job.in_force, next).raw - std::min(job.in_force, next).raw;
  return change * kPartOfYield <= job.in_force.raw && job.in_force >= job.guaranteed &&
         (draft.untouched(i) || draft.placement(i) == Shares(draft.job(i).placement));
}

}  // namespace

double waiting_pressure_weight(const Prediction& job, double cost) {
  return std::sqrt(1 + cost / job.remaining);
}

Prediction weighted(Prediction job, double cost) {
  job.run_time /= waiting_pressure_weight(job, cost);
  job.at_full_speed = job.pred(job.penalty);
  return job;
}

void fill_progressively(const Contention& contention, const GroupsOfJobs& groups_of,
                        Predictions predictions, double cost, Yields& yields) {
  ProgressiveFilling(contention, groups_of, predictions, cost, yields).fill();
}

// A change spreads from each job to all others on its contended nodes.
void keep_yields_in_force(const Draft& draft, std::span<const std::uint32_t> placed,
                          const ContentionGroups& groups, const GroupsOfJobs& groups_of,
                          Predictions predictions, Yields& yields) {
  std::pmr::vector<std::uint8_t> contended(draft.size(), 0, draft.memory());
  for (const std::uint32_t i : groups.jobs()) contended[i] = 1;
  for (const std::uint32_t i : placed) {
    if (contended[i] == 0 && hardly_changes(draft, i, predictions[i], yields[i]))
      yields[i] = predictions[i].in_force;
  }
  std::pmr::vector<std::uint8_t> changes(groups.jobs().size(), 0, draft.memory());
  std::pmr::vector<std::uint32_t> spreading(draft.memory());
  const auto change = [&](std::uint32_t job) {
    if (std::exchange(changes[job], 1) == 0) spreading.push_back(job);
  };
  for (std::uint32_t job = 0; job < changes.size(); ++job) {
    const std::uint32_t i = groups.jobs()[job];
    if (!hardly_changes(draft, i, predictions[i], yields[i])) change(job);
  }
  std::pmr::vector<std::uint8_t> reached(groups.size(), 0, draft.memory());
  while (!spreading.empty()) {
    const std::uint32_t job = spreading.back();
    spreading.pop_back();
    for (const auto& [group, count] : groups_of[job]) {
      if (std::exchange(reached[group], 1) != 0) continue;
      for (const auto& tasks : groups.tasks_of(group)) change(tasks.job);
    }
  }
  for (std::uint32_t job = 0; job < changes.size(); ++job) {
    const std::uint32_t i = groups.jobs()[job];
    if (changes[job] == 0) yields[i] = predictions[i].in_force;
  }
}

Yields allocate_shares(const PlanningState& planning, std::span<const std::uint32_t> placed,
                       const Contention& contention, bool waiting_pressure) {
  const Draft& draft = planning.draft();
  if (planning.spec().fair) return fair_yields(draft);
  const Predictions predictions = planning.predictions();
  Yields yields(draft.size(), draft.memory());
  for (const std::uint32_t i : placed) yields[i] = kFullYield;
  if (!contention.any()) return yields;
  const GroupsOfJobs groups_of(contention.groups(), draft.memory());
  fill_progressively(contention, groups_of, predictions, waiting_pressure ? planning.cost() : 0, yields);
  std::pmr::vector<PlacedDemand> sized(draft.memory());
  sized.reserve(placed.size());
  for (const std::uint32_t i : placed) sized.push_back({i, predictions[i].tasks, predictions[i].need});
  raise_average_yield(draft, sized, yields);
  keep_yields_in_force(draft, placed, contention.groups(), groups_of, predictions, yields);
  return yields;
}

}  // namespace aliquot
