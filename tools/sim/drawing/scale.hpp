// Maps values to coordinates, linearly or logarithmically, and finds the ticks of an axis.
#pragma once

#include <string>
#include <vector>

namespace aliquot {

struct AxisTick {
  double value = 0;
  std::string label;  // empty: a small tick
};

class Scale {
 public:
  // Maps [low, high] to [from, to]; values outside are clamped. `low` < `high`; logarithmic: both positive.
  Scale(bool logarithmic, double low, double high, double from, double to);

  [[nodiscard]] double at(double value) const;
  [[nodiscard]] double low() const { return low_; }
  [[nodiscard]] double high() const { return high_; }
  // Logarithmic: the powers of ten labelled, and 2 and 5 where there are few of them. Linear: about
  // `wanted` round numbers.
  [[nodiscard]] std::vector<AxisTick> ticks(int wanted = 5) const;

 private:
  bool logarithmic_;
  double low_, high_, from_, to_;
};

// The range of a logarithmic axis around positive values: its ends are 1, 2 or 5 times a power of ten.
struct Range {
  double low = 1;
  double high = 10;
};
[[nodiscard]] Range log_range(double least, double most);
// The ticks of a scale in seconds: "90 s", "12 min", "3.5 h", "6 d", all in the unit that fits the span.
[[nodiscard]] std::vector<AxisTick> time_ticks(const Scale& scale, int wanted);

}  // namespace aliquot
