#include "tools/sim/picture/run_plots.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "tools/sim/drawing/scale.hpp"
#include "tools/sim/drawing/svg.hpp"
#include "tools/sim/table.hpp"

namespace aliquot {
namespace {

constexpr double kPictureWidth = 1000;
constexpr double kPictureLeft = 74;
constexpr double kPictureRight = 14;
constexpr double kAxisHeight = 24;

// The horizontal axis of all plots of a run: from the first submission to the last end.
class TimeAxis {
 public:
  TimeAxis(Instant from, Instant to)
      : from_(from), scale_(false, 0, to_seconds(to - from), kPictureLeft, kPictureWidth - kPictureRight) {}

  [[nodiscard]] double at(Instant t) const { return scale_.at(to_seconds(t - from_)); }
  // Of the left edge of bin `bin` of `bins`.
  [[nodiscard]] double at(std::size_t bin, std::size_t bins) const {
    return scale_.at(scale_.high() * static_cast<double>(bin) / static_cast<double>(bins));
  }
  // Vertical lines from `top` to `bottom`, labelled with their time.
  void draw(Svg& svg, double top, double bottom) const;

 private:
  Instant from_;
  Scale scale_;
};

void TimeAxis::draw(Svg& svg, double top, double bottom) const {
  for (const AxisTick& tick : time_ticks(scale_, 9)) {
    const double x = scale_.at(tick.value);
    svg.line({x, top}, {x, bottom + 4}, "grid");
    svg.text({x, bottom + 18}, tick.label, "tick", Anchor::middle);
  }
  svg.line({kPictureLeft, bottom}, {kPictureWidth - kPictureRight, bottom}, "axis");
}

constexpr double kCurveTop = 8;
constexpr double kCurveHeight = 190;  // of the plot itself
constexpr double kCurveBottom = kCurveTop + kCurveHeight;

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
  svg.upright_text({16, (kCurveTop + kCurveBottom) / 2}, name, "name");
}

std::string key(const char* css, const char* words) {
  return std::string(
             "<li><svg class=\"sample\" viewBox=\"0 0 26 12\" aria-hidden=\"true\"><rect class=\"") +
         css + "\" width=\"26\" height=\"12\"/></svg><span>" + words + "</span></li>";
}

constexpr double kRowsTop = 6;  // of plots with a row for each node or job
constexpr int kShades = 8;

// 0: nothing at all.
int shade_of(double part) {
  if (part <= 1e-6) return 0;
  return std::clamp(static_cast<int>(std::ceil(part * kShades - 1e-9)), 1, kShades);
}

double row_height(std::size_t rows) { return std::clamp(300.0 / static_cast<double>(rows), 4.0, 22.0); }

constexpr int kYieldLevels = 5;

using ById = std::unordered_map<std::uint64_t, const WorkloadJob*>;

ById jobs_by_id(const Workload& workload) {
  ById by_id;
  for (const WorkloadJob& job : workload.jobs) by_id.emplace(job.id.raw, &job);
  return by_id;
}

double bounded_stretch(const JobTimeline& timeline, const ById& by_id) {
  const auto job = by_id.find(timeline.job.raw);
  if (job == by_id.end()) return 1;
  const double alone = std::max(30.0, to_seconds(job->second->runtime()));
  return std::max(1.0, to_seconds(timeline.ended() - timeline.submitted()) / alone);
}

// Which of the paths a span belongs to.
std::string css_of(const Span& span) {
  switch (span.state) {
    case BarState::stalled:
      return "s-stalled";
    case BarState::paused:
      return "s-paused";
    case BarState::waiting:
      return "s-waiting";
    case BarState::running:
      break;
  }
  const auto level = (span.yield.raw * kYieldLevels + kMillion - 1) / kMillion;
  return "y" + std::to_string(std::clamp<std::int64_t>(level, 1, kYieldLevels));
}

std::string hint_of(const JobTimeline& timeline, const ById& by_id) {
  std::string text = "job " + std::to_string(timeline.job.raw);
  if (const auto job = by_id.find(timeline.job.raw); job != by_id.end())
    text += ": " + std::to_string(job->second->submission.demand.tasks) + " tasks, " +
            shown(to_seconds(job->second->runtime())) + " s alone";
  return text + ", stretch " + shown(bounded_stretch(timeline, by_id));
}

}  // namespace

std::string draw_jobs_over_time(const RunBins& bins) {
  double most = 1;
  for (const TimeBin& bin : bins.bins)
    most = std::max(most, std::accumulate(bin.jobs.begin(), bin.jobs.end(), 0.0));
  const TimeAxis axis(bins.from, bins.to);
  const Scale y(false, 0, most * 1.04, kCurveBottom, kCurveTop);
  Svg svg(kPictureWidth, kCurveBottom + kAxisHeight, "Jobs over time, by what they do");
  draw_vertical_axis(svg, y, "jobs", 5);
  for (std::size_t state = kJobStates; state-- > 0;) {  // the highest first: the others cover it
    const auto upper = [&](std::size_t b) {
      const auto& jobs = bins.bins[b].jobs;
      return std::accumulate(jobs.begin(), jobs.begin() + static_cast<std::ptrdiff_t>(state) + 1, 0.0);
    };
    std::vector<Point> points = stairs(bins, axis, y, upper);
    points.push_back({kPictureWidth - kPictureRight, kCurveBottom});
    points.push_back({kPictureLeft, kCurveBottom});
    svg.area(points, kAreas[state]);
  }
  axis.draw(svg, kCurveBottom, kCurveBottom);
  return std::move(svg).finish();
}

