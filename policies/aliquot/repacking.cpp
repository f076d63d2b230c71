#include "policies/aliquot/repacking.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "policies/aliquot/contention.hpp"
#include "policies/dfrs/greedy_placement.hpp"
#include "policies/dfrs/packed_placements.hpp"

namespace aliquot {

namespace {

constexpr double kHardlyBegun = 0.4;  // of P
constexpr double kHopeless = 1.001;   // times the best there can be: no packing is tried
constexpr int kBisections = 7;        // of the stretch; each takes the root of the ratio that is left

Yield level_of(double stretch) { return {static_cast<std::int64_t>(kMillion / std::max(1.0, stretch))}; }

class Repacking {
 public:
  explicit Repacking(PlanningState& planning)
      : planning_(planning),
        old_(planning.draft()),
        new_(planning.view(), Draft::Start::only_fixed),
        offers_(level_is_inverse_prediction(planning.view().now, planning.spec().short_job),
                planning.view().now, new_.memory()) {
    for (std::size_t i = 0; i < old_.size(); ++i) predictions_.push_back(planning.prediction(i));
  }

  std::int32_t run(std::int32_t most) {
    const double now = outcome(old_, predictions_);
    if (now <= kHopeless * at_best()) return 0;
    offer();
    if (offers_.jobs().empty() || !pack(now)) return 0;
    const double if_moves_were_free = outcome(new_, predictions_);
    if (!(if_moves_were_free < now)) return 0;
    match();
    const auto changed = with_penalties();
    const double after = outcome(new_, changed);
    if (changes_ > most || !(after < now)) return 0;
    adopt(changed, now, after);
    return changes_;
  }

 private:
  // The jobs that could be placed and have no place in this draft.
  [[nodiscard]] std::vector<std::size_t> left_out(const Draft& draft) const {
    std::vector<std::size_t> entries;
    for (std::size_t i = 0; i < draft.size(); ++i)
      if (draft.candidate(i) && can_be_packed(i)) entries.push_back(i);
    return entries;
  }
  [[nodiscard]] bool can_be_packed(std::size_t i) const { return old_.placed(i) || planning_.could_run(i); }

  // The largest predicted stretch of all jobs, those that are left out included.
  [[nodiscard]] double outcome(const Draft& draft, Predictions predictions) const {
    double worst = largest_stretch(draft, predictions, planning_.spec().floor);
    for (const std::size_t i : left_out(draft)) worst = std::max(worst, planning_.pred_if_left_out(i));
    return worst;
  }
  // The same if all jobs ran at full speed from now on.
  [[nodiscard]] double at_best() const {
    double worst = stretch_at_full_speed(old_, predictions_);
    for (const std::size_t i : left_out(old_)) {
      const double resume = old_.job(i).phase == Phase::waiting ? 0 : planning_.cost();
      worst = std::max(worst, predictions_[i].pred(resume));
    }
    return worst;
  }

  void offer() {
    for (std::uint32_t i = 0; i < old_.size(); ++i) {
      if (new_.fixed(i)) continue;
      if (old_.placed(i) && predictions_[i].virtual_time < kHardlyBegun * planning_.cost()) {
        new_.place(i, old_.placement(i));
        new_.fix(i);
      } else if (can_be_packed(i)) {
        offers_(i, old_.job(i));
      }
    }
  }

  // Places the jobs on the new draft, wherever.
  [[nodiscard]] bool pack(double now) {
    Bins bins(new_);
    offers_.leave_out_what_cannot_fit(bins);
    if (offers_.jobs().empty()) return false;
    LevelPacker packer(offers_.shapes(), bins, new_.memory());
    if (!packer.pack(level_of(now)) && !leave_out_lowest_priority(offers_, packer, level_of(now)))
      return false;
    lower_stretch(packer, now);
    put(offers_.jobs(), place_packed_jobs(new_, offers_.jobs(), bins, packer));
    refill();
    return true;
  }

