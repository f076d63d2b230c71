// `evaluate dfrs2010`: the evaluation of the DFRS paper (IPDPS 2010, IV and V) on synthetic traces.
//
// The instances are traces x loads (and each trace unscaled), on 128 nodes of 4 cores and 8 GB; trace i
// has seed `seed` + i. What is reported of it: paper_report.hpp.
#pragma once

#include "tools/sim/campaign/campaign.hpp"
#include "tools/sim/campaign/synthetic_traces.hpp"

namespace aliquot {

struct Dfrs2010Options : SyntheticTraces {
  std::vector<std::string> penalties;  // seconds
  std::vector<std::string> also;       // canonical names of policies beyond the paper's
};

[[nodiscard]] Campaign dfrs2010(const Dfrs2010Options& options);

}  // namespace aliquot
