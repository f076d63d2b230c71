// How everything drawn looks: the style of each policy, and the style sheets of pages and pictures.
//
// A policy has one colour, one mark and one dash in all plots, so that a reader knows it again, also
// without colours. The families differ in hue: batch grey, greedy warm, packing cool.
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

struct LegendEntry {
  std::string name;
  SeriesStyle style;
};
// A line with its mark, small, as an SVG.
[[nodiscard]] std::string legend_sample(const SeriesStyle& style);
[[nodiscard]] std::string legend_html(const std::vector<LegendEntry>& entries);

// Of an HTML page with pictures in it, and of a picture that stands alone.
[[nodiscard]] std::string page_css();
[[nodiscard]] std::string picture_css();

}  // namespace aliquot
