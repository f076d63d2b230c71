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

// The words of match.hpp, one host at a time.
std::vector<std::uint32_t> host_by_host(const Contents& bins, const Contents& hosts) {
  const auto size = [](const std::vector<Held>& node) {
    return std::accumulate(node.begin(), node.end(), 0U,
                           [](std::uint32_t sum, const Held& held) { return sum + held.units; });
  };
  std::vector<bool> taken(hosts.size(), false);
  std::vector<std::uint32_t> host_of;
  for (const auto& bin : bins) {
    std::size_t best = hosts.size();
    std::int64_t most = 0;
    for (std::size_t h = 0; h < hosts.size(); ++h) {
      if (taken[h]) continue;
      const std::int64_t stays = kept({bin}, {hosts[h]}, {0});
      if (best == hosts.size() || stays > most || (stays == most && size(hosts[h]) < size(hosts[best]))) {
        best = h;
        most = stays;
      }
    }
    taken[best] = true;
    host_of.push_back(static_cast<std::uint32_t>(best));
  }
  return host_of;
}

TEST(Match, beyond_the_exact_limit_takes_the_best_host_that_is_left) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    Dice dice(seed);
    const Contents bins = random_contents(dice, kExactMatch + 1);
    const Contents hosts = random_contents(dice, kExactMatch + 1);
    ASSERT_EQ(host_by_host(bins, hosts),
              match_bins(bins, hosts, std::vector<std::int32_t>(hosts.size(), 0)))
        << "seed " << seed;
  }
}

}  // namespace
}  // namespace aliquot
