#include "policies/dfrs/packed_placements.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "policies/packing/match.hpp"

namespace aliquot {

namespace {

// Of one class: `units` tasks in each of the bins [first, first + bins).
struct ClassUnits {
  std::uint32_t first;
  std::uint32_t bins;
  std::uint32_t units;
};

template <class Item>
using ByClass = std::pmr::vector<std::pmr::vector<Item>>;

ByClass<ClassUnits> units_by_class(const Packing& packing, std::uint32_t classes) {
  ByClass<ClassUnits> found(classes, packing.fills.get_allocator());
  std::uint32_t bin = 0;
  for (const FillRun& run : packing.runs) {
    for (std::uint32_t f = run.first; f < run.last; ++f) {
      found[packing.fills[f].task_class].push_back({bin, run.bins, packing.fills[f].units});
    }
    bin += run.bins;
  }
  return found;
}

// By decreasing id.
ByClass<std::uint32_t> jobs_by_class(const std::pmr::vector<PackingJob>& jobs, const LevelPacker& packed) {
  ByClass<std::uint32_t> found(packed.classes(), jobs.get_allocator());
  for (std::size_t k = jobs.size(); k-- > 0;) {
    found[packed.class_of(jobs[k].shape)].push_back(static_cast<std::uint32_t>(k));
  }
  return found;
}

// No more shares are needed than bins that hold a class, and one for each job that shares a bin with the
// one before.
std::size_t most_shares(const Packing& packing, std::size_t jobs) {
  std::size_t most = jobs;
  for (const FillRun& run : packing.runs)
    most += static_cast<std::size_t>(run.bins) * (run.last - run.first);
  return most;
}

// Nodes that may exchange their bins have one kind: usable, alike, and with nothing on them that must stay.
std::vector<std::int32_t> kinds_of_nodes(const Draft& only_fixed) {
  std::vector<std::int32_t> kinds(only_fixed.nodes(), kNotMatched);
  std::map<std::pair<Cpu, Memory>, std::int32_t> known;
  for (std::size_t n = 0; n < only_fixed.nodes(); ++n) {
    const Node& node = only_fixed.node(n);
    if (!node.usable() || only_fixed.ledger(n).tasks != 0) continue;
    const auto next = static_cast<std::int32_t>(known.size());
    kinds[n] = known.try_emplace({node.capacity, node.memory}, next).first->second;
  }
  return kinds;
}

}  // namespace

std::pmr::vector<std::span<Share>> place_packed_jobs(Draft& draft, const std::pmr::vector<PackingJob>& jobs,
                                                     const Bins& bins, const LevelPacker& packed) {
  const ByClass<ClassUnits> units = units_by_class(packed.packing(), packed.classes());
  const ByClass<std::uint32_t> of_class = jobs_by_class(jobs, packed);
  std::pmr::vector<std::span<Share>> placements(jobs.size(), draft.memory());
  Share* next = draft.store(most_shares(packed.packing(), jobs.size())).data();
  for (std::uint32_t k = 0; k < packed.classes(); ++k) {
    auto job = of_class[k].begin();
    Share* first = next;  // of this job
    std::uint32_t missing = jobs[*job].tasks;
    for (const ClassUnits& filled : units[k]) {
      for (std::uint32_t bin = filled.first; bin < filled.first + filled.bins; ++bin) {
        for (std::uint32_t left = filled.units; left > 0;) {
          const std::uint32_t taken = std::min(left, missing);
          *next++ = {{bins.nodes()[bin]}, taken};
          left -= taken;
          missing -= taken;
          if (missing > 0) continue;
          placements[*job] = {first, next};
          first = next;
          if (++job != of_class[k].end()) missing = jobs[*job].tasks;
        }
      }
    }
  }
  return placements;
}

void match_to_hosts(const Draft& draft, const std::pmr::vector<PackingJob>& jobs,
                    std::pmr::vector<std::span<Share>>& placements) {
  Contents bins(draft.nodes());
  Contents hosts(draft.nodes());
  for (std::size_t k = 0; k < jobs.size(); ++k) {
    const std::uint32_t i = jobs[k].entry;
    for (const Share& share : placements[k]) bins[share.node.raw].push_back({i, share.units});
    for (const Share& share : draft.job(i).placement) hosts[share.node.raw].push_back({i, share.units});
  }
  const auto host_of = match_bins(bins, hosts, kinds_of_nodes(draft));
  for (const std::span<Share> placement : placements) {
    for (Share& share : placement) share.node = {host_of[share.node.raw]};
    std::sort(placement.begin(), placement.end());
  }
}

}  // namespace aliquot
