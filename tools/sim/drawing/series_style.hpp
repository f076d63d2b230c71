// How a policy looks in every plot of a report: one colour, one mark, one dash each, so that it is known
// again, also without colours. The families have kinds of colours: batch grey, greedy warm, packing cool.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/sim/drawing/svg.hpp"

namespace aliquot {

struct SeriesStyle {
  std::string css;        // "k3": sets --c, the colour, in light and dark
  std::string_view mark;  // a path around (0, 0), about 8 across
  bool dashed = false;
};

// By the policy's name where it is known, else by its position in the list.
[[nodiscard]] SeriesStyle style_of(const std::string& policy, std::size_t position);
[[nodiscard]] std::vector<SeriesStyle> styles_of(const std::vector<std::string>& policies);

// A line with its mark, small, for a legend.
[[nodiscard]] std::string legend_sample(const SeriesStyle& style);

// The colours, as CSS.
[[nodiscard]] std::string series_css();

}  // namespace aliquot
