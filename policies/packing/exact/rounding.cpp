#include "policies/packing/exact/rounding.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "policies/packing/exact/list_heuristics.hpp"

namespace aliquot {

namespace {

constexpr double kNearlyWhole = 1e-6;

using Fraction = ConfigurationLp::Fraction;

class Dive {
 public:
  Dive(ConfigurationLp& program, const PackingProblem& problem)
      : program_(program),
        problem_(problem),
        left_(problem.demand.begin(), problem.demand.end()),
        free_(problem.nodes.begin(), problem.nodes.end()) {}

  // The program stands at a solution. `skipped`: how many patterns of larger fractions are passed over at
  // the first choice.
  [[nodiscard]] std::optional<PatternPacking> run(std::size_t skipped) {
    for (;; skipped = 0) {
      const std::vector<Fraction> fractions = take_whole_nodes();
      if (pack_rest()) return std::move(packed_);
      if (fractions.empty()) return std::nullopt;
      if (take(fractions[std::min(skipped, fractions.size() - 1)], 1) == 0) return std::nullopt;
      if (program_.solve(left_, free_) != ConfigurationLp::Verdict::fits) return std::nullopt;
    }
  }

 private:
  // What remains in fractions, the largest first.
  std::vector<Fraction> take_whole_nodes() {
    std::vector<Fraction> fractions = program_.fractions();
    for (Fraction& fraction : fractions) {
      const double whole = std::floor(fraction.nodes + kNearlyWhole);
      take(fraction, static_cast<std::int64_t>(whole));
      fraction.nodes -= whole;
    }
    std::erase_if(fractions, [](const Fraction& fraction) { return fraction.nodes <= kNearlyWhole; });
    std::stable_sort(fractions.begin(), fractions.end(),
                     [](const Fraction& a, const Fraction& b) { return a.nodes > b.nodes; });
    return fractions;
  }

  // Fills at most so many nodes by the pattern, or by what of it is still to be placed. Returns how many it
  // filled.
  std::int64_t take(const Fraction& fraction, std::int64_t nodes) {
    std::int64_t left = std::min(nodes, free_[fraction.kind]);
    const std::int64_t all = left;
    while (left > 0) {
      Pattern pattern = remaining(fraction);
      if (pattern.empty()) break;
      std::int64_t times = left;
      for (const ShapeUnits& part : pattern) times = std::min(times, left_[part.shape] / part.units);
      for (const ShapeUnits& part : pattern) left_[part.shape] -= part.units * times;
      packed_.push_back({fraction.kind, times, std::move(pattern)});
      left -= times;
    }
    free_[fraction.kind] -= all - left;
    return all - left;
  }

  // What of the pattern is still to be placed; the room that this leaves goes to what is worth most.
  [[nodiscard]] Pattern remaining(const Fraction& fraction) const {
    std::vector<std::int64_t> units(left_.size(), 0);
    NodeSize free = problem_.kinds[fraction.kind];
    const auto add = [&](std::uint32_t shape, std::int64_t most) {
      const std::int64_t more =
          units_in(free, problem_.sizes[shape], std::min(most, left_[shape] - units[shape]));
      units[shape] += more;
      free.cpu -= problem_.sizes[shape].cpu * more;
      free.memory -= problem_.sizes[shape].memory * more;
      return more;
    };
    bool shorter = false;
    for (const ShapeUnits& part : fraction.pattern) shorter |= add(part.shape, part.units) < part.units;
    if (shorter) {
      std::vector<std::pair<std::int64_t, std::uint32_t>> by_value;
      for (std::uint32_t s = 0; s < left_.size(); ++s) by_value.emplace_back(-program_.dual_values()[s], s);
      std::sort(by_value.begin(), by_value.end());
      for (const auto& [value, shape] : by_value) add(shape, left_[shape]);
    }
    return pattern_of(units);
  }

  [[nodiscard]] bool pack_rest() {
    const PackingProblem rest{problem_.sizes, left_, problem_.kinds, free_};
    if (slack_of(rest).negative()) return false;
    for (const ListOrder order : kListOrders) {
      ListPacking packing = pack_by_list(rest, order);
      if (!packing.complete) continue;
      std::move(packing.filled.begin(), packing.filled.end(), std::back_inserter(packed_));
      return true;
    }
    return false;
  }

  ConfigurationLp& program_;
  const PackingProblem& problem_;
  std::vector<std::int64_t> left_;
  std::vector<std::int64_t> free_;
  PatternPacking packed_;
};

}  // namespace

std::optional<PatternPacking> round_patterns(ConfigurationLp& program, const PackingProblem& problem,
                                             std::size_t most_dives) {
  const std::uint64_t reserve = program.effort_left() / 2;
  for (std::size_t dive = 0; dive < most_dives && program.effort_left() >= reserve; ++dive) {
    if (program.solve(problem.demand, problem.nodes) != ConfigurationLp::Verdict::fits) return std::nullopt;
    if (auto packing = Dive(program, problem).run(dive)) return packing;
  }
  return std::nullopt;
}

}  // namespace aliquot
