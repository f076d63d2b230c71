#include "tools/experiments/prediction/prediction_report.hpp"

#include <algorithm>
#include <cstdio>

#include "monitor/provenance.hpp"
#include "tools/experiments/plots/plots.hpp"
#include "tools/sim/workload/csv_line.hpp"

namespace aliquot::prediction {
namespace {

std::string fixed_places(double value, int places) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", places, value);
  return text;
}
std::string percent(double share) { return fixed_places(100 * share, 1); }

// What is learned does not depend much on the policy: the first one's.
const std::vector<PredictedJob>& predicted(const PredictionStudy& study, Source source) {
  return study.run_of(0, source).predicted;
}

std::vector<std::string> error_row(std::string_view name, const Errors& errors, const Errors& of_users) {
  return {std::string(name),
          std::to_string(errors.jobs),
          fixed_places(errors.median, 0),
          fixed_places(errors.median / std::max(1.0, of_users.median), 3),
          fixed_places(errors.mean, 0),
          "",
          "",
          "",
          ""};
}

// In how many weeks of at least so many jobs the share stays within 10 points of 80 %.
std::string weeks_within(const std::vector<WeekCalibration>& weeks) {
  constexpr std::uint64_t enough = 50;
  std::size_t near = 0, all = 0;
  for (const auto& [week, share] : weeks) {
    if (share.jobs < enough) continue;
    ++all;
    near += share.within >= 0.7 && share.within <= 0.9 ? 1 : 0;
  }
  return std::to_string(near) + " of " + std::to_string(all);
}

Table error_table(const PredictionStudy& study) {
  Table table;
  table.title = "How far run times are off that are known before a job runs";
  table.columns = {"from",     "jobs",      "median error, s", "to users'", "mean error, s",
                   "below, %", "within, %", "above, %",        "weeks"};
  const Errors users = errors_of_users(predicted(study, Source::learned));
  table.rows.push_back(error_row(name(Source::users), users, users));
  for (const Source source : {Source::learned, Source::shuffled}) {
    const auto& runs = predicted(study, source);
    auto row = error_row(name(source), errors_of_history(runs), users);
    const Calibration share = calibration_of(runs);
    row[5] = percent(share.below), row[6] = percent(share.within), row[7] = percent(share.above);
    row[8] = weeks_within(calibration_by_week(runs));
    table.rows.push_back(std::move(row));
  }
  table.note =
      "Jobs of which both the history and their users say something. within: the interval, which is to "
      "hold "
      "80 %; weeks: those with 70 to 90 % within, of all with 50 jobs or more. Learned under " +
      study.options.policies.front() + ".";
  return table;
}

Table slowdown_table(const PredictionStudy& study) {
  Table table;
  table.title = "Bounded slowdown by where run times come from";
  table.columns = {"policy: run times", "mean", "to users'", "by week", "to users'", "largest"};
  for (std::size_t p = 0; p < study.options.policies.size(); ++p) {
    const PredictedRun& users = study.run_of(p, Source::users);
    for (std::size_t s = 0; s < kSourceNames.size(); ++s) {
      const PredictedRun& run = study.run_of(p, static_cast<Source>(s));
      table.rows.push_back({run.policy + ": " + std::string(kSourceNames[s]), fixed_places(run.mean(), 2),
                            fixed_places(run.mean() / users.mean(), 3), fixed_places(run.by_week(), 3),
                            fixed_places(run.by_week() / users.by_week(), 3),
                            fixed_places(run.largest(), 0)});
    }
  }
  table.note =
      "mean: over all jobs, which a few weeks decide. by week: geometric mean of the means of the weeks, "
      "each simulated by itself.";
  return table;
}

std::string weeks_csv(const PredictionStudy& study) {
  std::string text = "policy,run_times,week,jobs,mean_bounded_slowdown,largest_bounded_slowdown\n";
  for (const PredictedRun& run : study.runs)
    for (const WeekSlowdown& week : run.weeks)
      text += csv_field(run.policy) + ',' + csv_field(std::string(name(run.source))) + ',' +
              std::to_string(week.week) + ',' + std::to_string(week.jobs) + ',' + to_text(week.mean) + ',' +
              to_text(week.largest) + '\n';
  return text;
}

std::string calibration_csv(const PredictionStudy& study) {
  std::string text = "run_times,week,jobs,below,within,above\n";
  for (const Source source : {Source::learned, Source::shuffled})
    for (const auto& [week, share] : calibration_by_week(predicted(study, source)))
      text += csv_field(std::string(name(source))) + ',' + std::to_string(week) + ',' +
              std::to_string(share.jobs) + ',' + to_text(share.below) + ',' + to_text(share.within) + ',' +
              to_text(share.above) + '\n';
  return text;
}

LinePlot calibration_plot(const PredictionStudy& study) {
  LinePlot plot{"share of the runs within their interval, by week", "week", "share within", {}, {}, {}};
  LineSeries target{"wanted", style_of("", 1), {}};
  LineSeries seen{"learned", style_of("", 0), {}};
  for (const auto& [week, share] : calibration_by_week(predicted(study, Source::learned))) {
    if (share.within <= 0) continue;  // the axis is logarithmic
    const auto x = static_cast<double>(week);
    seen.points.push_back({x, exactly(share.within)});
    target.points.push_back({x, exactly(0.8)});
  }
  if (!seen.points.empty()) plot.series = {std::move(seen), std::move(target)};
  return plot;
}

Page::Figure dots(const PredictionStudy& study) {
  DotPlot plot{
      "bounded slowdown by policy and source of run times, by week", "bounded slowdown", "here", "", {}};
  for (std::size_t k = 0; k < study.runs.size(); ++k) {
    const PredictedRun& run = study.runs[k];
    plot.rows.push_back({run.policy + ": " + std::string(name(run.source)),
                         style_of("", k % kSourceNames.size()), exactly(run.by_week()), std::nullopt});
  }
  return {"Bounded slowdown", draw(plot)};
}

std::string page_of(const PredictionStudy& study) {
  Page page("Run times learned from a site's own history",
            "Each job is predicted at its submission, from the runs that had ended by then.");
  page.section("The predictions");
  page.table(error_table(study));
  put_section(page, "Calibration", "The share of the runs that were within their interval.",
              {drawn("Share within the interval, by week", calibration_plot(study))});
  page.section("What policies make of them");
  page.wide_figure(dots(study));
  page.table(slowdown_table(study));
  page.provenance({{"program", std::string("aliquot-sim ") + kVersion + " (" + kCommit + ")"},
                   {"workload", study.options.workload},
                   {"nodes", std::to_string(study.options.read.shape.nodes)},
                   {"seed of the exchange of users", std::to_string(study.options.seed)}});
  return std::move(page).finish();
}

}  // namespace

std::vector<Table> prediction_tables(const PredictionStudy& study) {
  return {error_table(study), slowdown_table(study)};
}

std::vector<OutputFile> prediction_files(const PredictionStudy& study) {
  return {{"weeks.csv", weeks_csv(study)},
          {"calibration.csv", calibration_csv(study)},
          {"tables.md", as_markdown(error_table(study)) + "\n" + as_markdown(slowdown_table(study))},
          {"report.html", page_of(study)}};
}

}  // namespace aliquot::prediction
