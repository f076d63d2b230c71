#include "policies/dfrs/repack.hpp"

#include <gtest/gtest.h>

#include <map>

#include "policies/dfrs/priority.hpp"
#include "policies/packing/yield_search.hpp"
#include "policies/policy.hpp"
#include "test/support/random_view.hpp"
#include "test/unit/policies/naive_mcb8.hpp"

namespace aliquot {
namespace {

using test::random_view;

// DYNMCB8's packing, task by task and test by test, without any of the short cuts (DFRS, III-B).
class NaiveRepack {
 public:
  explicit NaiveRepack(const ClusterView& view) : view_(view) {
    for (const auto& [id, job] : view.jobs) {
      if (fits_when_empty(view, job.demand, true)) jobs_.push_back(&job);
    }
  }

  std::map<JobId, Placement> placements() {
    while (true) {
      std::optional<test::NaiveBins> bins = at(kMillion);
      if (!bins) bins = at(0);
      if (bins) return read(search(*std::move(bins)));
      drop_lowest();
    }
  }

 private:
  std::optional<test::NaiveBins> at(std::int64_t ppm) {
    std::vector<test::NaiveTask> tasks;
    for (const Job* job : jobs_) {
      const Cpu cpu = job->demand.need * Yield{std::max<std::int64_t>(ppm, 1)};
      tasks.insert(tasks.end(), job->demand.tasks, {job->id.raw, cpu, job->demand.memory});
    }
    std::vector<BinRun> bins;
    for (const Node& node : view_.nodes) {
      bins.push_back({node.capacity, node.memory, node.capacity, node.memory, 1});
    }
    return test::naive_mcb8(tasks, bins);
  }

  test::NaiveBins search(test::NaiveBins best) {
    if (auto full = at(kMillion)) return *full;
    std::int64_t low = 0;
    for (std::int64_t high = kMillion; high - low > kMillion / 100;) {
      const std::int64_t middle = (low + high) / 2;
      if (auto found = at(middle)) {
        best = *found;
        low = middle;
      } else {
        high = middle;
      }
    }
    return best;
  }

  void drop_lowest() {
    std::size_t lowest = 0;
    for (std::size_t k = 1; k < jobs_.size(); ++k) {
      if (priority(*jobs_[k], view_.now) <= priority(*jobs_[lowest], view_.now)) lowest = k;
    }
    jobs_.erase(jobs_.begin() + static_cast<std::ptrdiff_t>(lowest));
  }

  static std::map<JobId, Placement> read(const test::NaiveBins& bins) {
    std::map<JobId, Placement> placements;
    for (std::uint32_t b = 0; b < bins.size(); ++b) {
      std::map<std::uint64_t, std::uint32_t> units;
      for (const std::uint64_t job : bins[b]) ++units[job];
      for (const auto& [job, count] : units) placements[{job}].push_back({{b}, count});
    }
    return placements;
  }

  const ClusterView& view_;
  std::vector<const Job*> jobs_;
};

TEST(Repack, equals_its_naive_twin_bin_by_bin) {
  std::size_t placed = 0;
  std::size_t left_out = 0;
  for (std::uint64_t seed = 0; seed < 4'000; ++seed) {
    const ClusterView view = random_view(seed, {.most_nodes = 10, .most_jobs = 24, .plain = true});
    Draft draft(view);
    repack(draft, level_is_yield(), false);
    const auto expected = NaiveRepack(view).placements();
    for (std::size_t i = 0; i < draft.size(); ++i) {
      const auto at = expected.find(draft.job(i).id);
      const Placement wanted = at == expected.end() ? Placement{} : at->second;
      ASSERT_EQ(wanted, draft.placement(i)) << "seed " << seed << ", job " << draft.job(i).id.raw;
      ++(wanted.empty() ? left_out : placed);
    }
  }
  EXPECT_GT(placed, 10'000U);
  EXPECT_GT(left_out, 1'000U);
}

std::size_t moved_tasks(const ClusterView& view, const Plan& plan) {
  std::size_t moved = 0;
  for (const Change& change : plan.changes) {
    const Placement& before = view.jobs.at(change.job).placement;
    if (before.empty() || change.placement.empty()) continue;
    for (const Share& share : change.placement) {
      const auto same = std::find_if(before.begin(), before.end(),
                                     [&](const Share& old) { return old.node == share.node; });
      moved += share.units - (same == before.end() ? 0 : std::min(same->units, share.units));
    }
  }
  return moved;
}

TEST(Repack, match_never_moves_more_tasks_and_mostly_fewer) {
  const auto plain = *make_policy("DYNMCB8");
  const auto match = *make_policy("DYNMCB8+match");
  std::size_t without = 0;
  std::size_t with = 0;
  for (std::uint64_t seed = 0; seed < 2'000; ++seed) {
    const ClusterView view = random_view(seed, {.most_nodes = 10, .most_jobs = 24, .plain = true});
    const std::size_t before = moved_tasks(view, plain->decide(view));
    const std::size_t after = moved_tasks(view, match->decide(view));
    ASSERT_LE(after, before) << "seed " << seed;
    without += before;
    with += after;
  }
  EXPECT_LT(with, without * 8 / 10);
}

TEST(YieldSearch, tests_one_exactly_and_else_comes_within_a_hundredth) {
  const auto up_to = [](std::int64_t limit) {
    return highest_level([=](Yield y) { return y.raw <= limit ? std::optional(y) : std::nullopt; });
  };
  EXPECT_EQ(kFullYield, up_to(kMillion)->level);
  EXPECT_EQ(Yield{0}, up_to(0)->level);
  EXPECT_FALSE(up_to(-1));
  for (std::int64_t limit = 0; limit < kMillion; limit += 7'919) {
    const auto found = up_to(limit);
    EXPECT_LE(found->level.raw, limit);
    EXPECT_GT(found->level + kSearchAccuracy, Yield{limit - 1});
    EXPECT_EQ(found->level, found->found);
  }
}

}  // namespace
}  // namespace aliquot
