// Preemption for admission: candidates that are taken one by one, against a reference that changes the
// draft itself.
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

// Removes jobs of the draft until the demand fits, then puts each back that it fits beside.
bool reference_preempt_for(Draft& draft, const Demand& demand, const std::vector<std::size_t>& running) {
  std::vector<std::size_t> marked;
  for (auto next = running.rbegin(); next != running.rend() && !draft.fits(demand); ++next) {
    draft.remove(*next);
    marked.push_back(*next);
  }
  const bool possible = draft.fits(demand);
  for (auto spared = marked.rbegin(); spared != marked.rend(); ++spared) {
    draft.place(*spared, draft.job(*spared).placement);
    if (possible && !draft.fits(demand)) draft.remove(*spared);
  }
  return possible;
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
      ASSERT_EQ(reference_preempt_for(plain, demand, standing), enough) << "seed " << seed;
      EXPECT_EQ(before - plain.placed_count(), paused) << "seed " << seed;
      expect_equal(draft, plain, seed);
      ++(enough ? made : refused);
      // Another job comes or goes.
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

TEST(Preemption, pauses_the_jobs_of_lowest_priority_that_have_made_progress) {
  std::size_t made = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const ClusterView view = test::random_view(seed, {16, 60, seed % 2 == 0});
    Draft draft(view);
    Draft plain(view);
    std::vector<std::size_t> running;
    for (std::size_t i = 0; i < draft.size(); ++i) {
      const bool progressed = draft.job(i).progress.at(view.now).raw > 0;
      if (draft.placed(i) && !draft.fixed(i) && progressed) running.push_back(i);
    }
    Dice dice(seed);
    const Demand demand = test::random_demand(dice, view.nodes[0], {});
    const bool expected =
        reference_preempt_for(plain, demand, by_decreasing_priority(plain, std::move(running)));
    ASSERT_EQ(expected, preempt_for(draft, demand)) << "seed " << seed;
    expect_equal(draft, plain, seed);
    made += expected ? 1 : 0;
  }
  EXPECT_GT(made, 100U);
}

}  // namespace
}  // namespace aliquot
