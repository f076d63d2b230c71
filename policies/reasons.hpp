// Why a job stands as it does: the part of an explanation that every policy shares.
//
// Each function fills in the reason, the text, grouped node counts, the scarcest resource and the jobs that
// hold it. A policy adds what only it knows: its queue, its tick, its back-off.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>

#include "policies/draft.hpp"

namespace aliquot {

// "512 MiB", "1.5 cores", "3 s": as messages write amounts.
[[nodiscard]] std::string text_of(Memory memory);
[[nodiscard]] std::string text_of(Cpu cpu);
[[nodiscard]] std::string text_of(Duration duration);
[[nodiscard]] std::string tasks_text(const Demand& demand);  // "4 tasks of 512 MiB and 1 core"

[[nodiscard]] Explanation explained(Reason reason, std::string text);

// The reasons that do not depend on the policy: held, in flight, running, never fits, nodes unavailable.
// None for a job that waits or is paused and that the nodes that are up could hold if they were empty.
[[nodiscard]] std::optional<Explanation> plain_reason(const Draft& draft, std::size_t i);

// For a job that does not fit now: memory or min_yield, with the counts and the holders.
[[nodiscard]] Explanation capacity_reason(const Draft& draft, std::size_t i);

// How many of the nodes that are up are of each kind, and how many are in each state that takes nothing
// new ("draining", "suspect", "down", "asleep"). `words`: by kind, what is said of it; kind_of(n): of node
// n, or null. A kind or state of no nodes is left out.
[[nodiscard]] std::vector<NodeCount> count_nodes(const ClusterView& view, std::vector<std::string> words,
                                                 const std::function<std::size_t(std::size_t n)>& kind_of);

// The largest placed jobs but `i`, by `amount(entry)` (0: not one of them).
inline constexpr std::size_t kMostHolders = 8;
template <class Amount>
std::vector<JobId> largest_holders(const Draft& draft, std::size_t i, Amount&& amount) {
  std::vector<std::pair<std::int64_t, std::size_t>> held;
  for (std::size_t j = 0; j < draft.size(); ++j) {
    if (j == i || !draft.placed(j)) continue;
    const std::int64_t much = amount(j);
    if (much > 0) held.push_back({-much, j});
  }
  const auto most = held.begin() + static_cast<std::ptrdiff_t>(std::min(held.size(), kMostHolders));
  std::partial_sort(held.begin(), most, held.end());
  std::vector<JobId> jobs;
  for (auto holder = held.begin(); holder != most; ++holder) jobs.push_back(draft.job(holder->second).id);
  return jobs;
}

}  // namespace aliquot
