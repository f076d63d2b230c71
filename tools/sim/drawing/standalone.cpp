#include "tools/sim/drawing/standalone.hpp"

#include <algorithm>
#include <charconv>

#include "tools/sim/drawing/styles.hpp"
#include "tools/sim/drawing/svg.hpp"

namespace aliquot {
namespace {

constexpr double kMargin = 18;
constexpr double kTitle = 24;
constexpr double kLegendRow = 20;
constexpr double kEntryWidth = 215;   // at least
constexpr double kLetterWidth = 6.8;  // of a name, about

// Of what Svg writes: viewBox="0 0 W H".
Point size_of(const std::string& svg) {
  constexpr std::string_view before = "viewBox=\"0 0 ";
  Point size;
  const std::size_t found = svg.find(before);
  if (found == std::string::npos) return size;
  const char* end = svg.data() + svg.size();
  const auto width = std::from_chars(svg.data() + found + before.size(), end, size.x);
  if (width.ptr != end) std::from_chars(width.ptr + 1, end, size.y);
  return size;
}

std::string placed(const std::string& svg, Point at, Point size) {
  std::string text = svg;
  return text.insert(4, " x=\"" + coordinate(at.x) + "\" y=\"" + coordinate(at.y) + "\" width=\"" +
                            coordinate(size.x) + "\" height=\"" + coordinate(size.y) + "\"");
}

std::string words(Point at, std::string_view css, const std::string& text) {
  return "<text class=\"" + std::string(css) + "\" x=\"" + coordinate(at.x) + "\" y=\"" + coordinate(at.y) +
         "\">" + escaped(text) + "</text>\n";
}

// How the entries of a legend stand: as many beside each other as the longest name lets.
struct LegendGrid {
  double each = kEntryWidth;
  std::size_t columns = 1;
  std::size_t rows = 0;
};
LegendGrid grid_of(double width, const std::vector<LegendEntry>& legend) {
  LegendGrid grid;
  for (const LegendEntry& entry : legend)
    grid.each = std::max(grid.each, 48 + kLetterWidth * static_cast<double>(entry.name.size()));
  grid.columns = std::max<std::size_t>(1, static_cast<std::size_t>((width - kMargin) / grid.each));
  grid.rows = (legend.size() + grid.columns - 1) / grid.columns;
  return grid;
}

std::string legend_at(double top, const LegendGrid& grid, const std::vector<LegendEntry>& legend) {
  std::string text;
  for (std::size_t i = 0; i < legend.size(); ++i) {
    const std::size_t row = i / grid.columns;
    const Point at{kMargin + grid.each * static_cast<double>(i % grid.columns),
                   top + kLegendRow * static_cast<double>(row)};
    text += placed(legend_sample(legend[i].style), at, {26, 12}) +
            words({at.x + 34, at.y + 10}, "label", legend[i].name);
  }
  return text;
}

}  // namespace

std::string standalone(const std::string& title, const std::vector<Panel>& panels, std::size_t columns,
                       const std::vector<LegendEntry>& legend) {
  std::string body;
  double width = 0;
  double top = kMargin;
  for (std::size_t i = 0; i < panels.size(); i += columns) {
    double left = kMargin;
    double tallest = 0;
    for (std::size_t j = i; j < std::min(panels.size(), i + columns); ++j) {
      const Point size = size_of(panels[j].svg);
      const double head = panels[j].title.empty() ? 0 : kTitle;
      if (head > 0) body += words({left, top + 14}, "name", panels[j].title);
      body += placed(panels[j].svg, {left, top + head}, size);
      left += size.x + kMargin;
      tallest = std::max(tallest, size.y + head);
    }
    width = std::max(width, left);
    top += tallest + kMargin;
  }
  const LegendGrid grid = grid_of(width, legend);
  const std::string entries = legend_at(top, grid, legend);
  if (!legend.empty()) top += kLegendRow * static_cast<double>(grid.rows) + kMargin / 2;
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + coordinate(width) + " " +
         coordinate(top) + "\">\n<title>" + escaped(title) + "</title>\n<style>" + picture_css() +
         "</style>\n<rect class=\"card\" width=\"" + coordinate(width) + "\" height=\"" + coordinate(top) +
         "\" rx=\"12\"/>\n" + body + entries + "</svg>\n";
}

}  // namespace aliquot
