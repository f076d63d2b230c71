// Means with their uncertainty, for tables: numbers in, numbers out.
//
// Intervals are Student's, 95 %, of independent values. Traces scaled to several loads have the same jobs
// and are not independent: average over the loads of a trace first (clustered()).
#pragma once

#include <map>
#include <string>
#include <vector>

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

}  // namespace aliquot
