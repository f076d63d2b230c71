#include "tools/experiments/placement/study_report.hpp"

#include <algorithm>

#include "monitor/provenance.hpp"
#include "tools/sim/decimal.hpp"
#include "tools/sim/workload/csv_line.hpp"

namespace aliquot {

std::string outcomes_csv(const Study& study) {
  std::string text = "experiment,workload,policy,seeds,jobs";
  for (const char* of : {"wait_h", "slowdown", "packing", "fragmentation", "spread"})
    text += std::string(",") + of + "," + of + "_deviation";
  text += ",utilization,utilization_deviation,makespan_h,decision_us_p50,decision_us_p99\n";
  for (std::size_t e = 0; e < study.experiments.size(); ++e) {
    const Experiment& experiment = study.experiments[e];
    const StudyOutcome all = outcome_of(study.runs[e]);
    text += csv_field(experiment.name) + ',' + csv_field(experiment.workload) + ',' +
            csv_field(experiment.policy) + ',' + std::to_string(study.seeds) + ',' +
            std::to_string(all.wait_h.count);
    for (const Sample* of :
         {&all.wait_h, &all.slowdown, &all.packing, &all.fragmentation, &all.spread, &all.utilization})
      text += ',' + to_text(of->mean) + ',' + to_text(of->deviation);
    text += ',' + to_text(all.makespan_h.mean) + ',' + to_text(all.decision_us_p50) + ',' +
            to_text(all.decision_us_p99) + '\n';
  }
  return text;
}

SeriesStyle experiment_style(const std::string& policy, std::size_t position) {
  const bool factors = policy.find("multifactor") != std::string::npos;
  const bool by_cores = policy.find("objective=pr") != std::string::npos;
  SeriesStyle style = style_of("", position);  // the mark
  style.dashed = factors;
  if (policy.starts_with("BACKFILL")) {
    style.css = factors ? "k1" : "k0";
  } else if (policy.starts_with("AUCSCHED")) {
    style.css = factors ? "k3" : "k4";
  } else if (by_cores) {
    style.css = factors ? "k8" : "k11";
  } else {
    style.css = factors ? "k7" : "k9";
  }
  return style;
}

std::vector<std::pair<std::string, std::string>> study_facts(const Study& study) {
  std::vector<std::string> policies;
  double wall_s = 0;
  for (const Experiment& experiment : study.experiments)
    if (std::ranges::find(policies, experiment.policy) == policies.end())
      policies.push_back(experiment.policy);
  for (const auto& runs : study.runs)
    for (const PlacementRun& run : runs) wall_s += run.wall_s;
  return {{"program", std::string("aliquot-sim ") + kVersion + " (" + kCommit + ")"},
          {"seeds",
           std::to_string(study.first_seed) + " to " + std::to_string(study.first_seed + study.seeds - 1)},
          {"policies", joined(policies)},
          {"the runs took, together", shown(wall_s) + " s"}};
}

}  // namespace aliquot
