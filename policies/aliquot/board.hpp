// The table on which an ALIQUOT decision is worked out: a draft, what is expected of every job, and the CPU
// that every node has given away.
#pragma once

#include <optional>
#include <utility>

#include "policies/aliquot/grammar.hpp"
#include "policies/aliquot/outlook.hpp"
#include "policies/aliquot/policy_state.hpp"
#include "policies/dfrs/greedy_placement.hpp"
#include "policies/draft.hpp"

namespace aliquot {

class Board {
 public:
  // All but the costs must outlive it.
  Board(Draft& draft, const AliquotSpec& spec, AliquotState& state, const ActionCosts& costs);

  [[nodiscard]] Draft& draft() { return draft_; }
  [[nodiscard]] const Draft& draft() const { return draft_; }
  [[nodiscard]] const ClusterView& view() const { return draft_.view(); }
  [[nodiscard]] const AliquotSpec& spec() const { return spec_; }
  [[nodiscard]] AliquotState& state() { return state_; }
  [[nodiscard]] const AliquotState& state() const { return state_; }
  // Is remembered with the decision.
  void displace(JobId job, const Displacement& why) { displacements_.emplace_back(job, why); }
  [[nodiscard]] std::vector<std::pair<JobId, Displacement>> take_displacements() {
    return std::move(displacements_);
  }
  // Of what is placed; of others only what has been asked for.
  [[nodiscard]] const Outlooks& outlooks() const { return outlooks_; }
  [[nodiscard]] const Outlooks& all_outlooks() const;
  [[nodiscard]] const Outlook& outlook(std::size_t i) const {
    return outlooks_.knows(i) ? std::as_const(outlooks_)[i] : outlooks_[i] = unmoved(i);
  }
  // P, in seconds, by which changes are judged: a small one is taken to be thrice as large, up to what a
  // short job counts for, unless the options say what it is.
  [[nodiscard]] double cost() const { return cost_; }
  [[nodiscard]] double shortest() const { return to_seconds(spec_.short_job); }  // run time, the same
  // Without progress, if it stands elsewhere from now on: a job that runs moves, one
  // that is paused resumes.
  [[nodiscard]] double cost_of_change(const Job& job) const;
  // How long a placed job will really stand still from now on, as far as is known.
  [[nodiscard]] double stall_of(std::size_t i) const;

  // On the nodes that have given the least CPU away; all tasks or none. Charges P where it is a resume.
  bool place(std::size_t i);
  void remove(std::size_t i);
  [[nodiscard]] std::optional<Placement> placement_for(std::size_t i) const {
    return greedy_placement_of(draft_.job(i).demand);
  }
  // Where these were, which have been taken off the draft, and elsewhere.
  bool place_instead(std::size_t i, std::span<const std::uint32_t> paused);
  // Where it is told to, on the nodes as they are; its outlook besides.
  void put(std::size_t i, Shares where, const Outlook& outlook);
  // Of a job that stands elsewhere from now on: P, unless it starts only now or has been charged already.
  [[nodiscard]] Outlook charged(std::size_t i) const;
  // As it was before this decision.
  [[nodiscard]] Outlook unmoved(std::size_t i) const;

  // Waits or is paused, and the nodes that are up could hold it.
  [[nodiscard]] bool hopeful(std::size_t i) const;
  // The same of one that may be placed.
  [[nodiscard]] bool hopeful(const SlotsBeside& slots) const;
  // There is room for all tasks as things stand.
  [[nodiscard]] bool fits(const Demand& demand) const;
  // What a job comes to that stays out now.
  [[nodiscard]] double pred_left_out(std::size_t i) const;

 private:
  [[nodiscard]] std::optional<Placement> greedy_placement_of(const Demand& demand) const;
  void give(Cpu each, Shares where);
  void charge(std::size_t i, std::int64_t sign);
  void charge(Cpu need, Yield thought, Shares where, std::int64_t sign);

  Draft& draft_;
  const AliquotSpec& spec_;
  AliquotState& state_;
  std::vector<std::pair<JobId, Displacement>> displacements_;
  const ActionCosts told_;
  const double cost_;
  const double cost_of_move_;
  mutable Outlooks outlooks_;        // those that have been worked out
  std::pmr::vector<Yield> thought_;  // by entry: the yield in force, full for a job just placed
  std::pmr::vector<Cpu> given_;      // by node
  mutable std::pmr::vector<BlockMinimum> least_given_;  // by block of nodes
};

}  // namespace aliquot
