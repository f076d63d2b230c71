// The statistics of reports: means with 95 % intervals, paired comparisons of two policies, and degradation
// from the best. Numbers in, numbers out.
//
// Intervals are Student's and assume independent values. The loads of one trace are not independent, for
// they have the same jobs: clustered() averages over them first.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tools/sim/trial.hpp"

namespace aliquot {

struct Sample {
  std::size_t count = 0;
  double mean = 0;
  double deviation = 0;  // standard, with count - 1; 0 where there is one value
  double least = 0;
  double most = 0;
  double half_width = 0;  // of the 95 % interval of the mean; 0 where there is one value

  [[nodiscard]] double low() const { return mean - half_width; }
  [[nodiscard]] double high() const { return mean + half_width; }
};
[[nodiscard]] Sample sample_of(const std::vector<double>& values);

// Values in groups that depend on each other: mean, deviation and extremes of all values, the interval from
// the means of the groups.
using Groups = std::map<std::string, std::vector<double>>;
[[nodiscard]] Sample clustered(const Groups& groups);

// The 97.5 % quantile of Student's distribution.
[[nodiscard]] double student(std::size_t degrees_of_freedom);

// Two policies on the same instances: the geometric mean (ratios multiply) of the ratio of their max
// bounded stretches, with its 95 % interval over traces.
struct Paired {
  std::string a, b;
  std::size_t instances = 0;
  double ratio = 1;  // of a's max bounded stretch to b's; below 1: a is better
  double low = 1;
  double high = 1;
  std::size_t a_better = 0;
  std::size_t b_better = 0;  // the rest are equal
};

// All pairs, a before b in the list. The trials are of one penalty.
[[nodiscard]] std::vector<Paired> paired(const std::vector<Trial>& trials,
                                         const std::vector<std::string>& policies);

// The degradation from the best (DFRS, V) of a trial: its max bounded stretch / the least that any of the
// compared policies reached on the same instance.
//
// The best is taken over a fixed list of policies. A policy outside the list changes no figure of the
// others, and may have a degradation below 1. Instances without a trial of each listed policy are left out.
struct RatedTrial {
  Trial trial;
  double degradation = 1;
};

struct RatedTrials {
  std::vector<RatedTrial> trials;  // in the order of the input
  std::size_t left_out = 0;        // trials of instances that are not complete
};

[[nodiscard]] RatedTrials rate(const std::vector<Trial>& trials, const std::vector<std::string>& compared);

}  // namespace aliquot
