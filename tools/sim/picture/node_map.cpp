#include "tools/sim/picture/node_map.hpp"

#include <algorithm>
#include <cmath>

#include "tools/sim/picture/time_axis.hpp"

namespace aliquot {
namespace {

constexpr double kTop = 6;
constexpr int kShades = 8;

// 0: nothing at all.
int shade_of(double part) {
  if (part <= 1e-6) return 0;
  return std::clamp(static_cast<int>(std::ceil(part * kShades - 1e-9)), 1, kShades);
}

double row_height(std::size_t rows) { return std::clamp(300.0 / static_cast<double>(rows), 4.0, 22.0); }

}  // namespace

std::string draw_node_map(const RunBins& bins, NodeResource resource, std::size_t nodes) {
  const std::vector<double>& values = resource == NodeResource::cpu ? bins.cpu : bins.memory;
  const std::size_t columns = bins.bins.size();
  const double height = row_height(bins.node_rows);
  const double bottom = kTop + height * static_cast<double>(bins.node_rows);
  const TimeAxis axis(bins.from, bins.to);
  std::array<std::string, kShades + 1> paths;
  for (std::size_t row = 0; row < bins.node_rows; ++row) {
    const double y = kTop + height * static_cast<double>(row);
    for (std::size_t b = 0; b < columns;) {
      const int shade = shade_of(values[row * columns + b]);
      const std::size_t first = b;
      while (b < columns && shade_of(values[row * columns + b]) == shade) ++b;
      if (shade == 0) continue;
      const double left = axis.at(first, columns);
      paths[static_cast<std::size_t>(shade)] += "M" + coordinate(left) + " " + coordinate(y) + "h" +
                                                coordinate(axis.at(b, columns) - left) + "v" +
                                                coordinate(height * 0.94) + "H" + coordinate(left) + "z";
    }
  }
  Svg svg(
      kPictureWidth, bottom + kAxisHeight,
      resource == NodeResource::cpu ? "CPU given, by node, over time" : "Memory held, by node, over time");
  svg.rect({kPictureLeft, kTop}, kPictureWidth - kPictureLeft - kPictureRight, bottom - kTop, "floor");
  for (int shade = 1; shade <= kShades; ++shade) {
    const std::string& path = paths[static_cast<std::size_t>(shade)];
    if (!path.empty()) svg.path(path, {0, 0}, "h" + std::to_string(shade));
  }
  svg.text({kPictureLeft - 8, kTop + 11}, "node 0", "tick", Anchor::end);
  if (nodes > 1)
    svg.text({kPictureLeft - 8, bottom - 2}, "node " + std::to_string(nodes - 1), "tick", Anchor::end);
  axis.draw(svg, bottom, bottom);
  return std::move(svg).finish();
}

std::string shade_legend() {
  std::string text =
      "<ul class=\"legend\"><li><svg class=\"sample\" style=\"width:120px\" viewBox=\"0 0 120 12\" "
      "aria-hidden=\"true\"><rect class=\"floor\" width=\"120\" height=\"12\"/>";
  for (int shade = 1; shade <= kShades; ++shade)
    text += "<rect class=\"h" + std::to_string(shade) + "\" x=\"" + std::to_string(shade * 13) +
            "\" width=\"13\" height=\"12\"/>";
  return text + "</svg><span>nothing to all of it</span></li></ul>\n";
}

}  // namespace aliquot
