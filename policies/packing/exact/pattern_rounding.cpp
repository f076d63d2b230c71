#include "policies/packing/exact/pattern_rounding.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "policies/packing/exact/last_nodes.hpp"
#include "policies/packing/exact/pattern_cover.hpp"

namespace aliquot {

namespace {

constexpr double kNearlyWhole = 1e-6;
constexpr int kMostAside = 30;  // solutions tried as they are, before each dive
constexpr std::array<double, 3> kRoundedUp = {0.7, 0.5, 0.3};

class Dive {
 public:
  Dive(ConfigProgram& program, const PackingTask& task)
      : program_(program),
        task_(task),
        left_(task.demand.begin(), task.demand.end()),
        free_(task.nodes.begin(), task.nodes.end()) {}

  // `other_first`: how many patterns of larger fractions are passed over at the first choice.
  [[nodiscard]] std::optional<PatternPacking> go(std::size_t other_first) {
    for (bool first = true;; first = false) {
      const std::vector<PatternMaster::Amount> fractions = take_whole_nodes();
      if (finish() || round_up(fractions)) return std::move(packed_);
      if (fractions.empty()) return std::nullopt;
      const std::size_t choice = first ? std::min(other_first, fractions.size() - 1) : 0;
      const PatternMaster::Column chosen = program_.columns()[fractions[choice].column];
      if (take(chosen, 1) == 0) return std::nullopt;
      program_.go_on(left_, free_);
      if (program_.solve() == ConfigProgram::Verdict::exceeds) return std::nullopt;
    }
  }

  // The whole nodes of the solution. Answers what says that another solution leaves over the same.
  std::uint64_t begin() {
    take_whole_nodes();
    return mark_of(left_);
  }

  // What is left after that, without another program.
  [[nodiscard]] std::optional<PatternPacking> at_once(LastNodes& last) {
    if (finish()) return std::move(packed_);
    const PatternPacking more = cover_by_known(program_, left_, free_);
    for (const FilledKind& filled : more) place(filled);
    if (!more.empty() && finish()) return std::move(packed_);
    if (free_.size() == 1 && last.pack(left_, free_[0], packed_)) return std::move(packed_);
    return std::nullopt;
  }

 private:
  // Answers what remains, the largest fraction first.
  std::vector<PatternMaster::Amount> take_whole_nodes() {
    std::vector<PatternMaster::Amount> amounts = program_.amounts();
    for (PatternMaster::Amount& amount : amounts) {
      const double whole = std::floor(amount.nodes + kNearlyWhole);
      amount.nodes -= whole;
      const PatternMaster::Column column = program_.columns()[amount.column];
      take(column, static_cast<std::int64_t>(whole));
    }
    std::erase_if(amounts, [](const PatternMaster::Amount& a) { return a.nodes <= kNearlyWhole; });
    std::sort(amounts.begin(), amounts.end(),
              [](const PatternMaster::Amount& a, const PatternMaster::Amount& b) {
                return a.nodes != b.nodes ? a.nodes > b.nodes : a.column < b.column;
              });
    return amounts;
  }

  void place(const FilledKind& filled) {
    for (const ShapeUnits& part : filled.pattern) left_[part.shape] -= part.units * filled.nodes;
    free_[filled.kind] -= filled.nodes;
    packed_.push_back(filled);
  }

  // One node more for each of the larger fractions, as many as it takes; the rest by lists.
  [[nodiscard]] bool round_up(const std::vector<PatternMaster::Amount>& fractions) {
    const auto left = left_;
    const auto free = free_;
    const std::size_t packed = packed_.size();
    for (const double least : kRoundedUp) {
      for (const PatternMaster::Amount& amount : fractions) {
        if (amount.nodes >= least) take(program_.columns()[amount.column], 1);
      }
      if (finish()) return true;
      left_ = left;
      free_ = free;
      packed_.resize(packed);
    }
    return false;
  }

  // Of what is left to place, on so many nodes at most; answers how many it took.
  std::int64_t take(const PatternMaster::Column& column, std::int64_t nodes) {
    nodes = std::min(nodes, free_[column.kind]);
    std::int64_t taken = 0;
    while (nodes > 0) {
      Pattern pattern = cut(column);
      if (pattern.empty()) break;
      std::int64_t times = nodes;
      for (const ShapeUnits& part : pattern) times = std::min(times, left_[part.shape] / part.units);
      for (const ShapeUnits& part : pattern) left_[part.shape] -= part.units * times;
      packed_.push_back({column.kind, times, std::move(pattern)});
      nodes -= times;
      taken += times;
    }
    free_[column.kind] -= taken;
    return taken;
  }

