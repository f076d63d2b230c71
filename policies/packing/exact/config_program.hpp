// Do all tasks fit the nodes, in fractions of nodes: the configuration program by column generation
// (Gilmore and Gomory 1961), and a proof where they do not.
//
// The proof that no packing exists, not even one in fractions: a worth for each shape, such that all tasks
// together are worth more than all nodes can hold of worth. It is in whole numbers, and what a node can
// hold is the exact answer of a knapsack: the floating-point program only proposes the worths. Where sizes
// are those of a level (the CPU that tasks get at a yield), the same worths prove as much at every higher
// level.
#pragma once

#include <algorithm>
#include <optional>

#include "policies/packing/exact/pattern_knapsack.hpp"
#include "policies/packing/exact/pattern_master.hpp"

namespace aliquot {

class ConfigProgram {
 public:
  enum class Verdict : std::uint8_t {
    fits,     // in fractions of nodes
    exceeds,  // proven; worths() are the proof
    unknown,  // the effort was spent, or it is too close to tell
  };

  // `work`: steps of knapsacks and their like, over all that is asked of it; a million take some 12 ms.
  ConfigProgram(std::span<const TaskSize> sizes, std::span<const NodeRoom> kinds, std::uint64_t work);

  // At another level: then start, or go on.
  void resize(std::span<const TaskSize> sizes, std::span<const NodeRoom> kinds);
  // A pattern to begin with, that fits its kind.
  void suggest(std::uint32_t kind, Pattern pattern);

  // What is to be placed on how many nodes of each kind. Where a shape fits none that there are, that is
  // the verdict.
  void start(std::span<const std::int64_t> demand, std::span<const std::int64_t> nodes);
  // The same, from where the last solution was left if that can still be.
  void go_on(std::span<const std::int64_t> demand, std::span<const std::int64_t> nodes);
  // The same demand and nodes at a higher level, without what has become too large; if that cannot be, from
  // the solution that was kept, of a level above this one.
  void climb();
  void keep() { kept_ = master_; }
  // Do the patterns that are known fit already?
  [[nodiscard]] bool known_fit();
  // From where it stands: until the verdict is known, or until the least load is.
  [[nodiscard]] Verdict solve(bool to_the_least_load = false);

  // After `fits`: to another solution that fits.
  [[nodiscard]] bool step_aside();

  // The effort for all that is asked of it is spent: it answers `unknown`, or what it knows already.
  [[nodiscard]] bool spent() const { return work_left_ == 0; }
  [[nodiscard]] std::uint64_t work_left() const { return work_left_; }
  // What is done for it elsewhere.
  void spend(std::uint64_t work) { work_left_ -= std::min(work_left_, work); }

  // After `fits`: patterns and how many nodes each fills, in fractions.
  [[nodiscard]] const std::vector<PatternMaster::Column>& columns() const { return columns_; }
  [[nodiscard]] std::vector<PatternMaster::Amount> amounts() const;
  // Of a node: what a column is worth less than its own; infinite for one that is too large at this level.
  [[nodiscard]] double loses(std::uint32_t column) const;
  // Of the nodes: by how much less than what there are the patterns known would do, or by how much more.
  // Infinite where a shape fits none.
  [[nodiscard]] double load() const;
  // By shape.
  [[nodiscard]] const std::vector<std::int64_t>& worths() const { return worth_; }

  // Do these worths prove that `demand` exceeds `nodes`, all of the sizes in force?
  [[nodiscard]] bool proves(std::span<const std::int64_t> worths, std::span<const std::int64_t> demand,
                            std::span<const std::int64_t> nodes);
  // Of nodes of one kind: what of all patterns that stand in the way of such a proof takes the least CPU.
  // None: nothing does, or the effort was spent.
  [[nodiscard]] std::optional<Pattern> lightest_obstacle(std::span<const std::int64_t> worths);

 private:
  struct Priced {
    bool proof = false;
    bool improved = false;
  };
  [[nodiscard]] bool fits(const PatternMaster::Column& column) const;
  void sort_out();
  void add(PatternMaster::Column column);
  // The column of this shape alone; none: it fits no node that there is.
  std::optional<std::uint32_t> alone(std::uint32_t shape);
  void prove_nowhere(std::uint32_t shape);
  [[nodiscard]] bool asks_for_nothing() const;
  void go_back();
  // False: the work is spent.
  bool improve(PatternMaster::Among among);
  void take_worths();
  // Of all that is asked for; and worthy_ is what a knapsack chooses from.
  [[nodiscard]] Int128 worth_of_all(std::span<const std::int64_t> worths,
                                    std::span<const std::int64_t> demand);
  // A search of the knapsack, whose steps are taken off the work that is left.
  std::int64_t most_worth(std::uint32_t kind, std::int64_t known, PatternKnapsack::Search search);
  // Looks for patterns worth more than their nodes.
  [[nodiscard]] Priced price(bool to_the_least_load);

  std::vector<TaskSize> sizes_;
  std::vector<NodeRoom> kinds_;
  std::vector<PatternMaster::Column> columns_;
  std::vector<char> usable_;          // by column: not too large at this level
  std::vector<std::uint64_t> marks_;  // by column, to know it again
  std::vector<std::int64_t> demand_;
  std::vector<std::int64_t> nodes_;
  std::vector<std::uint32_t> alone_;
  std::vector<std::int32_t> alone_at_;  // by shape and kind; -1: no column yet
  std::vector<std::int64_t> worth_;
  std::vector<std::int64_t> known_;  // by kind
  std::vector<WorthyShape> worthy_;
  // None where no patterns can tell more: nothing is asked for, or something fits no node that there is.
  std::optional<PatternMaster> master_;
  std::optional<PatternMaster> kept_;
  PatternKnapsack knapsack_;
  std::uint64_t work_left_;
};

}  // namespace aliquot
