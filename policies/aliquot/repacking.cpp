#include "policies/aliquot/repacking.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "policies/aliquot/outcome.hpp"
#include "policies/dfrs/greedy_placement.hpp"
#include "policies/dfrs/packed_placements.hpp"
#include "policies/packing/search.hpp"

namespace aliquot {

namespace {

constexpr double kYoung = 0.4;       // of P
constexpr double kHopeless = 1.001;  // what is so close to the best there can be cannot be made better
constexpr int kBisections = 7;       // of S, each halves the ratio that is left

Yield level_of(double stretch) { return {static_cast<std::int64_t>(kMillion / std::max(1.0, stretch))}; }

class Repacking {
 public:
  Repacking(Board& board, std::int32_t most)
      : board_(board),
        old_(board.draft()),
        new_(board.view(), Draft::Start::only_fixed, old_.memory()),
        offers_(level_is_inverse_prediction(board.view().now, board.spec().short_job), board.view().now,
                old_.memory()),
        most_(most) {}

  std::optional<std::int32_t> run() {
    keep_ = outcome(old_, board_.all_outlooks());
    if (keep_ <= kHopeless * at_best()) return std::nullopt;
    offer();
    if (offers_.jobs().empty() || !pack()) return std::nullopt;
    const double at_no_cost = outcome(new_, board_.all_outlooks());  // as if moving cost nothing
    if (!(at_no_cost < keep_)) return std::nullopt;
    match();
    const Outlooks outlooks = charged();
    if (changes_ > most_) return std::nullopt;
    const double after = outcome(new_, outlooks);
    if (!(after < keep_)) return std::nullopt;
    adopt(outlooks, after);
    return changes_;
  }

 private:
  // The worst of all, those that are left out included.
  [[nodiscard]] double outcome(const Draft& draft, const Outlooks& outlooks) const {
    double worst = stretch_of_placed(draft, outlooks, board_.spec().floor);
    for (std::size_t i = 0; i < draft.size(); ++i) {
      if (draft.candidate(i) && hopeful(i)) worst = std::max(worst, board_.pred_left_out(i));
    }
    return worst;
  }
  // If everybody ran at full speed from now on.
  [[nodiscard]] double at_best() const {
    double worst = 0;
    for (std::size_t i = 0; i < old_.size(); ++i) {
      if (old_.placed(i)) worst = std::max(worst, board_.outlook(i).at_full);
      if (old_.placed(i) || !board_.hopeful(i)) continue;
      worst =
          std::max(worst, board_.outlook(i).pred(old_.job(i).phase == Phase::waiting ? 0 : board_.cost()));
    }
    return worst;
  }
  // What stands was seen to fit; the rest is asked about.
  [[nodiscard]] bool hopeful(std::size_t i) const { return old_.placed(i) || board_.hopeful(i); }

  void offer() {
    offers_.reserve(old_.size());
    for (std::uint32_t i = 0; i < old_.size(); ++i) {
      if (new_.fixed(i)) continue;
      if (old_.placed(i) && board_.outlook(i).virt < kYoung * board_.cost()) {
        new_.place(i, old_.placement(i));
        new_.fix(i);
      } else if (old_.placed(i) || board_.hopeful(i)) {
        offers_(i, old_.job(i));
      }
    }
  }

  [[nodiscard]] bool pack() {
    Bins bins(new_);
    offers_.leave_out_what_cannot_fit(bins);
    if (offers_.jobs().empty()) return false;
    LevelPacker packer(offers_.shapes(), bins, new_.memory());
    if (!packer.pack(level_of(keep_)) && !leave_out(packer)) return false;
    improve(packer);
    auto shares = place_packed_jobs(new_, offers_.jobs(), bins, packer);
    for (std::size_t k = 0; k < shares.size(); ++k) {
      new_.adopt(offers_.jobs()[k].entry, shares[k]);
      new_.charge(offers_.jobs()[k].entry);
    }
    refill();
    return true;
  }

