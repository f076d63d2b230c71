#include "policies/dfrs/repack.hpp"

#include <algorithm>
#include <utility>

#include "policies/dfrs/exact_pack.hpp"
#include "policies/dfrs/packed_placements.hpp"
#include "policies/packing/search.hpp"

namespace aliquot {

namespace {

class Repacking {
 public:
  Repacking(Draft& draft, PackingJobs& jobs, RepackOptions options)
      : draft_(draft), options_(options), bins_(draft), shapes_(jobs.shapes()), jobs_(jobs.jobs()) {
    jobs.leave_out_what_cannot_fit(bins_);
  }

  void run() {
    LevelPacker packer(shapes_, bins_, draft_.memory());
    pack(packer);
    auto placements = place_packed_jobs(draft_, jobs_, bins_, packer);
    if (options_.match) match_to_hosts(draft_, jobs_, placements);
    const bool charged = !options_.match && charge_bins(packer);
    for (std::size_t k = 0; k < jobs_.size(); ++k) {
      draft_.adopt(jobs_[k].entry, placements[k]);
      if (!charged) draft_.charge(jobs_[k].entry);
    }
  }

 private:
  // The highest level: 1 is tried exactly, then 0 ("however little CPU"), then the levels between are
  // bisected.
  void pack(LevelPacker& packer) {
    const auto try_level = [&](Yield level) { return packer.pack(level); };
    if (try_level(kFullYield)) return;
    if (!try_level(Yield{0})) {
      drop_jobs(packer);
      if (try_level(kFullYield)) return;
    }
    bisect_level(try_level);
    if (options_.exact) pack_exactly(draft_, shapes_, bins_, packer);
  }

  // Jobs are dropped in increasing priority until the rest can be packed at level 0.
  void drop_jobs(LevelPacker& packer) {
    std::pmr::vector<PackingJob> order = jobs_;
    sort_by_key(order);
    std::size_t kept = order.size();
    const auto keep = [&](std::size_t count) {
      for (; kept > count; --kept) shapes_.add(order[kept - 1].shape, -std::int64_t{order[kept - 1].tasks});
      for (; kept < count; ++kept) shapes_.add(order[kept].shape, order[kept].tasks);
    };
    keep(largest_count_that_works(kept, [&](std::size_t count) {
      keep(count);
      return packer.pack(Yield{0});
    }));
    keep_before(jobs_, order[kept]);
  }

  // Charges the nodes bin by bin rather than job by job. False: it cannot, because tasks of one class
  // differ in their needs at other levels.
  [[nodiscard]] bool charge_bins(const LevelPacker& packer) {
    std::pmr::vector<Charge> each(packer.classes(), draft_.memory());  // by class: of one of its tasks
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
  std::pmr::vector<PackingJob>& jobs_;  // by increasing entry
};

}  // namespace

void repack(Draft& draft, const PackingObjective& objective, RepackOptions options) {
  for (std::size_t i = 0; draft.placed_count() > draft.fixed_count(); ++i) {
    if (draft.placed(i) && !draft.fixed(i)) draft.remove(i);
  }
  PackingJobs jobs(objective, draft.view().now, draft.memory());
  jobs.reserve(draft.size());
  for (std::uint32_t i = 0; i < draft.size(); ++i) {
    if (!draft.fixed(i) && !draft.job(i).held) jobs(i, draft.job(i));
  }
  Repacking(draft, jobs, options).run();
}

}  // namespace aliquot
