// Simulates one cell: the function of a campaign that does the work. Called by many threads at once; it
// shares nothing. Not the command `run`, which speaks and writes.
//
// Errors: the workload cannot be finished under the policy; a plan broke a law; the model hypervisor
// objected to an action. Such a cell has no figures.
#pragma once

#include <memory>

#include "manager/hypervisor/model_options.hpp"
#include "policies/policy.hpp"
#include "tools/sim/campaign/cell.hpp"
#include "tools/sim/workload.hpp"

namespace aliquot {

// Fills in all but the key; `penalty` in seconds.
[[nodiscard]] Result<Cell> run_cell(const Workload& workload, const ClusterShape& shape,
                                    const std::string& policy, const std::string& penalty);
// The same of a policy that is there already, at whatever actions cost.
[[nodiscard]] Result<Cell> simulate_cell(const Workload& workload, const ClusterShape& shape,
                                         std::unique_ptr<Policy> policy, const ModelOptions& model);

}  // namespace aliquot