  // Of lowest priority, until the rest can be packed at what is there now; false: nobody is left.
  [[nodiscard]] bool leave_out(LevelPacker& packer) {
    std::pmr::vector<PackingJob> ranked = offers_.jobs();
    std::sort(ranked.begin(), ranked.end(), comes_before<PackingJob, PackingJob>);
    std::size_t now = ranked.size();
    const auto offer = [&](std::size_t count) {
      while (now > count) count_in(ranked[--now], -1);
      while (now < count) count_in(ranked[now++], 1);
    };
    const std::size_t kept = largest_count_that_works(now, [&](std::size_t count) {
      offer(count);
      return packer.pack(level_of(keep_));
    });
    offer(kept);
    if (kept == 0) return false;
    keep_before(offers_.jobs(), PackingJob(ranked[kept]));
    return true;
  }
  void count_in(const PackingJob& job, std::int64_t sign) {
    offers_.shapes().add(job.shape, sign * job.tasks);
  }

  // Down from what is there now; the packer keeps the last that was found.
  void improve(LevelPacker& packer) {
    double high = keep_;
    double low = 1;
    for (const PackingJob& job : offers_.jobs()) low = std::max(low, board_.outlook(job.entry).at_full);
    for (int k = 0; k < kBisections && low < high; ++k) {
      const double middle = std::sqrt(low * high);
      (packer.pack(level_of(middle)) ? high : low) = middle;
    }
  }

  void refill() {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < new_.size(); ++i) {
      if (new_.candidate(i) && hopeful(i)) out.push_back(i);
    }
    for (const std::size_t i : by_decreasing_priority(new_, std::move(out))) {
      if (const auto found = greedy_placement(new_, new_.job(i).demand)) new_.place(i, *found);
    }
  }

  // The bins as they are, on the nodes where most of their tasks are already.
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
    for (std::size_t k = 0; k < moving.size(); ++k) {
      new_.adopt(moving[k].entry, shares[k]);
      new_.charge(moving[k].entry);
    }
  }

  // As things would be; counts who is moved or paused.
  [[nodiscard]] Outlooks charged() {
    Outlooks outlooks(board_.all_outlooks(), new_.memory());
    for (std::size_t i = 0; i < new_.size(); ++i) {
      const Job& job = new_.job(i);
      if (new_.fixed(i)) continue;
      const bool stands = new_.placed(i) && job.phase != Phase::waiting;
      const bool elsewhere = new_.placement(i) != Shares(job.placement);
      if (elsewhere && job.phase == Phase::running) ++changes_;
      if (!stands) continue;
      outlooks[i] = board_.unmoved(i);
      if (elsewhere) outlooks[i].stall_for(board_.cost_of_change(job));
    }
    return outlooks;
  }

  void adopt(const Outlooks& outlooks, double after) {
    JobId helped{};
    double most = 0;
    for (std::size_t i = 0; i < old_.size(); ++i) {
      const double now = old_.placed(i) ? board_.outlook(i).at_full
                         : hopeful(i)   ? board_.pred_left_out(i)
                                        : 0;
      if (now > most) most = now, helped = old_.job(i).id;
    }
    for (std::size_t i = 0; i < old_.size(); ++i) {
      if (old_.placed(i) && old_.placement(i) != new_.placement(i)) board_.remove(i);
    }
    for (std::size_t i = 0; i < old_.size(); ++i) {
      const bool elsewhere = new_.placement(i) != Shares(old_.job(i).placement);
      if (elsewhere && old_.job(i).phase == Phase::running) {
        board_.displace(old_.job(i).id,
                        {Displacement::By::repacking, helped, hundredths(keep_), hundredths(after)});
      }
      if (new_.placed(i) && !old_.placed(i)) board_.put(i, new_.placement(i), outlooks[i]);
    }
  }

  Board& board_;
  Draft& old_;
  Draft new_;
  PackingJobs offers_;
  const std::int32_t most_;
  double keep_ = 0;
  std::int32_t changes_ = 0;
};

}  // namespace

std::optional<std::int32_t> repack_if_better(Board& board, std::int32_t most) {
  return Repacking(board, most).run();
}

}  // namespace aliquot
