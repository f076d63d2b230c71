#include "policies/aliquot/share_allocation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <queue>

#include "policies/aliquot/stretch_level.hpp"
#include "policies/dfrs/fair_yields.hpp"

namespace aliquot {

namespace {

constexpr Yield kWhilePenalized{kMillion / 100};
constexpr std::int64_t kPartOfYield = 20;  // a change by less than this part of a yield is none

class ProgressiveFilling {
 public:
  ProgressiveFilling(const Contention& contention, Predictions predictions, double cost, Yields& yields)
      : contention_(contention),
        groups_(contention.groups()),
        yields_(yields),
        aims_(predictions.begin(), predictions.end()),
        given_(predictions.size(), false) {
    for (const std::uint32_t i : groups_.jobs()) aims_[i] = weighted(aims_[i], cost);
  }

  void fill() {
    give_penalized_jobs_next_to_nothing();
    for (std::size_t k = 0; k < groups_.size(); ++k) add_turn(k);
    while (!turns_.empty()) {
      const Turn turn = turns_.top();
      turns_.pop();
      // Shares that were given meanwhile can only have lowered the level.
      if (given_in(groups_[turn.group]) > turn.given)
        add_turn(turn.group);
      else
        fill_group(groups_[turn.group], turn.level);
    }
  }

 private:
  using Group = ContentionGroups::Group;
  struct Turn {
    double level;
    std::size_t group;
    std::ptrdiff_t given;  // how many of its jobs had their shares when the level was found
    // The highest level comes first, of equal ones the first group.
    bool operator<(const Turn& other) const {
      return level != other.level ? level < other.level : group > other.group;
    }
  };

  // A job makes no progress while it serves a penalty, whatever it gets.
  void give_penalized_jobs_next_to_nothing() {
    for (const std::uint32_t i : groups_.jobs()) {
      if (aims_[i].penalty > 0)
        give(i, std::max(aims_[i].guaranteed, std::min(contention_.floor_of(i), kWhilePenalized)));
    }
  }

  // Of the jobs that have no share yet, within what the others leave; 0 if they get all they need.
  double level_of(const Group& group) {
    Cpu spare = group.capacity;
    level_.clear();
    for (const auto& [i, count] : group.tasks) {
      if (given_[i]) {
        spare -= aims_[i].need * yields_[i] * count;
      } else {
        level_.add(aims_[i], count, contention_.floor_of(i));
      }
    }
    return level_.find(static_cast<double>(spare.raw));
  }

  void add_turn(std::size_t group) {
    const double level = level_of(groups_[group]);
    if (level > 0) turns_.push({level, group, given_in(groups_[group])});
  }

  [[nodiscard]] std::ptrdiff_t given_in(const Group& group) const {
    return std::ranges::count_if(group.tasks, [&](const auto& tasks) { return given_[tasks.entry]; });
  }

  void fill_group(const Group& group, double level) {
    for (const auto& [i, count] : group.tasks)
      if (!given_[i]) give(i, std::max(contention_.floor_of(i), yield_from_solver(aims_[i].share(level))));
  }

  void give(std::uint32_t i, Yield yield) {
    given_[i] = true;
    yields_[i] = yield;
  }

  const Contention& contention_;
  const ContentionGroups& groups_;
  Yields& yields_;
  std::vector<Prediction> aims_;  // with the weight of the waiting pressure
  std::vector<bool> given_;       // by entry: its share is decided
  std::priority_queue<Turn> turns_;
  StretchLevel level_;
};

bool hardly_changes(const Draft& draft, std::uint32_t i, Yield next) {
  const Job& job = draft.job(i);
  return std::abs(next.raw - job.yield.raw) * kPartOfYield <= job.yield.raw &&
         job.yield >= floor_of(job.demand) && draft.stays(i);
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

void fill_progressively(const Contention& contention, Predictions predictions, double cost,
                        Yields& yields) {
  ProgressiveFilling(contention, predictions, cost, yields).fill();
}

// Jobs that share a contended node are joined: disjoint sets, each with a job that stands for it.
void keep_yields_in_force(const Draft& draft, std::span<const std::uint32_t> placed,
                          const ContentionGroups& groups, Yields& yields) {
  std::vector<std::uint32_t> parent(draft.size());
  std::iota(parent.begin(), parent.end(), 0U);
  const auto set_of = [&](std::uint32_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
  };
  for (const auto& group : groups)
    for (const auto& [i, count] : group.tasks) parent[set_of(i)] = set_of(group.tasks.front().entry);
  std::vector<bool> changes(draft.size(), false);  // by set
  for (const std::uint32_t i : placed)
    if (!hardly_changes(draft, i, yields[i])) changes[set_of(i)] = true;
  for (const std::uint32_t i : placed)
    if (!changes[set_of(i)]) yields[i] = draft.job(i).yield;
}

Yields allocate_shares(const PlanningState& planning, const Contention& contention, bool waiting_pressure) {
  const Draft& draft = planning.draft();
  if (planning.spec().fair) return fair_yields(draft);
  const auto placed = draft.placed_entries();
  Yields yields(draft.size());
  for (const std::uint32_t i : placed) yields[i] = kFullYield;
  if (contention.groups().size() == 0) return yields;
  fill_progressively(contention, planning.predictions(), waiting_pressure ? planning.cost() : 0, yields);
  raise_average_yield(draft, yields);
  keep_yields_in_force(draft, placed, contention.groups(), yields);
  return yields;
}

}  // namespace aliquot
