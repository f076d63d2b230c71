// The limits of a workload. Beyond them an integer of the model could overflow, or the memory be exhausted.
#pragma once

#include <cstdint>

#include "tools/sim/decimal.hpp"

namespace aliquot {

inline constexpr std::uint64_t kMostUnpacked = std::uint64_t{4}
                                               << 30;  // bytes after unpacking: stops a gzip bomb
inline constexpr std::uint64_t kMostJobs = 10'000'000;
inline constexpr std::uint64_t kMostTasks = 100'000;  // of one job
inline constexpr std::uint64_t kLargestJobId = 1'000'000'000'000'000;
inline constexpr Decimal kLatestSubmit{kPico * 10'000'000'000};   // seconds: 317 years
inline constexpr Decimal kLongestRuntime{kPico * 1'000'000'000};  // seconds: 31 years
inline constexpr std::uint64_t kMostNodes = 1'000'000;
inline constexpr std::uint64_t kMostCores = 4'096;        // of one node
inline constexpr Decimal kMostMemory{kPico * 1'000'000};  // GB of one node

}  // namespace aliquot
