// `evaluate beyond`: ALIQUOT against the field: the nine of the DFRS paper, the TPDS 2012 family, the same
// with parts of ALIQUOT turned off, with needs that are wrong, and with a wrong belief in what an action
// costs.
//
// The instances are traces x loads, as in `evaluate dfrs2010`; the same traces with wrong needs; and, where
// the log is given, the weeks of HPC2N. Seeds up to 100 were used while the policy was made; the default
// ones were not (docs/policy.md). What is reported of it: beyond_report.cpp.
//
// Errors: the log cannot be read, or has no jobs.
#pragma once

#include "tools/sim/campaign/campaign.hpp"
#include "tools/sim/campaign/synthetic_traces.hpp"

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

// The workload as users would have it who do not know it: the need of every job is twice or half what it
// is, by chance. Who asks for twice as much holds twice the CPU for the same work; who asks for half takes
// twice as long, for a cap is a cap: that is counted as its time alone.
[[nodiscard]] Workload with_wrong_needs(Workload workload, std::uint32_t seed, const ClusterShape& shape);

}  // namespace aliquot
