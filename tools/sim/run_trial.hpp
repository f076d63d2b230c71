// Simulates one trial: a workload under a policy at a penalty, reduced to its figures. `compare` and the
// campaigns do this; `run`, which prints and writes files, does not. Safe to call from several threads: a
// call shares nothing.
//
// Errors: no such policy; the workload cannot be finished under it; an exec: program failed; a plan broke a
// law; the model hypervisor objected to an action. Such a trial has no figures.
#pragma once

#include <memory>
#include <string_view>

#include "manager/hypervisor/model/model_options.hpp"
#include "policies/policy.hpp"
#include "tools/sim/trial.hpp"
#include "tools/sim/workload.hpp"

namespace aliquot {

// In the place of a policy: the offline lower bound (tools/sim/bound). Its only figure is the max stretch.
inline constexpr std::string_view kLowerBound = "LOWER-BOUND";

// `policy`: all that --policy may name, or kLowerBound; `penalty` in seconds. Only key.policy is filled in.
[[nodiscard]] Result<Trial> run_trial(const Workload& workload, const ClusterShape& shape,
                                      const std::string& policy, const std::string& penalty);
[[nodiscard]] Result<Trial> run_trial(const Workload& workload, const ClusterShape& shape,
                                      const std::string& policy, const ModelOptions& model);

}  // namespace aliquot
