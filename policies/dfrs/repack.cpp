#include "policies/dfrs/repack.hpp"

#include <algorithm>
#include <utility>

#include "policies/dfrs/exact_pack.hpp"
#include "policies/dfrs/packed_placements.hpp"
#include "policies/packing/search.hpp"

namespace aliquot {

namespace {

// One packing of all jobs anew, from what is offered to places.
class Repacking {
 public:
  Repacking(Draft& draft, PackingJobs& offers, RepackOptions options)
      : draft_(draft), options_(options), bins_(draft), shapes_(offers.shapes()), offered_(offers.jobs()) {
    offers.leave_out_what_cannot_fit(bins_);
  }

  // Each of them is placed at the highest level, or left out.
  void place() {
    LevelPacker packer(shapes_, bins_, draft_.memory());
    const auto pack = [&](Yield level) { return packer.pack(level); };
    bool full = pack(kFullYield);
    if (!full && !pack(Yield{0})) {
      leave_out(packer);
      full = pack(kFullYield);
    }
    if (!full) bisect_level(pack);
    if (!full && options_.exact) pack_exactly(draft_, shapes_, bins_, packer);
    shares_ = place_packed_jobs(draft_, offered_, bins_, packer);
    if (!options_.match) {
      charged_ = charge_bins(packer);
    } else {
      match_to_hosts(draft_, offered_, shares_);
    }
    for (std::size_t k = 0; k < offered_.size(); ++k) {
      draft_.adopt(offered_[k].entry, shares_[k]);
      if (!charged_) draft_.charge(offered_[k].entry);
    }
  }

 private:
  // MCB8 finds no room for all, however little CPU they get: jobs of low priority are left out.
  void leave_out(LevelPacker& packer) {
    struct Ranked {
      std::uint64_t key;
      std::uint32_t entry;  // of offered_, which is by increasing id
    };
    std::pmr::vector<Ranked> ranked(draft_.memory());
    ranked.reserve(offered_.size());
    for (const PackingJob& job : offered_)
      ranked.push_back({job.key, static_cast<std::uint32_t>(ranked.size())});
    OrderFromEnd<Ranked> order(std::move(ranked));
    std::size_t now = order.size();
    const auto count_in = [&](std::size_t rank, std::int64_t sign) {
      const PackingJob& job = offered_[order[rank].entry];
      shapes_.add(job.shape, sign * job.tasks);
    };
    const auto offer = [&](std::size_t count) {
      while (now > count) count_in(--now, -1);
      while (now < count) count_in(now++, 1);
    };
    offer(largest_count_that_works(now, [&](std::size_t count) {
      offer(count);
      return packer.pack(Yield{0});
    }));
    keep_before(offered_, PackingJob(offered_[order[now].entry]));
  }

  // Charges the nodes bin by bin rather than job by job. Not where jobs of one class differ in what they
  // need at other levels.
  [[nodiscard]] bool charge_bins(const LevelPacker& packer) {
    std::pmr::vector<Charge> each(packer.classes(),
                                  draft_.memory());  // of each class: what one of its tasks takes
    for (std::uint32_t s = 0; s < shapes_.size(); ++s) {
      const TaskShape& shape = shapes_[s];
      if (shape.tasks == 0) continue;
      Charge& known = each[packer.class_of(s)];
      const Charge one{shape.memory, shape.need, shape.need * std::max(shape.min_yield, Yield{1}), 1};
      if (known.tasks == 1 && (known.need != one.need || known.guaranteed != one.guaranteed)) return false;
      known = one;
    }
    std::pmr::vector<FilledNodes> filled(draft_.memory());
    filled.reserve(packer.packing().runs.size());
    for (const FillRun& run : packer.packing().runs) {
      Charge sum;
      for (std::uint32_t f = run.first; f < run.last; ++f) {
        const Fill& fill = packer.packing().fills[f];
        sum.add(each[fill.task_class], fill.units);
      }
      filled.push_back({run.bins, sum});
    }
    draft_.charge_in_order(filled);
    return true;
  }

  Draft& draft_;
  const RepackOptions options_;
  Bins bins_;
  TaskShapes& shapes_;
  std::pmr::vector<PackingJob>& offered_;      // by increasing entry
  std::pmr::vector<std::span<Share>> shares_;  // of offered_
  bool charged_ = false;
};

}  // namespace

void repack(Draft& draft, PackingJobs offers, RepackOptions options) {
  Repacking(draft, offers, options).place();
}

void repack(Draft& draft, const PackingObjective& rule, RepackOptions options) {
  for (std::size_t i = 0; draft.placed_count() > draft.fixed_count(); ++i) {
    if (draft.placed(i) && !draft.fixed(i)) draft.remove(i);
  }
  PackingJobs offers(rule, draft.view().now, draft.memory());
  offers.reserve(draft.size());
  for (std::uint32_t i = 0; i < draft.size(); ++i) {
    if (!draft.fixed(i) && !draft.job(i).held) offers(i, draft.job(i));
  }
  repack(draft, std::move(offers), options);
}

}  // namespace aliquot
