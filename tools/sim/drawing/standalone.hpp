// Pictures as one SVG file that brings its own colours, light and dark, for a document to show.
#pragma once

#include <string>
#include <vector>

#include "tools/sim/drawing/style_sheet.hpp"

namespace aliquot {

struct Panel {
  std::string title;  // may be empty
  std::string svg;    // by Svg
};
// In rows of `columns` panels each, as wide as each other; the legend below.
[[nodiscard]] std::string standalone(const std::string& title, const std::vector<Panel>& panels,
                                     std::size_t columns, const std::vector<LegendEntry>& legend = {});

}  // namespace aliquot
