// Why a job stands as it does: the part of an explanation that every policy shares.
//
// Each function fills in the reason, the text, grouped node counts, the scarcest resource and the jobs that
// hold it. A policy adds what only it knows: its queue, its tick, its back-off.
#pragma once

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

// None is not said.
void add_count(std::vector<NodeCount>& counts, std::string what, std::uint32_t nodes);
// The states of the nodes that take nothing new, as counts ("draining", "suspect", "down").
void count_unusable(const ClusterView& view, std::vector<NodeCount>& counts);

// The largest placed jobs but `i`, by `amount(entry)` (0: not one of them); at most 8.
template <class Amount>
std::vector<JobId> largest_holders(const Draft& draft, std::size_t i, Amount&& amount) {
  std::vector<std::pair<std::int64_t, std::size_t>> held;
  for (std::size_t j = 0; j < draft.size(); ++j) {
    if (j == i || !draft.placed(j)) continue;
    const std::int64_t much = amount(j);
    if (much > 0) held.push_back({-much, j});
  }
  std::sort(held.begin(), held.end());
  std::vector<JobId> jobs;
  for (const auto& [much, j] : held) {
    if (jobs.size() == 8) break;
    jobs.push_back(draft.job(j).id);
  }
  return jobs;
}

}  // namespace aliquot
