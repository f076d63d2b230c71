#include "policies/packing/match.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "test/support/random_view.hpp"

namespace aliquot {
namespace {

using test::Dice;

std::int64_t kept(const Contents& bins, const Contents& hosts, const std::vector<std::uint32_t>& host_of) {
  std::int64_t sum = 0;
  for (std::size_t b = 0; b < bins.size(); ++b) {
    for (const Held& held : bins[b]) {
      for (const Held& old : hosts[host_of[b]]) {
        if (old.owner == held.owner) sum += std::min(old.units, held.units);
      }
    }
  }
  return sum;
}

Contents random_contents(Dice& dice, std::size_t nodes) {
  Contents contents(nodes);
  for (auto& node : contents) {
    for (std::uint32_t owner = 0; owner < 5; ++owner) {
      if (dice.chance(40)) node.push_back({owner, static_cast<std::uint32_t>(dice.between(1, 4))});
    }
  }
  return contents;
}

TEST(Match, is_the_best_of_all_permutations) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Dice dice(seed);
    const auto nodes = static_cast<std::size_t>(dice.between(1, 6));
    const Contents bins = random_contents(dice, nodes);
    const Contents hosts = random_contents(dice, nodes);
    std::vector<std::uint32_t> order(nodes);
    std::iota(order.begin(), order.end(), 0U);
    std::int64_t best = 0;
    do best = std::max(best, kept(bins, hosts, order));
    while (std::next_permutation(order.begin(), order.end()));
    const auto found = match_bins(bins, hosts, std::vector<std::int32_t>(nodes, 0));
    ASSERT_EQ(best, kept(bins, hosts, found)) << "seed " << seed;
    ASSERT_TRUE(std::is_permutation(order.begin(), order.end(), found.begin())) << "seed " << seed;
  }
}

TEST(Match, bins_change_places_only_among_nodes_alike) {
  const Contents bins = {{{7, 1}}, {}, {{8, 1}}, {}};
  const Contents hosts = {{}, {{7, 1}}, {}, {{8, 1}}};
  EXPECT_EQ((std::vector<std::uint32_t>{1, 0, 2, 3}), match_bins(bins, hosts, {0, 0, 1, kNotMatched}));
}

TEST(Match, the_same_bins_stay_beyond_the_exact_limit_too) {
  Dice dice(1);
  Contents contents = random_contents(dice, kExactMatch + 50);
  const Contents hosts = contents;
  std::rotate(contents.begin(), contents.begin() + 17, contents.end());
  const auto found = match_bins(contents, hosts, std::vector<std::int32_t>(hosts.size(), 0));
  std::int64_t all = 0;
  for (const auto& node : hosts) {
    for (const Held& held : node) all += held.units;
  }
  EXPECT_EQ(all, kept(contents, hosts, found));
}

}  // namespace
}  // namespace aliquot
