// Joins plots to one self-contained SVG file, light and dark, for documents.
#pragma once

#include <string>
#include <vector>

#include "tools/sim/drawing/styles.hpp"

namespace aliquot {

struct Panel {
  std::string title;  // may be empty
  std::string svg;    // by Svg
};
// In rows of `columns` panels; the legend below.
[[nodiscard]] std::string standalone(const std::string& title, const std::vector<Panel>& panels,
                                     std::size_t columns, const std::vector<LegendEntry>& legend = {});

}  // namespace aliquot