  // What of the pattern is still to be placed; the room this leaves goes to what is worth most.
  [[nodiscard]] Pattern cut(const PatternMaster::Column& column) const {
    Pattern pattern;
    Cpu cpu = task_.kinds[column.kind].cpu;
    Memory memory = task_.kinds[column.kind].memory;
    bool shorter = false;
    for (const ShapeUnits& part : column.pattern) {
      const std::int64_t units = std::min<std::int64_t>(part.units, left_[part.shape]);
      shorter = shorter || units < part.units;
      if (units <= 0) continue;
      pattern.push_back({part.shape, static_cast<std::uint32_t>(units)});
      cpu -= task_.sizes[part.shape].cpu * units;
      memory -= task_.sizes[part.shape].memory * units;
    }
    if (shorter) fill_up(pattern, cpu, memory);
    return pattern;
  }

  void fill_up(Pattern& pattern, Cpu cpu, Memory memory) const {
    std::vector<std::pair<std::int64_t, std::uint32_t>> by_worth;
    for (std::uint32_t s = 0; s < left_.size(); ++s) {
      if (left_[s] > 0) by_worth.emplace_back(-program_.worths()[s], s);
    }
    std::sort(by_worth.begin(), by_worth.end());
    for (const auto& [worth, s] : by_worth) {
      const auto known = std::find_if(pattern.begin(), pattern.end(),
                                      [s = s](const ShapeUnits& part) { return part.shape == s; });
      std::int64_t units = left_[s] - (known == pattern.end() ? 0 : known->units);
      const TaskSize& size = task_.sizes[s];
      if (size.cpu.raw > 0) units = std::min(units, cpu.raw / size.cpu.raw);
      if (size.memory.raw > 0) units = std::min(units, memory.raw / size.memory.raw);
      if (units <= 0) continue;
      cpu -= size.cpu * units;
      memory -= size.memory * units;
      if (known == pattern.end()) {
        pattern.push_back({s, static_cast<std::uint32_t>(units)});
      } else {
        known->units += static_cast<std::uint32_t>(units);
      }
    }
    std::sort(pattern.begin(), pattern.end(),
              [](const ShapeUnits& a, const ShapeUnits& b) { return a.shape < b.shape; });
  }

  // All that is left, by lists.
  [[nodiscard]] bool finish() {
    if (!room_enough()) return false;
    for (const ListOrder order : kListOrders) {
      auto rest = pack_all_in_order(task_.sizes, left_, task_.kinds, free_, order);
      if (!rest) continue;
      packed_.insert(packed_.end(), std::make_move_iterator(rest->begin()),
                     std::make_move_iterator(rest->end()));
      return true;
    }
    return false;
  }

  // In all free nodes together.
  [[nodiscard]] bool room_enough() const {
    Int128 cpu = 0;
    Int128 memory = 0;
    for (std::size_t k = 0; k < free_.size(); ++k) {
      cpu += static_cast<Int128>(task_.kinds[k].cpu.raw) * free_[k];
      memory += static_cast<Int128>(task_.kinds[k].memory.raw) * free_[k];
    }
    for (std::size_t s = 0; s < left_.size(); ++s) {
      cpu -= static_cast<Int128>(task_.sizes[s].cpu.raw) * left_[s];
      memory -= static_cast<Int128>(task_.sizes[s].memory.raw) * left_[s];
    }
    return cpu >= 0 && memory >= 0;
  }

  ConfigProgram& program_;
  const PackingTask& task_;
  std::vector<std::int64_t> left_;
  std::vector<std::int64_t> free_;
  PatternPacking packed_;
};

}  // namespace

std::optional<PatternPacking> round_patterns(ConfigProgram& program, const PackingTask& task,
                                             std::size_t most_dives) {
  const std::uint64_t least_work = program.work_left() / 2;  // who comes after has something left
  std::vector<std::uint64_t> tried;
  LastNodes last(task.sizes, task.kinds.front());
  for (std::size_t dive = 0; dive < most_dives; ++dive) {
    if (dive > 0) {
      if (program.work_left() < least_work) break;
      program.go_on(task.demand, task.nodes);
      if (program.solve(true) == ConfigProgram::Verdict::exceeds) return std::nullopt;
    }
    for (int aside = 0; aside < kMostAside; ++aside) {
      Dive whole(program, task);
      const std::uint64_t leaves = whole.begin();
      const bool is_new = std::find(tried.begin(), tried.end(), leaves) == tried.end();
      if (is_new) {
        const std::uint64_t before = last.steps();
        if (auto packed = whole.at_once(last)) return packed;
        program.spend(last.steps() - before);
        tried.push_back(leaves);
      }
      if (!program.step_aside()) break;
    }
    if (auto packed = Dive(program, task).go(dive > 0 ? dive - 1 : 0)) return packed;
  }
  return std::nullopt;
}

}  // namespace aliquot
