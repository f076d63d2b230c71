// `evaluate hpc2n`: the real-world part of the DFRS paper's Table I: each week of the log an instance, by
// the paper's rules (120 dual-core nodes, 2 GB).
//
// Errors: the log cannot be read, or has no jobs.
#pragma once

#include "tools/sim/campaign/campaign.hpp"

namespace aliquot {

struct Hpc2nOptions {
  std::string workload;
  std::vector<std::string> penalties;  // seconds
  std::vector<std::string> also;
  std::uint64_t weeks = 0;  // only so many, from the first; 0: all
};

[[nodiscard]] Result<Campaign> hpc2n(const Hpc2nOptions& options);

}  // namespace aliquot