std::string draw_yields_over_time(const RunBins& bins) {
  const TimeAxis axis(bins.from, bins.to);
  const Scale y(false, 0, 1.02, kCurveBottom, kCurveTop);
  Svg svg(kPictureWidth, kCurveBottom + kAxisHeight, "Yields over time: the mean and the lowest");
  draw_vertical_axis(svg, y, "yield", 5);
  std::vector<Point> points = stairs(bins, axis, y, [&](std::size_t b) { return bins.bins[b].yield_mean; });
  svg.polyline(points, "curve mean");
  points = stairs(bins, axis, y, [&](std::size_t b) { return bins.bins[b].yield_lowest; });
  svg.polyline(points, "curve lowest");
  axis.draw(svg, kCurveBottom, kCurveBottom);
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

std::string draw_node_map(const RunBins& bins, NodeResource resource, std::size_t nodes) {
  const std::vector<double>& values = resource == NodeResource::cpu ? bins.cpu : bins.memory;
  const std::size_t columns = bins.bins.size();
  const double height = row_height(bins.node_rows);
  const double bottom = kRowsTop + height * static_cast<double>(bins.node_rows);
  const TimeAxis axis(bins.from, bins.to);
  std::array<std::string, kShades + 1> paths;
  for (std::size_t row = 0; row < bins.node_rows; ++row) {
    const double y = kRowsTop + height * static_cast<double>(row);
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
  svg.rect({kPictureLeft, kRowsTop}, kPictureWidth - kPictureLeft - kPictureRight, bottom - kRowsTop,
           "floor");
  for (int shade = 1; shade <= kShades; ++shade) {
    const std::string& path = paths[static_cast<std::size_t>(shade)];
    if (!path.empty()) svg.path(path, {0, 0}, "h" + std::to_string(shade));
  }
  svg.text({kPictureLeft - 8, kRowsTop + 11}, "node 0", "tick", Anchor::end);
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

std::vector<std::size_t> worst_jobs(const RunToBin& run, std::size_t most) {
  const ById by_id = jobs_by_id(run.workload);
  std::vector<std::pair<double, std::size_t>> ranked;
  for (std::size_t i = 0; i < run.jobs.size(); ++i)
    ranked.emplace_back(-bounded_stretch(run.jobs[i], by_id), i);
  std::ranges::sort(ranked);
  if (ranked.size() > most) ranked.resize(most);
  std::vector<std::size_t> which;
  for (const auto& [stretch, i] : ranked) which.push_back(i);
  std::ranges::sort(which);
  return which;
}

std::string draw_job_bars(const RunToBin& run, const std::vector<std::size_t>& which) {
  const ById by_id = jobs_by_id(run.workload);
  const double row =
      std::clamp(480.0 / static_cast<double>(std::max<std::size_t>(1, which.size())), 6.0, 22.0);
  const double bottom = kRowsTop + row * static_cast<double>(which.size());
  Instant from = kNever;
  Instant to;
  for (const JobTimeline& timeline : run.jobs) {
    from = std::min(from, timeline.submitted());
    to = std::max(to, timeline.ended());
  }
  const TimeAxis axis(from, to);
  std::map<std::string, std::string> paths;
  Svg svg(kPictureWidth, bottom + kAxisHeight, "Single jobs over time");
  axis.draw(svg, kRowsTop, bottom);
  for (std::size_t i = 0; i < which.size(); ++i) {
    const JobTimeline& timeline = run.jobs[which[i]];
    const double y = kRowsTop + row * static_cast<double>(i);
    for (const Span& span : timeline.spans) {
      const std::string css = css_of(span);
      const bool thin = span.state == BarState::waiting || span.state == BarState::paused;
      const double left = axis.at(span.from);
      const double width = std::max(0.4, axis.at(span.to) - left);
      paths[css] += "M" + coordinate(left) + " " + coordinate(y + row * (thin ? 0.36 : 0.12)) + "h" +
                    coordinate(width) + "v" + coordinate(row * (thin ? 0.28 : 0.76)) + "H" +
                    coordinate(left) + "z";
    }
    if (row >= 11)
      svg.text({kPictureLeft - 8, y + row / 2 + 4}, "job " + std::to_string(timeline.job.raw), "label",
               Anchor::end);
  }
  for (const auto& [css, path] : paths) svg.path(path, {0, 0}, css);
  for (std::size_t i = 0; i < which.size(); ++i)
    svg.rect({kPictureLeft, kRowsTop + row * static_cast<double>(i)},
             kPictureWidth - kPictureLeft - kPictureRight, row, "touch",
             hint_of(run.jobs[which[i]], by_id));
  if (row < 11) svg.upright_text({16, (kRowsTop + bottom) / 2}, "jobs, by submission", "name");
  return std::move(svg).finish();
}

}  // namespace aliquot
