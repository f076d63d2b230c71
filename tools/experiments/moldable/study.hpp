// `evaluate moldable`: traces of moldable jobs, simulated with every job on a fixed number of tasks and
// with the number chosen when the job arrives, from the cluster as it is at that instant.
//
// The traces are the synthetic ones of the DFRS paper, and weeks of the HPC2N log if it is given; how their
// jobs become moldable is in moldable_jobs.hpp. The stretch of a job is bounded (30 s) and relative to its
// run time alone on its best number of tasks, under every rule. Estimates, which batch policies read, are
// the run times on the chosen numbers.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "policies/moldable/molding.hpp"
#include "tools/experiments/campaign/synthetic_traces.hpp"

namespace aliquot::moldable {

// A rule of the comparison. Fixed ones are a multiple of the number that was submitted, within the range.
struct StudyRule {
  enum class Kind : std::uint8_t { one_task, of_submitted, largest, load_balance, least_stretch };
  std::string_view name;
  Kind kind = Kind::of_submitted;
  double factor = 1;
  [[nodiscard]] bool is_fixed() const { return kind < Kind::load_balance; }
};
inline constexpr std::array<StudyRule, 9> kRules = {{
    {"one task", StudyRule::Kind::one_task},
    {"a quarter", StudyRule::Kind::of_submitted, 0.25},
    {"half", StudyRule::Kind::of_submitted, 0.5},
    {"as submitted", StudyRule::Kind::of_submitted, 1},
    {"double", StudyRule::Kind::of_submitted, 2},
    {"four times", StudyRule::Kind::of_submitted, 4},
    {"largest", StudyRule::Kind::largest},
    {"load balance", StudyRule::Kind::load_balance},
    {"least stretch", StudyRule::Kind::least_stretch},
}};
inline constexpr std::size_t kOurs = kRules.size() - 1;

struct MoldableOptions {
  SyntheticTraces traces;
  std::string workload;     // HPC2N's log; empty: none
  std::uint64_t weeks = 0;  // only so many, spread evenly over it; 0: all
  std::string policy;       // canonical
  Duration penalty;
  LoadBalance load_balance;
  LeastStretch least_stretch;
};

struct RuleOutcome {
  double largest_stretch = 1;
  double mean_stretch = 1;
  double mean_tasks = 1;
  double work = 0;  // core-seconds at full speed
};

struct TraceOutcome {
  std::string name;             // "seed 1, load 0.5", "week-007"
  std::optional<Decimal> load;  // of a synthetic trace that was scaled
  std::uint64_t jobs = 0;
  std::uint64_t moldable = 0;  // of them: those with more than one task
  std::array<RuleOutcome, kRules.size()> rules;

  // The least largest stretch of the fixed rules, on this trace.
  [[nodiscard]] double best_fixed() const;
};

struct MoldableStudy {
  MoldableOptions options;
  std::vector<TraceOutcome> traces;
};

// On so many threads, whose number changes nothing but the time. Shows its progress on standard error.
// Errors: a log that cannot be read, a run that cannot be finished; the first of them, in the order of the
// traces and rules.
[[nodiscard]] Result<MoldableStudy> moldable_study(const MoldableOptions& options, unsigned workers);

}  // namespace aliquot::moldable
