// The times of a run's decisions, with those over more than ten jobs apart, as in DFRS, V.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tools/sim/metrics/percentile.hpp"

namespace aliquot {

class DecisionTimes {
 public:
  static constexpr std::size_t kFewJobs = 10;

  DecisionTimes() { all_.reserve(4'096); }

  void add(std::int64_t nanoseconds, std::size_t jobs) {
    all_.push_back(nanoseconds);
    sum_ += nanoseconds;
    if (jobs <= kFewJobs) return;
    ++over_many_;
    sum_over_many_ += nanoseconds;
    longest_over_many_ = std::max(longest_over_many_, nanoseconds);
  }

  [[nodiscard]] std::size_t count() const { return all_.size(); }
  // Nearest rank; reorders the stored times.
  [[nodiscard]] double percentile_us(std::size_t p) {
    return static_cast<double>(percentile_of(all_, p)) / 1e3;
  }
  [[nodiscard]] double mean_us() const { return mean(sum_, all_.size()); }
  // The share of decisions over at most ten jobs; of the others, the mean and the longest.
  [[nodiscard]] double share_over_few() const {
    return all_.empty() ? 1 : 1 - static_cast<double>(over_many_) / static_cast<double>(all_.size());
  }
  [[nodiscard]] double mean_over_many_us() const { return mean(sum_over_many_, over_many_); }
  [[nodiscard]] double longest_over_many_us() const {
    return static_cast<double>(longest_over_many_) / 1e3;
  }

 private:
  static double mean(std::int64_t sum, std::size_t count) {
    return count == 0 ? 0 : static_cast<double>(sum) / 1e3 / static_cast<double>(count);
  }

  std::vector<std::int64_t> all_;
  std::int64_t sum_ = 0;
  std::size_t over_many_ = 0;
  std::int64_t sum_over_many_ = 0;
  std::int64_t longest_over_many_ = 0;
};

}  // namespace aliquot
