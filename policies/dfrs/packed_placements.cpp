#include "policies/dfrs/packed_placements.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "policies/packing/match.hpp"

namespace aliquot {

namespace {

// Of one class: `units` tasks in each of the bins [first, first + bins).
struct Stretch {
  std::uint32_t first;
  std::uint32_t bins;
  std::uint32_t units;
};

// Items by class, each class in the order in which its items came: offsets, then the items.
template <class Item>
class ByClass {
 public:
  ByClass(std::uint32_t classes, std::pmr::memory_resource* memory)
      : end_(classes + 1, 0, memory), items_(memory) {}
  void count(std::uint32_t of_class) { ++end_[of_class + 1]; }
  void counted() {
    for (std::size_t k = 1; k < end_.size(); ++k) end_[k] += end_[k - 1];
    items_.resize(end_.back());
  }
  // Afterwards end_[k] is where class k ends.
  void add(std::uint32_t of_class, const Item& item) { items_[end_[of_class]++] = item; }
  [[nodiscard]] std::span<const Item> of(std::uint32_t k) const {
    const std::uint32_t begin = k == 0 ? 0 : end_[k - 1];
    return {items_.data() + begin, end_[k] - begin};
  }

 private:
  std::pmr::vector<std::uint32_t> end_;
  std::pmr::vector<Item> items_;
};

ByClass<Stretch> stretches_by_class(const Packing& packing, std::uint32_t classes, std::size_t& shares) {
  ByClass<Stretch> found(classes, packing.fills.get_allocator().resource());
  for (const Fill& fill : packing.fills) found.count(fill.task_class);
  found.counted();
  std::uint32_t bin = 0;
  for (const FillRun& run : packing.runs) {
    for (std::uint32_t f = run.first; f < run.last; ++f) {
      found.add(packing.fills[f].task_class, {bin, run.bins, packing.fills[f].units});
    }
    shares += static_cast<std::size_t>(run.bins) * (run.last - run.first);
    bin += run.bins;
  }
  return found;
}

// Writes the places of the jobs of one class, one job after the other.
class Writer {
 public:
  Writer(const std::pmr::vector<PackingJob>& offered, std::pmr::vector<std::span<Share>>& shares,
         Share* store)
      : offered_(offered), shares_(shares), next_(store) {}

  // `nodes`: by bin.
  void write(std::span<const Stretch> stretches, std::span<const std::uint32_t> jobs,
             const std::uint32_t* nodes) {
    job_ = jobs.data();
    last_ = job_ + jobs.size() - 1;
    open();
    for (const Stretch& stretch : stretches) {
      const std::uint32_t* node = nodes + stretch.first;
      const std::uint32_t* const end = node + stretch.bins;
      while (node < end) {
        if (left_ < stretch.units) {
          share_one(*node++, stretch.units);
          continue;
        }
        const std::uint32_t whole = stretch.units == 1 ? left_ : left_ / stretch.units;
        const auto bins = std::min(whole, static_cast<std::uint32_t>(end - node));
        for (const std::uint32_t* const stop = node + bins; node < stop; ++node) {
          *next_++ = {{*node}, stretch.units};
        }
        left_ -= bins * stretch.units;
        if (left_ == 0) close();
      }
    }
  }

 private:
  // Several jobs share the units of one bin.
  void share_one(std::uint32_t node, std::uint32_t units) {
    while (units > 0) {
      const std::uint32_t some = std::min(units, left_);
      *next_++ = {{node}, some};
      left_ -= some;
      units -= some;
      if (left_ == 0) close();
    }
  }
  void open() {
    left_ = offered_[*job_].tasks;
    begin_ = next_;
  }
  void close() {
    shares_[*job_] = {begin_, next_};
    if (job_ == last_) return;
    ++job_;
    open();
  }

  const std::pmr::vector<PackingJob>& offered_;
  std::pmr::vector<std::span<Share>>& shares_;
  Share* next_;
  Share* begin_ = nullptr;
  const std::uint32_t* job_ = nullptr;
  const std::uint32_t* last_ = nullptr;
  std::uint32_t left_ = 0;  // tasks of the job that have no place yet
};

// Nodes that may exchange their bins: up, alike, and with nothing on them that must stay.
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

std::pmr::vector<std::span<Share>> place_packed_jobs(Draft& draft,
                                                     const std::pmr::vector<PackingJob>& offered,
                                                     const Bins& bins, const LevelPacker& packed) {
  std::size_t most = offered.size();  // a bin's units may be shared by two jobs more often than not
  const ByClass<Stretch> stretches = stretches_by_class(packed.packing(), packed.classes(), most);
  ByClass<std::uint32_t> jobs(packed.classes(), draft.memory());
  for (const PackingJob& job : offered) jobs.count(packed.class_of(job.shape));
  jobs.counted();
  for (std::size_t k = offered.size(); k-- > 0;) {
    jobs.add(packed.class_of(offered[k].shape), static_cast<std::uint32_t>(k));
  }
  std::pmr::vector<std::span<Share>> shares(offered.size(), draft.memory());
  Writer writer(offered, shares, draft.store(most).data());
  for (std::uint32_t k = 0; k < packed.classes(); ++k) {
    writer.write(stretches.of(k), jobs.of(k), bins.nodes());
  }
  return shares;
}

void match_to_hosts(const Draft& draft, const std::pmr::vector<PackingJob>& offered,
                    std::pmr::vector<std::span<Share>>& shares) {
  Contents bins(draft.nodes());
  Contents hosts(draft.nodes());
  for (std::size_t k = 0; k < offered.size(); ++k) {
    const std::uint32_t i = offered[k].entry;
    for (const Share& share : shares[k]) bins[share.node.raw].push_back({i, share.units});
    for (const Share& share : draft.job(i).placement) hosts[share.node.raw].push_back({i, share.units});
  }
  const auto host_of = match_bins(bins, hosts, kinds_of_nodes(draft));
  for (const std::span<Share> places : shares) {
    for (Share& share : places) share.node = {host_of[share.node.raw]};
    std::sort(places.begin(), places.end());
  }
}

}  // namespace aliquot
