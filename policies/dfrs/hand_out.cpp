#include "policies/dfrs/hand_out.hpp"

#include <algorithm>

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
  explicit ByClass(std::uint32_t classes) : end_(classes + 1, 0) {}
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
  std::vector<std::uint32_t> end_;
  std::vector<Item> items_;
};

ByClass<Stretch> stretches_by_class(const Packing& packing, std::uint32_t classes, std::size_t& shares) {
  ByClass<Stretch> found(classes);
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
  Writer(const Draft& draft, const Bins& bins, std::span<Share> store)
      : draft_(draft), bins_(bins), next_(store.data()) {}

  void write(std::span<const Stretch> stretches, std::span<const std::uint32_t> jobs,
             const std::vector<Offered>& offered, std::vector<std::span<Share>>& shares) {
    std::size_t job = 0;
    Share* begin = next_;
    std::uint32_t left = 0;  // tasks of the job that have no place yet
    const auto open = [&] { left = draft_.job(offered[jobs[job]].entry).demand.tasks; };
    const auto close = [&] {
      shares[jobs[job++]] = {begin, next_};
      begin = next_;
    };
    open();
    for (const Stretch& stretch : stretches) {
      for (std::uint32_t b = stretch.first; b < stretch.first + stretch.bins; ++b) {
        for (std::uint32_t units = stretch.units; units > 0;) {
          const std::uint32_t some = std::min(units, left);
          *next_++ = {bins_.node(b), some};
          left -= some;
          units -= some;
          if (left > 0) continue;
          close();
          if (job < jobs.size()) open();
        }
      }
    }
  }

 private:
  const Draft& draft_;
  const Bins& bins_;
  Share* next_;
};

}  // namespace

std::vector<std::span<Share>> hand_out(Draft& draft, const std::vector<Offered>& offered, const Bins& bins,
                                       const LevelPacker& packed) {
  std::size_t most = offered.size();  // a bin's units may be shared by two jobs more often than not
  const ByClass<Stretch> stretches = stretches_by_class(packed.packing(), packed.classes(), most);
  ByClass<std::uint32_t> jobs(packed.classes());
  for (const Offered& job : offered) jobs.count(packed.class_of(job.shape));
  jobs.counted();
  for (std::size_t k = offered.size(); k-- > 0;) {
    jobs.add(packed.class_of(offered[k].shape), static_cast<std::uint32_t>(k));
  }
  std::vector<std::span<Share>> shares(offered.size());
  Writer writer(draft, bins, draft.store(most));
  for (std::uint32_t k = 0; k < packed.classes(); ++k) {
    writer.write(stretches.of(k), jobs.of(k), offered, shares);
  }
  return shares;
}

}  // namespace aliquot
