// The figures that the DFRS paper reports, computed from the trials of our campaign: Table I, Table II,
// Figure 1 and the times of decisions. Numbers only; tables.hpp and paper_report.cpp show them.
//
// Intervals are 95 %, over traces, as clustered() computes them.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "tools/experiments/campaign/statistics.hpp"

namespace aliquot {

enum class Traces : std::uint8_t { scaled, unscaled, weeks };
[[nodiscard]] std::string_view name_of(Traces traces);
[[nodiscard]] Traces traces_of(const TrialKey& key);

// The trials that a table is about.
struct Subset {
  Traces traces = Traces::scaled;
  std::string penalty;
};

struct PolicySample {
  std::string policy;
  Sample sample;
};
// Table I: degradation from best, by policy, in the order of `policies`.
[[nodiscard]] std::vector<PolicySample> degradations(const std::vector<RatedTrial>& trials,
                                                     const Subset& subset,
                                                     const std::vector<std::string>& policies);

// Figure 1: the same at one load each.
struct CurvePoint {
  double load = 0;
  Sample sample;
};
struct Curve {
  std::string policy;
  std::vector<CurvePoint> points;  // by increasing load
};
[[nodiscard]] std::vector<Curve> curves(const std::vector<RatedTrial>& trials, const std::string& penalty,
                                        const std::vector<std::string>& policies);

// Table II: of each trace, over its makespan.
struct Costs {
  std::string policy;
  std::array<Sample, 6> figures;  // GB/s, per hour, per job: each preemptions, then migrations
};
inline constexpr double kHighLoad = 0.7;
// Of the policies that preempt or migrate at all; of scaled traces, those with a load of kHighLoad or more.
[[nodiscard]] std::vector<Costs> costs(const std::vector<RatedTrial>& trials, const Subset& subset,
                                       const std::vector<std::string>& policies);

// Section V: how long a decision takes. Of unscaled traces, where there are some.
struct DecisionRow {
  std::string policy;
  double decisions = 0;
  double few_jobs = 0;  // share of decisions for ten jobs or fewer
  double most_jobs = 0;
  double mean_us = 0;
  double many_jobs_us = 0;  // mean of those over more than ten jobs
  double p99_us = 0;        // mean of the traces' 99th percentiles
  double max_us = 0;
};
[[nodiscard]] std::vector<DecisionRow> decision_times(const std::vector<RatedTrial>& trials,
                                                      const std::vector<std::string>& policies);

}  // namespace aliquot
