#include "tools/experiments/fairness/fairness_report.hpp"

#include <algorithm>

#include "monitor/provenance.hpp"
#include "tools/experiments/plots/plots.hpp"
#include "tools/sim/decimal.hpp"

namespace aliquot::fairness {
namespace {

constexpr std::size_t kCases = kCaseNames.size();

struct Group {
  std::string name;
  std::vector<const FairnessOutcome*> outcomes;
};

std::string name_of(const FairnessOutcome& outcome) {
  return outcome.policy + ", load " + (outcome.load ? to_text(*outcome.load) : "unscaled");
}

std::vector<Group> groups_of(const FairnessStudy& study) {
  std::vector<Group> groups;
  for (const FairnessOutcome& outcome : study.outcomes) {
    if (groups.empty() || groups.back().name != name_of(outcome)) groups.push_back({name_of(outcome), {}});
    groups.back().outcomes.push_back(&outcome);
  }
  return groups;
}

double mean(const Group& group, std::size_t what, double FairnessRun::*of) {
  double sum = 0;
  for (const FairnessOutcome* outcome : group.outcomes) sum += outcome->runs[what].*of;
  return sum / static_cast<double>(group.outcomes.size());
}

// Of a trace: the largest stretch of the others, relative to that without the flood.
double worst_ratio(const Group& group, std::size_t what) {
  double worst = 0;
  for (const FairnessOutcome* outcome : group.outcomes)
    worst = std::max(worst, outcome->runs[what].largest / outcome->runs[0].largest);
  return worst;
}

Table fairness_table(const FairnessStudy& study) {
  Table table;
  table.title = "Five users, one floods: the stretch of the others";
  table.columns = {"case",          "max of others", "to no flood", "worst trace",
                   "avg of others", "avg of user",   "makespan, h", "cores busy"};
  for (const Group& group : groups_of(study)) {
    const double calm = mean(group, 0, &FairnessRun::largest);
    for (std::size_t what = 0; what < kCases; ++what) {
      const double largest = mean(group, what, &FairnessRun::largest);
      table.rows.push_back({group.name + ": " + std::string(kCaseNames[what]), shown(largest),
                            fixed(largest / calm, 2), fixed(worst_ratio(group, what), 2),
                            fixed(mean(group, what, &FairnessRun::mean), 2),
                            fixed(mean(group, what, &FairnessRun::of_flood), 2),
                            fixed(mean(group, what, &FairnessRun::makespan) / 3600, 2),
                            fixed(mean(group, what, &FairnessRun::cores_busy), 1)});
    }
  }
  table.note = "Means of " + std::to_string(study.options.traces.traces) + " traces of " +
               std::to_string(study.options.traces.jobs) +
               " jobs. max of others: largest bounded stretch of the jobs of the four users that do not "
               "flood; worst trace: the largest ratio of a trace to the same without the flood. avg of "
               "user: mean of the user that floods. cores busy: work of the jobs that had ended when the "
               "last job of the others did, over that time. Half-life " +
               to_text(study.options.half_life) + " s, penalty " + to_text(study.options.penalty) + " s.";
  return table;
}

std::string runs_csv(const FairnessStudy& study) {
  std::string text =
      "policy,load,seed,case,max_of_others,avg_of_others,avg_of_user,makespan_s,cores_busy\n";
  for (const FairnessOutcome& outcome : study.outcomes)
    for (std::size_t what = 0; what < kCases; ++what) {
      const FairnessRun& run = outcome.runs[what];
      text += outcome.policy + ',' + (outcome.load ? to_text(*outcome.load) : "unscaled") + ',' +
              std::to_string(outcome.seed) + ",\"" + std::string(kCaseNames[what]) + '"';
      for (const double value : {run.largest, run.mean, run.of_flood, run.makespan, run.cores_busy})
        text += ',' + to_text(value);
      text += '\n';
    }
  return text;
}

std::string page_of(const FairnessStudy& study) {
  Page page("Fair share",
            "Five users share a cluster, and one of them floods it. The stretch of the others is compared "
            "with what it is without the flood, with fair share and without.");
  page.section("Figures");
  page.table(fairness_table(study));
  const SyntheticTraces& traces = study.options.traces;
  page.provenance(
      {{"program", std::string("aliquot-sim ") + kVersion + " (" + kCommit + ")"},
       {"seeds", std::to_string(traces.seed) + " to " + std::to_string(traces.seed + traces.traces - 1)},
       {"jobs of a trace", std::to_string(traces.jobs)},
       {"half-life, s", to_text(study.options.half_life)},
       {"penalty, s", to_text(study.options.penalty)}});
  return std::move(page).finish();
}

}  // namespace

std::vector<Table> fairness_tables(const FairnessStudy& study) { return {fairness_table(study)}; }

std::vector<OutputFile> fairness_files(const FairnessStudy& study) {
  const Table table = fairness_table(study);
  return {{"runs.csv", runs_csv(study)},
          {"fairness.csv", as_csv(table)},
          {"tables.md", as_markdown(table)},
          {"report.html", page_of(study)}};
}

}  // namespace aliquot::fairness
