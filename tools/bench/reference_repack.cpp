#include "tools/bench/reference_repack.hpp"

#include <algorithm>
#include <vector>

#include "policies/dfrs/priority.hpp"
#include "tools/bench/reference_mcb8.hpp"

namespace aliquot::reference {

namespace {

class ReferenceRepack {
 public:
  ReferenceRepack(const ClusterView& view, const PackingObjective& rule) : view_(view), rule_(rule) {
    for (const auto& [id, job] : view.jobs) {
      if (is_fixed(job)) {
        fixed_.push_back(&job);
      } else if (!job.held) {
        offered_.push_back(&job);
      }
    }
    std::erase_if(offered_, [&](const Job* job) { return !fits_alone(job->demand); });
    std::stable_sort(offered_.begin(), offered_.end(), [&](const Job* a, const Job* b) {
      return priority(*a, view.now) > priority(*b, view.now);
    });
  }

  std::map<JobId, Placement> placements() {
    drop_until_the_memory_suffices();
    auto best = at(kFullYield);
    if (best) return read(*best);
    best = at({0});
    if (!best) {
      drop_until_it_can_be_packed();
      if (const auto full = at(kFullYield)) return read(*full);
      best = at({0});
    }
    Yield low{0};
    for (Yield high = kFullYield; high.raw - low.raw > kMillion / 100;) {
      const Yield middle{(low.raw + high.raw) / 2};
      if (const auto found = at(middle)) {
        best = found;
        low = middle;
      } else {
        high = middle;
      }
    }
    return read(*best);
  }

 private:
  [[nodiscard]] bool usable(const Share& share) const { return view_.nodes[share.node.raw].usable(); }

  // Constrained jobs stay where they are, or out: another policy places them.
  [[nodiscard]] bool is_fixed(const Job& job) const {
    if (is_constrained(job.demand) && !job.held) return true;
    if (job.placement.empty()) return false;
    return job.pinned || !job.demand.movable ||
           !std::all_of(job.placement.begin(), job.placement.end(),
                        [&](const Share& share) { return usable(share); });
  }

  // What the fixed jobs leave of a node, when each task has its CPU by `cpu_of`.
  template <class CpuOf>
  [[nodiscard]] BinRun bin_of(const Node& node, CpuOf&& cpu_of) const {
    BinRun bin{node.capacity, node.memory, node.capacity, node.memory, 1};
    for (const Job* job : fixed_) {
      for (const Share& share : job->placement) {
        if (share.node != node.id) continue;
        bin.free_cpu -= cpu_of(*job) * share.units;
        bin.free_memory -= job->demand.memory * share.units;
      }
    }
    bin.free_memory = std::max(bin.free_memory, Memory{});
    return bin;
  }

  // Counts tasks into the usable nodes, one by one, each at its guarantee.
  [[nodiscard]] bool fits_alone(const Demand& demand) const {
    std::uint32_t placed = 0;
    for (const Node& node : view_.nodes) {
      if (!node.usable()) continue;
      BinRun bin = bin_of(node, [](const Job& job) { return guaranteed_cpu(job.demand); });
      while (placed < demand.tasks && bin.free_memory >= demand.memory &&
             bin.free_cpu >= guaranteed_cpu(demand)) {
        bin.free_memory -= demand.memory;
        bin.free_cpu -= guaranteed_cpu(demand);
        ++placed;
      }
    }
    return placed == demand.tasks;
  }

  void drop_until_the_memory_suffices() {
    Int128 free = 0;
    for (const Node& node : view_.nodes) {
      if (node.usable()) free += bin_of(node, [](const Job&) { return Cpu{}; }).free_memory.raw;
    }
    for (const Job* job : offered_) free -= (job->demand.memory * job->demand.tasks).raw;
    for (; free < 0; offered_.pop_back()) {
      free += (offered_.back()->demand.memory * offered_.back()->demand.tasks).raw;
    }
  }

  void drop_until_it_can_be_packed() {
    const std::vector<const Job*> all = offered_;
    const auto works = [&](std::size_t count) {
      offered_.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count));
      return at({0}).has_value();
    };
    std::size_t too_many = all.size();
    std::size_t drop = 1;
    while (!works(too_many > drop ? too_many - drop : 0)) {
      too_many -= drop;
      drop *= 2;
    }
    std::size_t enough = offered_.size();
    while (too_many - enough > 1) {
      const std::size_t middle = (enough + too_many) / 2;
      (works(middle) ? enough : too_many) = middle;
    }
    offered_.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(enough));
  }

  [[nodiscard]] std::optional<ReferenceBins> at(Yield level) const {
    const auto cpu_of = [&](const Job& job) { return job.demand.need * rule_.line(job).at(level); };
    std::vector<ReferenceTask> tasks;
    for (const Job* job : offered_) {
      tasks.insert(tasks.end(), job->demand.tasks, {job->id.raw, cpu_of(*job), job->demand.memory});
    }
    std::vector<BinRun> bins;
    for (const Node& node : view_.nodes) {
      if (!node.usable()) continue;
      bins.push_back(bin_of(node, cpu_of));
      if (level.raw == 0) bins.back().free_cpu = std::max(bins.back().free_cpu, Cpu{});
    }
    return reference_mcb8(tasks, bins);
  }

  [[nodiscard]] std::map<JobId, Placement> read(const ReferenceBins& bins) const {
    std::map<JobId, Placement> placements;
    std::size_t bin = 0;
    for (const Node& node : view_.nodes) {
      if (!node.usable()) continue;
      std::map<std::uint64_t, std::uint32_t> units;
      for (const std::uint64_t job : bins[bin]) ++units[job];
      for (const auto& [job, count] : units) placements[{job}].push_back({node.id, count});
      ++bin;
    }
    return placements;
  }

  const ClusterView& view_;
  const PackingObjective& rule_;
  std::vector<const Job*> fixed_;
  std::vector<const Job*> offered_;  // the highest priority first
};

}  // namespace

std::map<JobId, Placement> reference_repack(const ClusterView& view, const PackingObjective& rule) {
  return ReferenceRepack(view, rule).placements();
}

}  // namespace aliquot::reference
