// `evaluate dfrs2010`: the evaluation of the DFRS paper (IPDPS 2010, IV and V) on synthetic traces.
//
// The instances are traces x loads (and each trace unscaled), on 128 nodes of 4 cores and 8 GB; trace i
// has seed `seed` + i. What is reported of it: paper_report.hpp.
#pragma once

#include "tools/experiments/campaign/campaign.hpp"
#include "tools/experiments/campaign/synthetic_traces.hpp"

namespace aliquot {

struct Dfrs2010Options : SyntheticTraces {
  std::vector<std::string> penalties;  // seconds
  std::vector<std::string> also;       // canonical names of policies beyond the paper's
};

[[nodiscard]] Campaign dfrs2010(const Dfrs2010Options& options);

// `evaluate hpc2n`: the real-world part of the DFRS paper's Table I: each week of the log an instance, by
// the paper's rules (120 dual-core nodes, 2 GB).
//
// Errors: the log cannot be read, or has no jobs.

struct Hpc2nOptions {
  std::string workload;
  std::vector<std::string> penalties;  // seconds
  std::vector<std::string> also;
  std::uint64_t weeks = 0;  // only so many, from the first; 0: all
};

[[nodiscard]] Result<Campaign> hpc2n(const Hpc2nOptions& options);

}  // namespace aliquot
