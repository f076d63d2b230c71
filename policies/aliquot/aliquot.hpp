// ALIQUOT, the project's own policy: it keeps the largest predicted stretch small, and knows what an action
// costs. docs/policy.md tells the rules and what each is worth.
//
// At every event: who waits or is paused is let in (admission); at most every 10 s one job leaves the worst
// node (local_search); then the CPU is shared by predicted stretch (settling). It is shared anew, too, when
// a job that gets less than it needs has run twice as long as was expected of it. All its constants follow
// from P, the cost of an action, which the view tells. Moves and pauses are limited by a budget: one more
// for each submission. Where actions cost nothing, no budget counts them, and all jobs are packed anew
// every 600 s where that gains (repacking).
#pragma once

#include "policies/aliquot/attempts.hpp"
#include "policies/aliquot/board.hpp"
#include "policies/aliquot/hurry.hpp"
#include "policies/aliquot/local_search.hpp"
#include "policies/policy.hpp"
#include "policies/scratch.hpp"

namespace aliquot {

class Aliquot : public Policy {
 public:
  explicit Aliquot(AliquotSpec spec) : spec_(spec) {}

  [[nodiscard]] std::string name() const override { return to_string(spec_); }
  [[nodiscard]] std::optional<Duration> period() const override { return std::nullopt; }
  [[nodiscard]] Plan decide(const ClusterView& view) const override;
  [[nodiscard]] Explanation explain(const ClusterView& view, JobId job) const override;

 private:
  // Of actions, as this policy believes.
  [[nodiscard]] ActionCosts costs(const ClusterView& view) const;
  // Answers whether all jobs were packed anew.
  bool improve(Board& board, std::int32_t pauses, Searched& found) const;
  [[nodiscard]] bool search_now(const ClusterView& view, AliquotState& state) const;
  // `placed`: all placed entries.
  using Entries = std::pmr::vector<std::uint32_t>;
  [[nodiscard]] Yields yields(const Board& board, const Entries& placed, const Searched& found,
                              Hurry hurry) const;
  // `retries`: of jobs that are not placed.
  [[nodiscard]] std::optional<Instant> wake_at(const Board& board, const Entries& placed,
                                               const Yields& yields,
                                               const FlatMap<JobId, Retry>& retries) const;

  AliquotSpec spec_;
  mutable Scratch scratch_;
};

}  // namespace aliquot
