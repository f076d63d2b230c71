#include "tools/experiments/needs/need_report.hpp"

#include <algorithm>
#include <optional>

#include "monitor/provenance.hpp"
#include "tools/experiments/plots/plots.hpp"
#include "tools/sim/decimal.hpp"

namespace aliquot::needs {
namespace {

constexpr std::size_t kSources = kNeedSourceNames.size();
constexpr auto kBase = static_cast<std::size_t>(NeedSource::declared);
constexpr auto kBest = static_cast<std::size_t>(NeedSource::oracle);

// The traces of one policy and load.
struct Group {
  std::string name;
  std::vector<const NeedOutcome*> outcomes;
};

std::string name_of(const NeedOutcome& outcome) {
  return outcome.policy + ", load " + (outcome.load ? to_text(*outcome.load) : "unscaled");
}

std::vector<Group> groups_of(const NeedStudy& study) {
  std::vector<Group> groups;
  for (const NeedOutcome& outcome : study.outcomes) {
    if (groups.empty() || groups.back().name != name_of(outcome)) groups.push_back({name_of(outcome), {}});
    groups.back().outcomes.push_back(&outcome);
  }
  return groups;
}

// Means over the traces of a group.
struct GroupFigures {
  double mean = 0;               // stretch
  std::optional<double> closed;  // share of the gap in `mean` between declared and true needs
  double largest = 0;            // stretch
  double worst_ratio = 0;        // of a trace: its largest stretch, relative to that with declared needs
};

GroupFigures figures_of(const Group& group, Stretches NeedRun::*of, std::size_t source) {
  GroupFigures sum;
  double declared = 0, best = 0;
  for (const NeedOutcome* outcome : group.outcomes) {
    const Stretches& its = outcome->runs[source].*of;
    const Stretches& base = outcome->runs[kBase].*of;
    sum.mean += its.mean;
    sum.largest += its.largest;
    sum.worst_ratio = std::max(sum.worst_ratio, its.largest / base.largest);
    declared += base.mean;
    best += (outcome->runs[kBest].*of).mean;
  }
  const auto count = static_cast<double>(group.outcomes.size());
  // Of less than a hundredth of the stretch there is nothing to close.
  if (declared - best > best / 100) sum.closed = (declared - sum.mean) / (declared - best);
  sum.mean /= count;
  sum.largest /= count;
  return sum;
}

std::string closed_text(const GroupFigures& figures) {
  return figures.closed ? fixed(100 * *figures.closed, 1) : "-";
}

// Changes of a need, per job.
double changes_per_job(const Group& group, std::size_t source) {
  double changes = 0, jobs = 0;
  for (const NeedOutcome* outcome : group.outcomes) {
    for (const std::uint64_t count : outcome->runs[source].needs.changes)
      changes += static_cast<double>(count);
    jobs += static_cast<double>(outcome->runs[source].all.jobs);
  }
  return jobs > 0 ? changes / jobs : 0;
}

Table need_table(const NeedStudy& study) {
  const WrongNeeds& wrong = study.options.wrong;
  Table table;
  table.title = "Stretch by where CPU needs come from";
  table.columns = {"traces: needs", "avg > 5 min",   "gap closed, %", "max > 5 min", "worst ratio",
                   "avg of all",    "gap closed, %", "max of all",    "worst ratio", "changes/job"};
  for (const Group& group : groups_of(study)) {
    for (std::size_t source = 0; source < kSources; ++source) {
      const GroupFigures of_long = figures_of(group, &NeedRun::long_jobs, source);
      const GroupFigures of_all = figures_of(group, &NeedRun::all, source);
      table.rows.push_back({group.name + ": " + std::string(kNeedSourceNames[source]),
                            fixed(of_long.mean, 3), closed_text(of_long), shown(of_long.largest),
                            fixed(of_long.worst_ratio, 3), fixed(of_all.mean, 3), closed_text(of_all),
                            shown(of_all.largest), fixed(of_all.worst_ratio, 3),
                            fixed(changes_per_job(group, source), 2)});
    }
  }
  table.note =
      "Means of " + std::to_string(study.options.traces.traces) +
      " traces. Bounded stretch: turnaround / time alone, by what a job really needs. Declared needs "
      "are wrong by a factor of up to " +
      to_text(wrong.factor) +
      std::string(wrong.only_above ? ", always too large; " : " in either direction; ") +
      fixed(100 * wrong.with_phases, 0) + " % of the jobs have phases, " + fixed(100 * wrong.drifting, 0) +
      " % drift. worst ratio: of all traces the largest of max stretch / max stretch with declared "
      "needs.";
  return table;
}

std::string runs_csv(const NeedStudy& study) {
  std::string text =
      "policy,load,seed,needs,jobs,avg,max,long_jobs,long_avg,long_max,uses_less,wants_more,probed,"
      "probe_kept,probe_undone,observations\n";
  for (const NeedOutcome& outcome : study.outcomes) {
    for (std::size_t source = 0; source < kSources; ++source) {
      const NeedRun& run = outcome.runs[source];
      text += outcome.policy + ',' + (outcome.load ? to_text(*outcome.load) : "unscaled") + ',' +
              std::to_string(outcome.seed) + ',' + std::string(kNeedSourceNames[source]);
      for (const Stretches* its : {&run.all, &run.long_jobs})
        text += ',' + std::to_string(its->jobs) + ',' + to_text(its->mean) + ',' + to_text(its->largest);
      for (const std::uint64_t count : run.needs.changes) text += ',' + std::to_string(count);
      text += ',' + std::to_string(run.needs.observations) + '\n';
    }
  }
  return text;
}

Page::Figure bars(const NeedStudy& study, const std::string& title, double GroupFigures::*value) {
  CategoryPlot plot{title, title, {}, {}, std::nullopt};
  const std::vector<Group> groups = groups_of(study);
  for (const Group& group : groups) plot.categories.push_back(group.name);
  for (std::size_t source = 0; source < kSources; ++source) {
    CategorySeries series{std::string(kNeedSourceNames[source]), style_of("", source), {}};
    for (const Group& group : groups)
      series.points.emplace_back(exactly(figures_of(group, &NeedRun::long_jobs, source).*value));
    plot.series.push_back(std::move(series));
  }
  return {title, draw_wide(plot)};
}

std::string page_of(const NeedStudy& study) {
  Page page(
      "CPU needs that are learned",
      "Users declare CPU needs that are wrong. Needs are taken as they are declared, learned while jobs "
      "run, learned and raised above what is declared, or known.");
  page.section("Jobs of more than five minutes");
  page.wide_figure(bars(study, "Average stretch", &GroupFigures::mean));
  page.wide_figure(bars(study, "Largest stretch", &GroupFigures::largest));
  page.section("Figures");
  page.table(need_table(study));
  const SyntheticTraces& traces = study.options.traces;
  page.provenance(
      {{"program", std::string("aliquot-sim ") + kVersion + " (" + kCommit + ")"},
       {"seeds", std::to_string(traces.seed) + " to " + std::to_string(traces.seed + traces.traces - 1)},
       {"jobs of a trace", std::to_string(traces.jobs)},
       {"penalty, s", to_text(study.options.penalty)}});
  return std::move(page).finish();
}

}  // namespace

std::vector<Table> need_tables(const NeedStudy& study) { return {need_table(study)}; }

std::vector<OutputFile> need_files(const NeedStudy& study) {
  const Table table = need_table(study);
  return {{"runs.csv", runs_csv(study)},
          {"needs.csv", as_csv(table)},
          {"tables.md", as_markdown(table)},
          {"report.html", page_of(study)}};
}

}  // namespace aliquot::needs
