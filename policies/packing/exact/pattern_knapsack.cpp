#include "policies/packing/exact/pattern_knapsack.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace aliquot {

namespace {

// More than what a handful of roundings of doubles can lose.
constexpr double kSafely = 1 + 1e-12;
constexpr double kNoRate = std::numeric_limits<double>::max();

double rate_of(double worth, double taken) { return taken > 0 ? worth / taken : kNoRate; }

// Of a rate of parts of a node, such a part being so many units.
double in_units(double rate, double part) { return rate == kNoRate ? kNoRate : rate * part * kSafely; }

}  // namespace

// CPU alone, memory alone, and the mixture by which a whole node is worth least at most: the bound is as
// good as that of the linear program, and each shape's merit is its worth in these terms.
void PatternKnapsack::mix(Cpu cpu, Memory memory) {
  const double per_cpu = 1 / static_cast<double>(std::max<std::int64_t>(cpu.raw, 1));
  const double per_memory = 1 / static_cast<double>(std::max<std::int64_t>(memory.raw, 1));
  taken_per_worth_.clear();
  for (const WorthyShape& shape : fitting_) {
    const auto worth = static_cast<double>(shape.worth);
    taken_per_worth_.emplace_back(per_cpu * static_cast<double>(shape.size.cpu.raw) / worth,
                                  per_memory * static_cast<double>(shape.size.memory.raw) / worth);
  }
  // Of a part of each, who takes least for its worth says what a node is worth at most, and to which side
  // that becomes less.
  double low = 0;
  double high = 1;
  for (int halvings = 0; halvings < 10; ++halvings) {
    const double share = (low + high) / 2;
    double least = kNoRate;
    bool to_memory = false;
    for (const auto& [of_cpu, of_memory] : taken_per_worth_) {
      const double taken = of_cpu + share * (of_memory - of_cpu);
      if (taken >= least) continue;
      least = taken;
      to_memory = of_memory > of_cpu;
    }
    (to_memory ? low : high) = share;
  }
  const double share = (low + high) / 2;
  of_cpu_ = {per_cpu, 0, (1 - share) * per_cpu};
  of_memory_ = {0, per_memory, share * per_memory};
}

void PatternKnapsack::rank(std::span<const WorthyShape> shapes, Cpu cpu, Memory memory) {
  fitting_.clear();
  for (const WorthyShape& shape : shapes) {
    if (shape.worth <= 0 || shape.most <= 0 || shape.size.cpu > cpu || shape.size.memory > memory) continue;
    fitting_.push_back(shape);
  }
  mix(cpu, memory);
  const auto rate_in = [&](const WorthyShape& shape, std::size_t t) {
    return rate_of(static_cast<double>(shape.worth),
                   of_cpu_[t] * static_cast<double>(shape.size.cpu.raw) +
                       of_memory_[t] * static_cast<double>(shape.size.memory.raw));
  };
  merit_.clear();
  for (std::uint32_t k = 0; k < fitting_.size(); ++k) {
    merit_.emplace_back(-rate_in(fitting_[k], kMixtures - 1), k);
  }
  std::sort(merit_.begin(), merit_.end());
  shapes_.clear();
  fits_cpu_.start(cpu.raw, fitting_.size());
  fits_memory_.start(memory.raw, fitting_.size());
  for (const auto& [merit, k] : merit_) {
    fits_cpu_.add(shapes_.size(), fitting_[k].size.cpu.raw);
    fits_memory_.add(shapes_.size(), fitting_[k].size.memory.raw);
    shapes_.push_back(fitting_[k]);
  }
  fits_cpu_.finish();
  fits_memory_.finish();
  suffix_.assign(shapes_.size() + 1, {});
  Rates rate{};
  for (std::size_t k = shapes_.size(); k-- > 0;) {
    Suffix& suffix = suffix_[k];
    for (std::size_t t = 0; t < kMixtures; ++t) rate[t] = std::max(rate[t], rate_in(shapes_[k], t));
    suffix = {in_units(rate[0], of_cpu_[0]), in_units(rate[1], of_memory_[1]),
              in_units(rate[2], of_cpu_[2]), in_units(rate[2], of_memory_[2])};
  }
}

void PatternKnapsack::better(std::int64_t worth, std::int64_t free_cpu) {
  if (search_ == Search::lightest) {
    shrunk_ += free_cpu + 1;
  } else {
    most_ = std::max(most_, worth);
    if (!collects_) best_ = worth;
  }
  found_.emplace_back(taken_.begin(), taken_.begin() + static_cast<std::ptrdiff_t>(depth_));
  std::sort(found_.back().begin(), found_.back().end(),
            [](const ShapeUnits& a, const ShapeUnits& b) { return a.shape < b.shape; });
  if (search_ == Search::any_above) spent_ = true;
  if (search_ == Search::good) after_a_good_one();
}

// What is found soon is followed by others that are found as soon. Where it took long, the search goes on,
// and whatever is above what was known is good enough: another search would take as long again.
void PatternKnapsack::after_a_good_one() {
  const std::uint64_t taken = steps_ - started_;
  if (collects_) {
    if (found_.size() >= kMostCollected) spent_ = true;
  } else if (found_.size() == 1 && taken > kPatience) {
    collects_ = true;
    best_ = known_;
    limit_ = std::min(limit_, steps_ + kFurther * taken);
  } else {
    limit_ = std::min(limit_, steps_ + kPatience);
  }
}

