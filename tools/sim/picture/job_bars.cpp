#include "tools/sim/picture/job_bars.hpp"

#include <algorithm>
#include <map>

#include "tools/sim/campaign/table.hpp"
#include "tools/sim/picture/time_axis.hpp"

namespace aliquot {
namespace {

constexpr double kTop = 6;
constexpr int kYieldLevels = 5;

using ById = std::unordered_map<std::uint64_t, const WorkloadJob*>;

ById jobs_by_id(const Workload& workload) {
  ById by_id;
  for (const WorkloadJob& job : workload.jobs) by_id.emplace(job.id.raw, &job);
  return by_id;
}

double bounded_stretch(const JobStory& story, const ById& by_id) {
  const auto job = by_id.find(story.job.raw);
  if (job == by_id.end()) return 1;
  const double alone = std::max(30.0, to_seconds(job->second->runtime()));
  return std::max(1.0, to_seconds(story.ended() - story.submitted()) / alone);
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

std::string hint_of(const JobStory& story, const ById& by_id) {
  std::string text = "job " + std::to_string(story.job.raw);
  if (const auto job = by_id.find(story.job.raw); job != by_id.end())
    text += ": " + std::to_string(job->second->submission.demand.tasks) + " tasks, " +
            shown(to_seconds(job->second->runtime())) + " s alone";
  return text + ", stretch " + shown(bounded_stretch(story, by_id));
}

}  // namespace

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
  const double bottom = kTop + row * static_cast<double>(which.size());
  Instant from = kNever;
  Instant to;
  for (const JobStory& story : run.jobs) {
    from = std::min(from, story.submitted());
    to = std::max(to, story.ended());
  }
  const TimeAxis axis(from, to);
  std::map<std::string, std::string> paths;
  Svg svg(kPictureWidth, bottom + kAxisHeight, "Single jobs over time");
  axis.draw(svg, kTop, bottom);
  for (std::size_t i = 0; i < which.size(); ++i) {
    const JobStory& story = run.jobs[which[i]];
    const double y = kTop + row * static_cast<double>(i);
    for (const Span& span : story.spans) {
      const std::string css = css_of(span);
      const bool thin = span.state == BarState::waiting || span.state == BarState::paused;
      const double left = axis.at(span.from);
      const double width = std::max(0.4, axis.at(span.to) - left);
      paths[css] += "M" + coordinate(left) + " " + coordinate(y + row * (thin ? 0.36 : 0.12)) + "h" +
                    coordinate(width) + "v" + coordinate(row * (thin ? 0.28 : 0.76)) + "H" +
                    coordinate(left) + "z";
    }
    if (row >= 11)
      svg.text({kPictureLeft - 8, y + row / 2 + 4}, "job " + std::to_string(story.job.raw), "label",
               Anchor::end);
  }
  for (const auto& [css, path] : paths) svg.path(path, {0, 0}, css);
  for (std::size_t i = 0; i < which.size(); ++i)
    svg.rect({kPictureLeft, kTop + row * static_cast<double>(i)},
             kPictureWidth - kPictureLeft - kPictureRight, row, "touch",
             hint_of(run.jobs[which[i]], by_id));
  if (row < 11) svg.upright_text({16, (kTop + bottom) / 2}, "jobs, by submission", "name");
  return std::move(svg).finish();
}

}  // namespace aliquot
