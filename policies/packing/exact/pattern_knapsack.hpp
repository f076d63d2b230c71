// The pattern of one node that is worth most: an exact two-dimensional knapsack, bounded by how many tasks
// there are of each shape. It prices the columns of the configuration program
// (packing/exact/config_program).
//
// Depth first over the shapes in the order of their worth for what they take, most units first. What can
// still be added is bounded by linear relaxations: worth per CPU, per memory, and per the mixture of both
// that bounds the whole best. The bounds are floating-point numbers, rounded up by more than their error,
// so that what they cut off is certainly not better; worths and sizes are whole numbers. Where the effort
// allowed is spent, the answer still says what nothing can exceed.
#pragma once

#include <array>
#include <span>
#include <utility>

#include "policies/packing/exact/fitting_shapes.hpp"
#include "policies/packing/exact/pattern.hpp"

namespace aliquot {

// Worths are positive, and what a whole node can hold is worth less than 2^52 in all. Sizes are below 2^52.
struct WorthyShape {
  TaskSize size;
  std::int64_t most = 0;  // tasks that there are
  std::int64_t worth = 0;
  std::uint32_t shape = 0;
};

class PatternKnapsack {
 public:
  enum class Search : std::uint8_t {
    exact,  // the best, to less than a millionth of what is known
    good,   // something better than what is known, and others beside it; else the proof that there is not
    any_above,  // anything above what is known, or the proof that there is nothing
    lightest,   // above what is known, what takes the least CPU: the last found; or the same proof
  };
  // Nothing that fits is worth more than the answer, which is at least `known`.
  std::int64_t most_worth(std::span<const WorthyShape> shapes, Cpu cpu, Memory memory, std::int64_t known,
                          Search search);
  // What was found on the way, each worth more than `known`. Better than all before it, but for a search
  // for something good: behind those stand some that share no shape with each other nor with the last of
  // those, and where it took long, whatever else was met.
  [[nodiscard]] const std::vector<Pattern>& found() const { return found_; }
  // The last search ended before it was through.
  [[nodiscard]] bool spent() const { return spent_; }
  // Of all searches so far: what effort is counted in.
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

 private:
  static constexpr std::size_t kMixtures = 3;
  static constexpr std::uint64_t kMostSteps = 60'000;  // of one search
  static constexpr std::uint64_t kPatience = 60;       // steps after a good one was found, or for another
  static constexpr int kMostOthers = 8;
  static constexpr std::uint64_t kFurther = 2;  // times as many steps are made where the first took longer
  static constexpr std::size_t kMostCollected = 16;
  using Rates = std::array<double, kMixtures>;
  // What the shapes from a place on can be worth at most, in three ways: so much for each unit of CPU, or
  // of memory, or so much for each of both. Rounded up, and for one unit more than is free: what takes
  // nothing is worth any amount then.
  struct Suffix {
    double per_cpu = 0;
    double per_memory = 0;
    double cpu_of_both = 0;
    double memory_of_both = 0;
    [[nodiscard]] double by_cpu(double free_cpu) const { return per_cpu * (free_cpu + 1); }
    [[nodiscard]] double by_memory(double free_memory) const { return per_memory * (free_memory + 1); }
    [[nodiscard]] double by_both(double free_cpu, double free_memory) const {
      return cpu_of_both * (free_cpu + 1) + memory_of_both * (free_memory + 1);
    }
  };

  void rank(std::span<const WorthyShape> shapes, Cpu cpu, Memory memory);
  void mix(Cpu cpu, Memory memory);
  // A step of the search: with what is taken so far, so much is left, and the shapes from this place on.
  void search(std::size_t from, std::int64_t cpu, std::int64_t memory, std::int64_t worth);
  // What can be added of the shapes of this word that nearly fit, and of those behind it.
  void add_each(std::size_t word, std::uint64_t fitting, std::int64_t cpu, std::int64_t memory,
                std::int64_t worth);
  [[nodiscard]] std::uint64_t fitting(std::size_t word, std::int64_t cpu, std::int64_t memory) const {
    return fits_cpu_.word(cpu, word) & fits_memory_.word(memory, word) & allowed_[word];
  }
  // May the shapes from this place on be worth so much more? The mixture of both mostly tells.
  [[nodiscard]] bool can_add(double wanted, std::size_t from, double free_cpu, double free_memory) const {
    const Suffix& suffix = suffix_[from];
    return suffix.by_both(free_cpu, free_memory) >= wanted && suffix.by_cpu(free_cpu) >= wanted &&
           suffix.by_memory(free_memory) >= wanted;
  }
  // What nothing that fits is worth more than, after the search.
  [[nodiscard]] std::int64_t bound(Cpu cpu, Memory memory) const;
  void search_among_others(Cpu cpu, Memory memory, std::int64_t known);
  void forbid(const Pattern& pattern);
  void better(std::int64_t worth, std::int64_t free_cpu);
  void after_a_good_one();

  Search search_ = Search::exact;
  std::vector<WorthyShape> shapes_;  // by decreasing merit
  FittingShapes fits_cpu_;           // by place
  FittingShapes fits_memory_;
  std::vector<std::uint64_t> allowed_;  // by place, as bits
  std::vector<Suffix> suffix_;
  Rates of_cpu_{};  // the mixtures
  Rates of_memory_{};
  std::vector<std::pair<double, std::uint32_t>> merit_;
  std::vector<WorthyShape> fitting_;
  std::vector<std::pair<double, double>> taken_per_worth_;  // CPU and memory, in parts of the node
  Pattern taken_;                                           // the first `depth_` of it
  std::size_t depth_ = 0;
  std::vector<Pattern> found_;
  std::int64_t known_ = 0;
  std::int64_t best_ = 0;  // only what is above it counts
  std::int64_t most_ = 0;  // that was found
  bool collects_ = false;  // all above what was known, not only what is better than all before it
  std::int64_t slack_ = 0;
  std::int64_t shrunk_ = 0;  // by so much the node has become smaller during the search
  std::uint64_t steps_ = 0;
  std::uint64_t started_ = 0;
  std::uint64_t limit_ = 0;
  bool spent_ = false;
};

}  // namespace aliquot
