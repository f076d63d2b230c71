// A generated trace with a daily and a weekly cycle: the jobs of the Lublin-Feitelson model with the CPU
// needs and the memory of the DFRS paper (tools/sim/generate), submitted by a Poisson process whose rate
// depends on the hour of the week. Work days have their peak from 9 to 18 h, nights and weekends are quiet.
//
// As many jobs are taken as make up the load over the whole weeks; their submission times are independent,
// each with the density of the rate. Load: sum(run time x tasks) / (nodes x weeks).
#pragma once

#include "tools/sim/workload.hpp"

namespace aliquot::power {

struct DiurnalOptions {
  std::uint32_t seed = 1;
  double load = 0.4;
  std::uint32_t weeks = 2;
  std::uint32_t nodes = 128;
};

// The rate of submissions in this hour of the week (0: Monday, 0 to 1 h), relative to others.
[[nodiscard]] std::int64_t hourly_rate(std::size_t hour_of_week);

// For nodes of 4 cores and 8 GB.
[[nodiscard]] Result<Workload> diurnal_workload(const DiurnalOptions& options);

}  // namespace aliquot::power
