// The most valuable pattern of one node: a two-dimensional knapsack with a limited number of tasks of each
// shape. It prices the columns of the configuration linear program (packing/exact/configuration_lp).
//
// Branch and bound, depth first over the shapes by decreasing value for what they take, most units first.
// What can still be added is bounded by linear relaxations: value per CPU, per memory, and per the mixture
// of both that bounds the whole node best. Values and sizes are whole numbers; the bounds are
// floating-point numbers, rounded up by more than their error, so that what they cut off is certainly not
// better. Where the effort is spent, the answer still holds an upper bound.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "policies/packing/exact/pattern.hpp"

namespace aliquot {

// Values are positive; a whole node holds less than 2^52 of them. Sizes are below 2^52.
struct KnapsackItem {
  TaskSize size;
  std::int64_t count = 0;  // tasks that there are
  std::int64_t value = 0;
  std::uint32_t shape = 0;
};

enum class KnapsackGoal : std::uint8_t {
  best,       // the most valuable pattern, to a four-millionth of `known`
  improving,  // some patterns better than `known`, soon, several of which have no shape in common; or the
              // proof that there is none
  any_above,  // one pattern above `known`, or the proof that there is none
  lightest,   // of all patterns above `known` the one that takes the least CPU, or the same proof
};

struct KnapsackResult {
  std::int64_t bound = 0;      // no pattern has a higher value; at least `known`
  std::vector<Pattern> found;  // each above `known`; the last is the best or lightest, unless improving
  bool complete = true;        // false: the search was cut short
  std::uint64_t steps = 0;     // the effort
};

[[nodiscard]] KnapsackResult solve_knapsack(std::span<const KnapsackItem> items, const NodeSize& node,
                                            std::int64_t known, KnapsackGoal goal);

}  // namespace aliquot
