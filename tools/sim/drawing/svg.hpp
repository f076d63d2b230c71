// Writes SVG as text. Shapes have classes; colours and fonts are those of the style sheet (styles.hpp).
//
// Coordinates are in the units of the view box, printed with two decimals, so that the same drawing gives
// the same bytes. Texts and class names are escaped.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace aliquot {

// &, <, > and quotes.
[[nodiscard]] std::string escaped(std::string_view text);
// At most two decimals, no trailing zeros.
[[nodiscard]] std::string coordinate(double value);

struct Point {
  double x = 0;
  double y = 0;
};

enum class Anchor : std::uint8_t { start, middle, end };

class Svg {
 public:
  // `title` is for screen readers.
  Svg(double width, double height, std::string_view title);

  void line(Point a, Point b, std::string_view css);
  void polyline(const std::vector<Point>& points, std::string_view css);
  void area(const std::vector<Point>& points, std::string_view css);  // closed
  // `hint` is a tooltip; may be empty. `style` is an inline style.
  void rect(Point corner, double width, double height, std::string_view css, std::string_view hint = {},
            std::string_view style = {});
  void path(std::string_view commands, Point at, std::string_view css, std::string_view hint = {});
  void text(Point at, std::string_view words, std::string_view css, Anchor anchor = Anchor::start);
  // Upwards, for the name of a vertical axis.
  void upright_text(Point at, std::string_view words, std::string_view css);
  void begin_group(std::string_view css);
  void end_group();

  [[nodiscard]] std::string finish() &&;

 private:
  std::string text_;
};

}  // namespace aliquot
