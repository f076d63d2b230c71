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
      : draft_(draft), options_(options), bins_(draft), jobs_(jobs) {
    jobs.leave_out_what_cannot_fit(bins_);
  }

  void run() {
    LevelPacker packer(jobs_.shapes(), bins_, draft_.memory());
    pack(packer);
    const std::pmr::vector<PackingJob>& packed = jobs_.jobs();
    auto placements = place_packed_jobs(draft_, packed, bins_, packer);
    if (options_.match) match_to_hosts(draft_, packed, placements);
    const bool charged = !options_.match && charge_bins(packer);
    for (std::size_t k = 0; k < packed.size(); ++k) {
      draft_.adopt(packed[k].entry, placements[k]);
      if (!charged) draft_.charge(packed[k].entry);
    }
  }

 private:
  // The highest level: 1 is tried exactly, then 0 ("however little CPU"), then the levels between are
  // bisected.
  void pack(LevelPacker& packer) {
    const auto try_level = [&](Yield level) { return packer.pack(level); };
    if (try_level(kFullYield)) return;
    if (!try_level(Yield{0})) {
      leave_out_lowest_priority(jobs_, packer, Yield{0});
      if (try_level(kFullYield)) return;
    }
    bisect_level(try_level);
    if (options_.exact) pack_exactly(draft_, jobs_.shapes(), bins_, packer);
  }

  // Charges the nodes bin by bin rather than job by job. False: it cannot, because tasks of one class
  // differ in their needs at other levels.
  [[nodiscard]] bool charge_bins(const LevelPacker& packer) {
    std::pmr::vector<Charge> each(packer.classes(), draft_.memory());  // by class: of one of its tasks
    for (std::uint32_t s = 0; s < jobs_.shapes().size(); ++s) {
      const TaskShape& shape = jobs_.shapes()[s];
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
  PackingJobs& jobs_;
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
