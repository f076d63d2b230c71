// When jobs try again, by entry of a draft: as a map from ids would have it.
#include "policies/aliquot/attempts.hpp"

#include <gtest/gtest.h>

#include <map>

#include "test/support/random_view.hpp"

namespace aliquot {
namespace {

TEST(Attempts, of_outsiders_are_what_a_map_says) {
  std::size_t kept = 0;
  std::size_t unknown = 0;
  for (std::uint64_t seed = 0; seed < 1'000; ++seed) {
    ClusterView view = test::random_view(seed, {8, 40, seed % 2 == 0});
    test::Dice dice(seed);
    const std::int64_t often = dice.between(0, 100);
    view.memory.retries.clear();
    for (std::uint64_t id = 1; id <= 100; ++id) {
      const Retry retry{static_cast<std::uint32_t>(id), view.now + seconds(dice.between(-9, 9))};
      if (dice.chance(static_cast<int>(often))) view.memory.retries.append({id}, retry);
    }
    Outsiders outsiders;
    const Draft draft(view, Draft::Start::as_in_force, std::pmr::get_default_resource(),
                      [&](std::uint32_t i, const Job& job) {
                        if (job.placement.empty()) outsiders.push_back(outsider(i, job));
                      });
    Attempts attempts(draft, outsiders);
    std::map<JobId, Retry> plain;
    for (const Outsider& job : outsiders) {
      const JobId id = draft.id(job.entry);
      const auto known = view.memory.retries.find(id);
      const Retry* const before = attempts.before(job.entry);
      ASSERT_EQ(known != view.memory.retries.end(), before != nullptr) << "seed " << seed;
      if (before != nullptr) {
        ASSERT_EQ(known->second, *before) << "seed " << seed;
      }
      unknown += before == nullptr ? 1 : 0;
      if (dice.chance(20)) attempts.set(job.entry, plain[id] = {7, view.now});
      if (dice.chance(80)) {
        attempts.keep(job.entry);
        if (before != nullptr) plain.emplace(id, *before);
      }
      if (dice.chance(10)) {
        attempts.forget(job.entry);
        plain.erase(id);
      }
      ASSERT_EQ(plain.contains(id), attempts.has_next(job.entry)) << "seed " << seed;
    }
    const auto retries = attempts.retries();
    ASSERT_EQ(plain.size(), retries.size()) << "seed " << seed;
    for (const auto& [id, retry] : plain) ASSERT_EQ(retry, retries.at(id)) << "seed " << seed;
    kept += plain.size();
  }
  EXPECT_GT(kept, 1'000U);
  EXPECT_GT(unknown, 1'000U);
}

}  // namespace
}  // namespace aliquot
