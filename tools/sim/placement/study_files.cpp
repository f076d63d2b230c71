#include "tools/sim/placement/study_files.hpp"

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
          {"simulating took", shown(wall_s) + " s of CPU"}};
}

}  // namespace aliquot