inline void PatternKnapsack::search(std::size_t from, std::int64_t cpu, std::int64_t memory,
                                    std::int64_t worth) {
  if (worth > best_ + slack_ && cpu >= shrunk_) better(worth, cpu - shrunk_);
  if (++steps_ > limit_) spent_ = true;
  const std::int64_t free_cpu = cpu - shrunk_;
  if (spent_ || free_cpu < 0) return;
  std::uint64_t later = ~std::uint64_t{0} << from % 64;
  for (std::size_t w = from / 64; w < fits_cpu_.words(); ++w) {
    const std::uint64_t those = fitting(w, free_cpu, memory) & later;
    if (those != 0) {
      // Most end here, without a step further down.
      const std::size_t first = 64 * w + static_cast<std::size_t>(std::countr_zero(those));
      const auto wanted = static_cast<double>(best_ + slack_ + 1 - worth);
      if (can_add(wanted, first, static_cast<double>(free_cpu), static_cast<double>(memory))) {
        add_each(w, those, cpu, memory, worth);
      }
      return;
    }
    later = ~std::uint64_t{0};
  }
}

void PatternKnapsack::add_each(std::size_t word, std::uint64_t those, std::int64_t cpu, std::int64_t memory,
                               std::int64_t worth) {
  const auto most_cpu = static_cast<double>(cpu - shrunk_);  // it may become less meanwhile
  const auto most_memory = static_cast<double>(memory);
  const std::int64_t missing = slack_ + 1 - worth;
  for (;;) {
    const std::int64_t free_cpu = cpu - shrunk_;
    while (those == 0) {
      if (++word == fits_cpu_.words() || free_cpu < 0) return;
      those = fitting(word, free_cpu, memory);
    }
    const std::size_t k = 64 * word + static_cast<std::size_t>(std::countr_zero(those));
    those &= those - 1;
    const WorthyShape& shape = shapes_[k];
    const std::int64_t each_cpu = shape.size.cpu.raw;
    const std::int64_t each_memory = shape.size.memory.raw;
    if (each_cpu > free_cpu || each_memory > memory) continue;
    if (!can_add(static_cast<double>(best_ + missing), k, most_cpu, most_memory)) return;
    std::int64_t units = shape.most;
    if (units > 1 && (2 * each_cpu > free_cpu || 2 * each_memory > memory)) units = 1;
    if (units > 1 && each_cpu > 0) units = std::min(units, free_cpu / each_cpu);
    if (units > 1 && each_memory > 0) units = std::min(units, memory / each_memory);
    ShapeUnits& taken = taken_[depth_++];
    taken.shape = shape.shape;
    for (; units > 0 && !spent_; --units) {
      taken.units = static_cast<std::uint32_t>(units);
      search(k + 1, cpu - each_cpu * units, memory - each_memory * units, worth + shape.worth * units);
    }
    --depth_;
    if (spent_) return;
  }
}

std::int64_t PatternKnapsack::most_worth(std::span<const WorthyShape> shapes, Cpu cpu, Memory memory,
                                         std::int64_t known, Search search_for) {
  search_ = search_for;
  found_.clear();
  depth_ = 0;
  known_ = known;
  best_ = known;
  most_ = known;
  collects_ = false;
  started_ = steps_;
  const bool only_above = search_for == Search::any_above || search_for == Search::lightest;
  slack_ = only_above ? 0 : known >> 22;
  shrunk_ = 0;
  spent_ = false;
  limit_ = steps_ + kMostSteps;
  if (cpu.raw < 0 || memory.raw < 0) return best_;
  rank(shapes, cpu, memory);
  if (shapes_.empty()) return best_;
  taken_.resize(shapes_.size());
  allowed_.assign(fits_cpu_.words(), ~std::uint64_t{0});
  search(0, cpu.raw, memory.raw, 0);
  const std::int64_t most = bound(cpu, memory);
  if (search_for == Search::good && !found_.empty() && !collects_) search_among_others(cpu, memory, known);
  return most;
}

// One pattern more at a time, each of none of the shapes of those before it: together they change many
// prices at once, and each is found where the first was sought for.
void PatternKnapsack::search_among_others(Cpu cpu, Memory memory, std::int64_t known) {
  const bool spent = spent_;
  for (int others = 0; others < kMostOthers; ++others) {
    forbid(found_.back());
    const std::size_t before = found_.size();
    best_ = known;
    limit_ = steps_ + kPatience;
    spent_ = false;
    search(0, cpu.raw, memory.raw, 0);
    if (found_.size() == before) break;
    std::swap(found_[before], found_.back());
    found_.resize(before + 1);
  }
  spent_ = spent;
}

void PatternKnapsack::forbid(const Pattern& pattern) {
  for (std::size_t k = 0; k < shapes_.size(); ++k) {
    const bool in_it = std::any_of(pattern.begin(), pattern.end(),
                                   [&](const ShapeUnits& part) { return part.shape == shapes_[k].shape; });
    if (in_it) allowed_[k / 64] &= ~(std::uint64_t{1} << k % 64);
  }
}

std::int64_t PatternKnapsack::bound(Cpu cpu, Memory memory) const {
  if (!spent_) return most_ + slack_;
  // All there are of each is a bound where nothing takes anything.
  double all = 0;
  for (const WorthyShape& shape : shapes_) {
    all += static_cast<double>(shape.worth) * static_cast<double>(shape.most);
  }
  double most = all * kSafely;
  const auto free_cpu = static_cast<double>(cpu.raw);
  const auto free_memory = static_cast<double>(memory.raw);
  most = std::min({most, suffix_[0].by_cpu(free_cpu), suffix_[0].by_memory(free_memory),
                   suffix_[0].by_both(free_cpu, free_memory)});
  return std::max(most_ + slack_, static_cast<std::int64_t>(std::min(most, 0x1p62)) + 1);
}

}  // namespace aliquot
