// The figures of `evaluate beyond`, computed from its trials. Numbers only; beyond_report.cpp shows them.
//
// Averages of stretches are geometric: a policy that is twice as good as another on one instance and half
// as good on the next is as good as the other.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/experiments/campaign/campaign.hpp"

namespace aliquot {

// The instances of one table.
struct BeyondPanel {
  std::string instances;  // "dfrs scaled", "dfrs unscaled", "dfrs-wrong-needs scaled", "weeks"
  std::string penalty;    // seconds
  friend auto operator<=>(const BeyondPanel&, const BeyondPanel&) = default;
};
[[nodiscard]] BeyondPanel panel_of(const TrialKey& key);
// In the order of the trials.
[[nodiscard]] std::vector<BeyondPanel> panels_of(const std::vector<Trial>& trials);

struct BeyondRow {
  std::string policy;
  std::size_t instances = 0;
  double max_stretch = 1;  // geometric means of the instances' figures
  double p99_stretch = 1;
  double avg_stretch = 1;
  double to_ours = 1;   // of its max stretch to ALIQUOT's
  double to_bound = 0;  // of its max stretch to the lower bound; 0: no trial has it
  // Of its max stretch to the best baseline's on the same instance.
  double to_best_mean = 0;
  double to_best_p95 = 0;
  double to_best_max = 0;
  double moves = 0;  // per job
  double pauses = 0;
};
// In the order of the policies; the lower bound is no row.
[[nodiscard]] std::vector<BeyondRow> rows_of(const BeyondPanel& panel, const std::vector<Trial>& trials,
                                             const std::vector<std::string>& policies);

// The instances on which ALIQUOT is furthest behind the best baseline, the worst first.
struct Behind {
  TrialKey key;
  double ours = 1;
  double best = 1;
  std::string baseline;
};
[[nodiscard]] std::vector<Behind> furthest_behind(const std::vector<Trial>& trials, std::size_t most);

// The geometric mean of the max stretch; none: no trial has this policy. The lower bound has one too.
[[nodiscard]] std::optional<double> max_stretch_of(const std::string& policy, const BeyondPanel& panel,
                                                   const std::vector<Trial>& trials);

// The same at each load.
struct LoadPoint {
  double load = 0;
  double max_stretch = 1;
};
[[nodiscard]] std::vector<LoadPoint> by_load(const BeyondPanel& panel, const std::vector<Trial>& trials,
                                             const std::string& policy);

}  // namespace aliquot
