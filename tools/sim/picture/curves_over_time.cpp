#include "tools/sim/picture/curves_over_time.hpp"

#include <algorithm>
#include <numeric>

#include "tools/sim/picture/time_axis.hpp"

namespace aliquot {
namespace {

constexpr double kTop = 8;
constexpr double kHeight = 190;  // of the plot itself
constexpr double kBottom = kTop + kHeight;

// By BarState, lowest area first.
constexpr std::array<const char*, kJobStates> kAreas = {"s-running", "s-stalled", "s-paused", "s-waiting"};

// A staircase: the value of each bin from its left edge to its right.
template <class Value>
std::vector<Point> stairs(const RunBins& bins, const TimeAxis& axis, const Scale& y, Value value) {
  std::vector<Point> points;
  const std::size_t count = bins.bins.size();
  for (std::size_t b = 0; b < count; ++b) {
    const double height = y.at(value(b));
    if (!points.empty() && points.back().y == height)
      points.pop_back();
    else
      points.push_back({axis.at(b, count), height});
    points.push_back({axis.at(b + 1, count), height});
  }
  return points;
}

void draw_vertical_axis(Svg& svg, const Scale& y, const char* name, int ticks) {
  for (const AxisTick& tick : y.ticks(ticks)) {
    const double at = y.at(tick.value);
    svg.line({kPictureLeft, at}, {kPictureWidth - kPictureRight, at}, "grid faint");
    svg.text({kPictureLeft - 8, at + 4}, tick.label, "tick", Anchor::end);
  }
  svg.upright_text({16, (kTop + kBottom) / 2}, name, "name");
}

std::string key(const char* css, const char* words) {
  return std::string(
             "<li><svg class=\"sample\" viewBox=\"0 0 26 12\" aria-hidden=\"true\"><rect class=\"") +
         css + "\" width=\"26\" height=\"12\"/></svg><span>" + words + "</span></li>";
}

}  // namespace

std::string draw_jobs_over_time(const RunBins& bins) {
  double most = 1;
  for (const TimeBin& bin : bins.bins)
    most = std::max(most, std::accumulate(bin.jobs.begin(), bin.jobs.end(), 0.0));
  const TimeAxis axis(bins.from, bins.to);
  const Scale y(false, 0, most * 1.04, kBottom, kTop);
  Svg svg(kPictureWidth, kBottom + kAxisHeight, "Jobs over time, by what they do");
  draw_vertical_axis(svg, y, "jobs", 5);
  for (std::size_t state = kJobStates; state-- > 0;) {  // the highest first: the others cover it
    const auto upper = [&](std::size_t b) {
      const auto& jobs = bins.bins[b].jobs;
      return std::accumulate(jobs.begin(), jobs.begin() + static_cast<std::ptrdiff_t>(state) + 1, 0.0);
    };
    std::vector<Point> points = stairs(bins, axis, y, upper);
    points.push_back({kPictureWidth - kPictureRight, kBottom});
    points.push_back({kPictureLeft, kBottom});
    svg.area(points, kAreas[state]);
  }
  axis.draw(svg, kBottom, kBottom);
  return std::move(svg).finish();
}

std::string draw_yields_over_time(const RunBins& bins) {
  const TimeAxis axis(bins.from, bins.to);
  const Scale y(false, 0, 1.02, kBottom, kTop);
  Svg svg(kPictureWidth, kBottom + kAxisHeight, "Yields over time: the mean and the lowest");
  draw_vertical_axis(svg, y, "yield", 5);
  std::vector<Point> points = stairs(bins, axis, y, [&](std::size_t b) { return bins.bins[b].yield_mean; });
  svg.polyline(points, "curve mean");
  points = stairs(bins, axis, y, [&](std::size_t b) { return bins.bins[b].yield_lowest; });
  svg.polyline(points, "curve lowest");
  axis.draw(svg, kBottom, kBottom);
  return std::move(svg).finish();
}

std::string state_legend() {
  return "<ul class=\"legend\">" + key("s-running", "running") +
         key("s-stalled", "standing still (penalty)") + key("s-paused", "paused") +
         key("s-waiting", "waiting") + "</ul>\n";
}

std::string yield_legend() {
  return "<ul class=\"legend\">" + key("b-mean", "mean of the placed jobs") +
         key("b-lowest", "lowest of them") + "</ul>\n";
}

}  // namespace aliquot
