// Bounds what a running VM writes into the spool: its console, the channel for its exit
// status, and the port for its result files. The
// guests of the project keep to the bounds; another kernel need not.
#pragma once

#include <optional>
#include <string>

#include "manager/hypervisor/spool.hpp"
#include "policies/model/id.hpp"
#include "policies/model/units.hpp"

namespace aliquot {

// The guest writes less than 100 bytes there.
inline constexpr Memory kMostStatus{64 << 10};

struct RunningTask {
  JobId job;
  std::uint32_t task = 0;
  std::uint32_t incarnation = 0;  // of its VM
  Memory most_results{};          // it may send; 0: it has no port for them
};

// Which bound this task exceeds, in words for its user; none if it keeps to them. Asks the storage.
[[nodiscard]] std::optional<std::string> excessive_output(const Spool& spool, const RunningTask& running,
                                                          Memory max_output);

}  // namespace aliquot
