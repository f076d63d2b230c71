// Do all tasks fit the nodes, in fractions of nodes? The configuration linear program, solved by column
// generation (Gilmore and Gomory 1961), with a proof where the answer is no.
//
// The proof that no packing exists, not even one in fractions, is a dual value for each shape, such that
// all tasks together are worth more than all nodes can hold. It is in whole numbers, and what a node can
// hold is the exact answer of a knapsack: the floating-point program only proposes the values. Where CPU
// sizes are those of a yield, the same values prove as much at every higher yield.
#pragma once

#include <map>
#include <optional>
#include <utility>

#include "policies/packing/exact/pattern_knapsack.hpp"
#include "policies/packing/exact/restricted_master.hpp"

namespace aliquot {

class ConfigurationLp {
 public:
  enum class Verdict : std::uint8_t {
    fits,     // in fractions of nodes
    exceeds,  // proven; dual_values() are the proof
    unknown,  // the effort is spent, or it is too close to tell
  };
  // So much of a node's pattern, in nodes.
  struct Fraction {
    std::uint32_t kind = 0;
    double nodes = 0;
    Pattern pattern;
  };

  // `effort`: steps of the knapsack and their like, over all calls; a million take some 30 ms.
  ConfigurationLp(std::size_t shapes, std::size_t kinds, std::uint64_t effort);

  // What tasks take and nodes have from now on; patterns that are too large for it rest until they fit
  // again.
  void set_sizes(std::span<const TaskSize> sizes, std::span<const NodeSize> kinds);
  // A pattern that may help: it fits its kind.
  void suggest(std::uint32_t kind, const Pattern& pattern);

  // `demand` tasks by shape on so many nodes by kind; it goes on from the last solution where that is
  // possible.
  [[nodiscard]] Verdict solve(std::span<const std::int64_t> demand, std::span<const std::int64_t> nodes);

  // After `fits`.
  [[nodiscard]] std::vector<Fraction> fractions() const;
  // After `exceeds`: how many times the nodes would be needed, with the patterns that are known.
  [[nodiscard]] double load() const { return solved_ ? master_.load() : 1; }
  // By shape, of the last solution or proof.
  [[nodiscard]] const std::vector<std::int64_t>& dual_values() const { return dual_values_; }

  // Do these values prove that `demand` exceeds `nodes`?
  [[nodiscard]] bool proves(std::span<const std::int64_t> values, std::span<const std::int64_t> demand,
                            std::span<const std::int64_t> nodes);
  // Of `count` nodes of the only kind: of all patterns that stand in the way of such a proof the one that
  // takes the least CPU. None: there is no such pattern, or the search was cut short.
  [[nodiscard]] std::optional<Pattern> lightest_obstacle(std::span<const std::int64_t> values,
                                                         std::span<const std::int64_t> demand,
                                                         std::int64_t count);

  // None: every answer is `unknown`.
  [[nodiscard]] std::uint64_t effort_left() const { return effort_; }

 private:
  enum class Pricing : std::uint8_t { proof, improved, neither };

  std::uint32_t column_of(std::uint32_t kind, const Pattern& pattern);
  [[nodiscard]] bool warm_start(std::span<const std::int64_t> demand, std::span<const std::int64_t> nodes);
  [[nodiscard]] bool cold_start(std::span<const std::int64_t> demand, std::span<const std::int64_t> nodes);
  // The column of this shape alone on the kind that holds most of it; none: no node can hold it.
  [[nodiscard]] std::optional<std::uint32_t> single_column(std::uint32_t shape,
                                                           std::span<const std::int64_t> nodes);
  void compute_dual_values(std::span<const std::int64_t> demand);
  [[nodiscard]] Pricing price(std::span<const std::int64_t> demand, std::span<const std::int64_t> nodes);
  // Of all that is asked for; items_ is then what a knapsack chooses from.
  [[nodiscard]] Int128 value_of_all(std::span<const std::int64_t> values,
                                    std::span<const std::int64_t> demand);
  KnapsackResult search(std::uint32_t kind, std::int64_t known, KnapsackGoal goal);

  std::vector<TaskSize> sizes_;
  std::vector<NodeSize> kinds_;
  using Column = std::pair<std::uint32_t, Pattern>;  // kind and pattern
  std::map<Column, std::uint32_t> known_;
  std::vector<const Column*> columns_;  // by number of the master's column
  RestrictedMaster master_;
  bool solved_ = false;  // the master has a basis
  std::vector<std::int64_t> dual_values_;
  std::vector<KnapsackItem> items_;
  std::uint64_t effort_;
};

}  // namespace aliquot
