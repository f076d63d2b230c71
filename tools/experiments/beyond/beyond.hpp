// `evaluate beyond`: ALIQUOT against the baselines (the nine policies of the DFRS paper and the best of the
// TPDS 2012 family), and against itself with single parts turned off or with wrong action costs.
//
// The instances are traces x loads, as in `evaluate dfrs2010`; the same traces with wrong needs; and the
// weeks of HPC2N if its log is given. The default seeds are not among those that the policy was tuned on,
// 1 to 100 (docs/policy.md). The report is written by beyond_report.cpp.
//
// Errors: the log cannot be read, or has no jobs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/experiments/campaign/campaign.hpp"
#include "tools/experiments/campaign/synthetic_traces.hpp"

namespace aliquot {

inline constexpr std::uint32_t kFirstTestSeed = 5001;
inline constexpr std::uint32_t kTestTraces = 34;

struct BeyondOptions : SyntheticTraces {
  BeyondOptions() : SyntheticTraces{kFirstTestSeed, kTestTraces, 1000, {}} {}

  std::vector<std::string> penalties;  // seconds
  std::vector<std::string> also;       // canonical names of further policies
  bool wrong_needs = true;
  std::string workload;     // HPC2N's log; empty: none
  std::uint64_t weeks = 0;  // only so many, from the first; 0: all
};

[[nodiscard]] Result<Campaign> beyond(const BeyondOptions& options);

// The same workload with needs that users guessed wrongly: each job states twice or half its true need, by
// chance. A job that states twice its need holds twice the CPU for the same work. A job that states half of
// it is capped at that and takes twice as long, which counts as its time alone.
[[nodiscard]] Workload with_wrong_needs(Workload workload, std::uint32_t seed, const ClusterShape& shape);

// The policies of `evaluate beyond`, by canonical name.
inline constexpr std::string_view kAliquot = "ALIQUOT";

// The TPDS 2012 family (policies/tpds2012): the best of its authors' study, and of ours.
[[nodiscard]] const std::vector<std::string>& tpds2012_policies();
// ALIQUOT with one part turned off, or with wrong action costs.
[[nodiscard]] const std::vector<std::string>& aliquot_variants();
// The policies over which "best" is taken: the nine of DFRS 2010 and the TPDS 2012 family.
[[nodiscard]] std::vector<std::string> baselines();

}  // namespace aliquot