  // From the stretch of now on downwards; the packer keeps the last packing that it found.
  void lower_stretch(LevelPacker& packer, double now) {
    double high = now;
    double low = 1;
    for (const PackingJob& job : offers_.jobs()) low = std::max(low, predictions_[job.entry].at_full_speed);
    for (int k = 0; k < kBisections && low < high; ++k) {
      const double middle = std::sqrt(low * high);
      (packer.pack(level_of(middle)) ? high : low) = middle;
    }
  }

  // Jobs that were left out, where they fit after all.
  void refill() {
    for (const std::size_t i : by_decreasing_priority(new_, left_out(new_))) {
      if (const auto found = greedy_placement(new_, new_.job(i).demand)) new_.place(i, *found);
    }
  }

  // Keeps the bins as they are, and puts each on the node where most of its tasks stand already.
  void match() {
    std::pmr::vector<PackingJob> moving(new_.memory());
    std::pmr::vector<std::span<Share>> shares(new_.memory());
    for (std::uint32_t i = 0; i < new_.size(); ++i) {
      if (!new_.placed(i) || new_.fixed(i)) continue;
      const Shares now = new_.placement(i);
      moving.push_back({0, i, 0, 0});
      shares.push_back(new_.store(now.size()));
      std::copy(now.begin(), now.end(), shares.back().begin());
      new_.remove(i);
    }
    match_to_hosts(new_, moving, shares);
    put(moving, shares);
  }

  void put(const std::pmr::vector<PackingJob>& jobs, const std::pmr::vector<std::span<Share>>& shares) {
    for (std::size_t k = 0; k < jobs.size(); ++k) {
      new_.adopt(jobs[k].entry, shares[k]);
      new_.charge(jobs[k].entry);
    }
  }

  // The predictions with the penalties of the new draft; counts the jobs that are moved or paused.
  [[nodiscard]] std::vector<Prediction> with_penalties() {
    std::vector<Prediction> changed = predictions_;
    for (std::size_t i = 0; i < new_.size(); ++i) {
      const Job& job = new_.job(i);
      if (new_.fixed(i)) continue;
      const bool elsewhere = new_.placement(i) != Shares(job.placement);
      if (elsewhere && job.phase == Phase::running) ++changes_;
      if (!new_.placed(i) || job.phase == Phase::waiting) continue;
      changed[i] = planning_.as_before(i);
      if (elsewhere) changed[i].serve(planning_.cost_of_change(job));
    }
    return changed;
  }

  // The job whose stretch would be the largest without the repacking.
  [[nodiscard]] JobId beneficiary() const {
    JobId worst{};
    double largest = 0;
    for (std::size_t i = 0; i < old_.size(); ++i) {
      if (!can_be_packed(i)) continue;
      const double stretch = old_.placed(i) ? predictions_[i].at_full_speed : planning_.pred_if_left_out(i);
      if (stretch > largest) largest = stretch, worst = old_.id(i);
    }
    return worst;
  }

  void adopt(Predictions changed, double before, double after) {
    const Displacement why{Displacement::By::repacking, beneficiary(), hundredths(before),
                           hundredths(after)};
    for (std::size_t i = 0; i < old_.size(); ++i) {
      if (old_.placed(i) && old_.placement(i) != new_.placement(i)) planning_.remove(i);
    }
    for (std::size_t i = 0; i < old_.size(); ++i) {
      const Job& job = old_.job(i);
      if (job.phase == Phase::running && new_.placement(i) != Shares(job.placement))
        planning_.displace(i, why);
      if (new_.placed(i) && !old_.placed(i)) planning_.put(i, new_.placement(i), changed[i]);
    }
  }

  PlanningState& planning_;
  Draft& old_;
  Draft new_;
  std::vector<Prediction> predictions_;  // of all jobs, before the repacking
  PackingJobs offers_;
  std::int32_t changes_ = 0;
};

}  // namespace

std::int32_t repack_if_better(PlanningState& planning, std::int32_t most) {
  return Repacking(planning).run(most);
}

}  // namespace aliquot
