// Who is paused to make room: job by job as they are offered, against the plain way over all of them.
#include "policies/dfrs/preemption.hpp"

#include <gtest/gtest.h>

#include "policies/dfrs/greedy_placement.hpp"
#include "policies/dfrs/priority.hpp"
#include "test/support/random_view.hpp"

namespace aliquot {
namespace {

using test::Dice;

void expect_equal(const Draft& a, const Draft& b, std::uint64_t seed) {
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_EQ(a.placement(i), b.placement(i)) << "seed " << seed;
  ASSERT_EQ(a.placed_count(), b.placed_count()) << "seed " << seed;
  for (std::size_t n = 0; n < a.nodes(); ++n) {
    ASSERT_EQ(a.ledger(n).free, b.ledger(n).free) << "seed " << seed << ", node " << n;
    ASSERT_EQ(a.ledger(n).load, b.ledger(n).load) << "seed " << seed << ", node " << n;
    ASSERT_EQ(a.ledger(n).guaranteed, b.ledger(n).guaranteed) << "seed " << seed << ", node " << n;
    ASSERT_EQ(a.ledger(n).tasks, b.ledger(n).tasks) << "seed " << seed << ", node " << n;
  }
}

TEST(PreemptionSearch, pauses_the_same_jobs_as_its_reference_implementation) {
  std::size_t made = 0;
  std::size_t refused = 0;
  for (std::uint64_t seed = 0; seed < 1'000; ++seed) {
    const ClusterView view = test::random_view(seed, {16, 60, seed % 2 == 0});
    Draft draft(view);
    Draft plain(view);
    Dice dice(seed);
    std::vector<std::size_t> running;
    for (std::size_t i = 0; i < draft.size(); ++i)
      if (draft.placed(i) && !draft.fixed(i) && dice.chance(80)) running.push_back(i);
    running = by_decreasing_priority(draft, std::move(running));
    std::vector<PreemptionSearch::Candidate> candidates;
    for (const std::size_t i : running) {
      const Job& job = draft.job(i);
      candidates.push_back({job.placement, charge_of_task(job.demand), static_cast<std::uint32_t>(i)});
    }
    PreemptionSearch maker(draft);
    for (int turn = 0; turn < 5; ++turn) {
      const Demand demand = test::random_demand(dice, view.nodes[0], {});
      std::vector<std::size_t> standing = running;
      std::erase_if(standing, [&](std::size_t i) { return plain.placement(i) != plain.job(i).placement; });
      maker.begin(demand);
      for (auto next = candidates.rbegin(); next != candidates.rend() && !maker.enough(); ++next)
        if (draft.placement(next->entry) == next->shares) maker.take_off(*next);
      const bool enough = maker.enough();
      const std::size_t paused = enough ? maker.finish().size() : 0;
      const std::size_t before = plain.placed_count();
      ASSERT_EQ(preempt_for(plain, demand, standing), enough) << "seed " << seed;
      EXPECT_EQ(before - plain.placed_count(), paused) << "seed " << seed;
      expect_equal(draft, plain, seed);
      ++(enough ? made : refused);
      // Somebody comes or goes whom it has not been asked about.
      if (draft.size() == 0) continue;
      const auto i =
          static_cast<std::size_t>(dice.between(0, static_cast<std::int64_t>(view.jobs.size()) - 1));
      const Placement before_change = draft.placement(i);
      if (draft.placed(i)) {
        for (Draft* const of : {&draft, &plain}) of->remove(i);
        maker.changed(before_change);
      } else if (const auto found = greedy_placement(draft, draft.job(i).demand)) {
        for (Draft* const of : {&draft, &plain}) of->place(i, *found);
        maker.changed(*found);
      }
    }
  }
  EXPECT_GT(made, 1'000U);
  EXPECT_GT(refused, 400U);
}

}  // namespace
}  // namespace aliquot
