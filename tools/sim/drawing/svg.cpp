#include "tools/sim/drawing/svg.hpp"

#include <cmath>
#include <cstdio>

namespace aliquot {
namespace {

std::string attribute(std::string_view name, double value) {
  return " " + std::string(name) + "=\"" + coordinate(value) + "\"";
}

std::string attribute(std::string_view name, std::string_view value) {
  return value.empty() ? "" : " " + std::string(name) + "=\"" + escaped(value) + "\"";
}

std::string joined(const std::vector<Point>& points) {
  std::string text;
  for (const Point& point : points)
    text.append(text.empty() ? "" : " ")
        .append(coordinate(point.x))
        .append(",")
        .append(coordinate(point.y));
  return text;
}

std::string closed(std::string_view tag, std::string_view hint) {
  if (hint.empty()) return "/>\n";
  return "><title>" + escaped(hint) + "</title></" + std::string(tag) + ">\n";
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

std::string coordinate(double value) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.2f", value);
  std::string text = buffer;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

Svg::Svg(double width, double height, std::string_view title) {
  text_ = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + coordinate(width) + " " +
          coordinate(height) + "\" role=\"img\" aria-label=\"" + escaped(title) + "\">\n";
}

void Svg::line(Point a, Point b, std::string_view css) {
  text_ += "<line" + attribute("class", css) + attribute("x1", a.x) + attribute("y1", a.y) +
           attribute("x2", b.x) + attribute("y2", b.y) + "/>\n";
}

void Svg::polyline(const std::vector<Point>& points, std::string_view css) {
  text_ += "<polyline" + attribute("class", css) + attribute("points", joined(points)) + "/>\n";
}

void Svg::area(const std::vector<Point>& points, std::string_view css) {
  text_ += "<polygon" + attribute("class", css) + attribute("points", joined(points)) + "/>\n";
}

void Svg::rect(Point corner, double width, double height, std::string_view css, std::string_view hint,
               std::string_view style) {
  text_ += "<rect" + attribute("class", css) + attribute("x", corner.x) + attribute("y", corner.y) +
           attribute("width", width) + attribute("height", height) + attribute("style", style) +
           closed("rect", hint);
}

void Svg::path(std::string_view commands, Point at, std::string_view css, std::string_view hint) {
  text_ += "<path" + attribute("class", css) + " transform=\"translate(" + coordinate(at.x) + " " +
           coordinate(at.y) + ")\"" + attribute("d", commands) + closed("path", hint);
}

void Svg::text(Point at, std::string_view words, std::string_view css, Anchor anchor) {
  const std::string_view where = anchor == Anchor::middle ? "middle" : anchor == Anchor::end ? "end" : "";
  text_ += "<text" + attribute("class", css) + attribute("x", at.x) + attribute("y", at.y) +
           attribute("text-anchor", where) + ">" + escaped(words) + "</text>\n";
}

void Svg::upright_text(Point at, std::string_view words, std::string_view css) {
  text_ += "<text" + attribute("class", css) + " transform=\"translate(" + coordinate(at.x) + " " +
           coordinate(at.y) + ") rotate(-90)\" text-anchor=\"middle\">" + escaped(words) + "</text>\n";
}

void Svg::begin_group(std::string_view css) { text_ += "<g" + attribute("class", css) + ">\n"; }

void Svg::end_group() { text_ += "</g>\n"; }

std::string Svg::finish() && { return std::move(text_) + "</svg>\n"; }

}  // namespace aliquot
