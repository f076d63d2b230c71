#include "policies/aliquot/contention.hpp"

#include <algorithm>
#include <utility>

namespace aliquot {

Contention::Contention(const Draft& draft, Predictions predictions, Yield floor)
    : predictions_(predictions),
      groups_(draft),
      floors_(groups_.jobs().size(), kFullYield, draft.memory()),
      contenders_(draft.memory()) {
  set_floors(predictions, floor);
  contenders_.reserve(floors_.size());
  for (std::uint32_t job = 0; job < floors_.size(); ++job)
    contenders_.emplace_back(predictions[groups_.jobs()[job]], floors_[job]);
}

void Contention::set_floors(Predictions predictions, Yield part) {
  for (std::uint32_t k = 0; k < groups_.size(); ++k) {
    const ContentionGroups::Group& group = groups_.groups()[k];
    const Yield fair = yield_for(group.capacity, group.load);
    const Yield least{multiply_divide(fair.raw, part.raw, kMillion)};
    for (const Tasks& tasks : groups_.tasks_of(k)) floors_[tasks.job] = std::min(floors_[tasks.job], least);
  }
  const auto job_of = [&](std::uint32_t job) -> const Prediction& {
    return predictions[groups_.jobs()[job]];
  };
  bool any_above = false;  // otherwise the floors fit on every node
  for (std::uint32_t job = 0; job < floors_.size(); ++job) {
    any_above = any_above || job_of(job).guaranteed > floors_[job];
    floors_[job] = std::max(floors_[job], job_of(job).guaranteed);
  }
  // In the order of the nodes: what a job loses on one node counts on the next.
  for (std::uint32_t k = 0; any_above && k < groups_.size(); ++k) {
    Cpu sum;
    for (const auto& [job, count] : groups_.tasks_of(k)) sum += job_of(job).need * floors_[job] * count;
    if (sum <= groups_.groups()[k].capacity) continue;
    for (const Tasks& tasks : groups_.tasks_of(k)) floors_[tasks.job] = job_of(tasks.job).guaranteed;
  }
}

double Contention::cpu_at(std::uint32_t group, double stretch) const {
  double sum = 0;
  for (const auto& [job, count] : groups_.tasks_of(group))
    sum += contenders_[job].cpu(count, stretch, contenders_[job].floor);
  return sum;
}

bool Contention::is_beyond(std::uint32_t group, double stretch) const {
  return cpu_at(group, stretch) > static_cast<double>(groups_.groups()[group].capacity.raw);
}

std::vector<std::uint32_t> Contention::entries_of(std::uint32_t group) const {
  std::vector<std::uint32_t> entries;
  for (const Tasks& tasks : groups_.tasks_of(group)) entries.push_back(groups_.jobs()[tasks.job]);
  return entries;
}

// A node that can give what a stretch asks for is not worse than that: most levels need not be found.
Contention::Worst Contention::worst() const {
  Worst worst;
  std::uint32_t worst_group = ContentionGroups::kNone;
  StretchLevel level(floors_.get_allocator().resource());
  for (std::uint32_t k = 0; k < groups_.size(); ++k) {
    if (!is_beyond(k, worst.stretch)) continue;
    level.clear();
    for (const auto& [job, count] : groups_.tasks_of(k)) level.add(contenders_[job], count);
    const double found = level.find(static_cast<double>(groups_.groups()[k].capacity.raw));
    if (worst_group != ContentionGroups::kNone && found <= worst.stretch) continue;
    worst.stretch = found;
    worst_group = k;
  }
  if (worst_group != ContentionGroups::kNone) worst.jobs = entries_of(worst_group);
  return worst;
}

bool Contention::is_within(double stretch) const {
  for (std::uint32_t k = 0; k < groups_.size(); ++k)
    if (is_beyond(k, stretch)) return false;
  return true;
}

std::vector<std::uint32_t> Contention::jobs_on_all_beyond(double stretch) const {
  std::vector<std::uint32_t> jobs;
  bool first = true;
  for (std::uint32_t k = 0; k < groups_.size(); ++k) {
    if (!is_beyond(k, stretch)) continue;
    std::vector<std::uint32_t> here = entries_of(k);
    if (std::exchange(first, false)) {
      jobs = std::move(here);
    } else {
      std::erase_if(jobs, [&](std::uint32_t i) { return !std::ranges::binary_search(here, i); });
    }
  }
  return jobs;
}

// The least CPU that a node of the group would give at this stretch if it hosted these tasks of the moved
// job. Summed up in the order in which a later Contention sums it up, so that no rounding makes it more.
double Contention::least_cpu_at(std::uint32_t group, double stretch, Tasks moved_tasks,
                                const Prediction& moved) const {
  double sum = 0;
  bool missing = moved_tasks.count > 0;
  const Contender contender(moved, moved.guaranteed);
  const auto add_moved = [&] {
    sum += contender.cpu(moved_tasks.count, stretch, contender.floor);
    missing = false;
  };
  for (const auto& [job, count] : groups_.tasks_of(group)) {
    const std::uint32_t entry = groups_.jobs()[job];
    if (missing && entry >= moved_tasks.job) add_moved();
    if (entry == moved_tasks.job) continue;
    const double least = static_cast<double>(predictions_[entry].guaranteed.raw) * 1e-6;
    sum += contenders_[job].cpu(count, stretch, least);
  }
  if (missing) add_moved();
  return sum;
}

bool Contention::rules_out(double stretch, std::uint32_t entry, Shares to, const Prediction& moved) const {
  const auto is_certainly_beyond = [&](std::uint32_t group, std::uint32_t count) {
    return least_cpu_at(group, stretch, {entry, count}, moved) >
           static_cast<double>(groups_.groups()[group].capacity.raw);
  };
  for (std::uint32_t k = 0; to.empty() && k < groups_.size(); ++k)
    if (is_certainly_beyond(k, 0)) return true;
  return std::ranges::any_of(to, [&](const Share& share) {
    const std::uint32_t group = groups_.group_of(share.node);
    return group != ContentionGroups::kNone && is_certainly_beyond(group, share.units);
  });
}

double stretch_at_full_speed(const Draft& draft, Predictions predictions) {
  double largest = 0;
  for (std::size_t i = 0; i < draft.size(); ++i) {
    if (draft.placed(i)) largest = std::max(largest, predictions[i].at_full_speed);
  }
  return largest;
}

double largest_stretch(const Draft& draft, Predictions predictions, Yield floor) {
  return std::max(stretch_at_full_speed(draft, predictions),
                  Contention(draft, predictions, floor).worst().stretch);
}

}  // namespace aliquot
