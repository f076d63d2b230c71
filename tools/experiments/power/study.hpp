// `evaluate power`: what nodes that sleep save, and what it costs the jobs. Each instance (a generated
// trace of a load and a seed, or a week of a log) is simulated under every power rule beside the same
// scheduling policy. Energy is counted from the first submission to the last, so that the end, when the
// cluster runs empty, counts for none.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "manager/hypervisor/model/model_options.hpp"
#include "policies/power/settings.hpp"
#include "tools/sim/workload.hpp"

namespace aliquot::power {

struct PowerOptions {
  std::string policy = "ALIQUOT";
  std::vector<double> loads = {0.1, 0.2, 0.4, 0.6, 0.8};
  std::uint32_t seeds = 5;  // traces of each load
  std::uint32_t first_seed = 1;
  std::uint32_t weeks = 2;          // of each trace
  std::string log;                  // HPC2N's, whose weeks are simulated too; empty: none
  std::uint32_t log_weeks = 0;      // so many of them, spread over the log; 0: all
  PowerSettings settings;           // the rule is not read
  Duration penalty = seconds(300);  // after a resume or a move
};

struct PowerInstance {
  std::string name;          // "diurnal 0.4", "HPC2N"
  std::uint32_t number = 0;  // the seed, or the week
  double load = 0;
};

// Of one instance under one rule.
struct PowerRun {
  double kwh = 0;
  double nodes_on = 0;     // share of the nodes, over time
  double utilization = 0;  // CPU given / capacity, over time
  double switches = 0;     // per node and day
  double max_stretch = 1;  // bounded
  double avg_stretch = 1;
};

struct PowerOutcome {
  PowerInstance instance;
  std::array<PowerRun, kRuleNames.size()> runs;  // by rule
};

struct PowerStudy {
  PowerOptions options;
  std::vector<PowerOutcome> outcomes;
};

// On so many threads, whose number changes nothing but the time. Shows its progress on standard error.
// Errors: a policy that does not exist or cannot finish an instance; a log that cannot be read.
[[nodiscard]] Result<PowerStudy> power_study(const PowerOptions& options, unsigned workers);

// One instance under one rule.
[[nodiscard]] Result<PowerRun> power_run(const Workload& workload, const ClusterShape& shape,
                                         const PowerOptions& options, PowerRule rule);

}  // namespace aliquot::power
