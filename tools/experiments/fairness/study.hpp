// `evaluate fairness`: what one user that floods the cluster costs the others, with and without fair share.
//
// Each trace is a synthetic one (DFRS, V-A) whose jobs belong to five users, drawn evenly. In the flood the
// last of them submits all jobs of another such trace besides: from a quarter of the time on, one in each
// thousandth of it. Each case is simulated without the flood and with it, and both under fair share among
// the users, too.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "tools/experiments/campaign/synthetic_traces.hpp"

namespace aliquot::fairness {

inline constexpr std::uint32_t kUsers = 5;

struct FairnessOptions {
  SyntheticTraces traces;
  std::vector<std::string> policies = {"ALIQUOT", "DYNMCB8-ASAP-PER-600", "EASY"};
  Duration penalty = seconds(0);
  Duration half_life = seconds(14'400);
};

enum class Case : std::uint8_t { calm, fair_calm, flood, fair_flood };
inline constexpr std::array<std::string_view, 4> kCaseNames = {"no flood", "no flood, fair share", "flood",
                                                               "flood, fair share"};

struct FairnessRun {
  double largest = 1;     // bounded stretch of the jobs of the other users
  double mean = 1;        // of them
  double of_flood = 1;    // mean bounded stretch of the jobs of the user that floods
  double makespan = 0;    // seconds
  double cores_busy = 0;  // with jobs that had ended when the last job of the others did
};

struct FairnessOutcome {
  std::string policy;
  std::uint32_t seed = 0;
  std::optional<Decimal> load;
  std::array<FairnessRun, kCaseNames.size()> runs;  // by Case
};

struct FairnessStudy {
  FairnessOptions options;
  std::vector<FairnessOutcome> outcomes;  // by policy, load, seed
};

// On so many threads, whose number changes nothing but the time. Shows its progress on standard error.
// Errors: a policy that does not exist or cannot finish a trace.
[[nodiscard]] Result<FairnessStudy> fairness_study(const FairnessOptions& options, unsigned workers);

// The trace of five users; with the flood or without it.
[[nodiscard]] Result<Workload> flooded_trace(const DfrsOptions& trace, bool flood);

}  // namespace aliquot::fairness
