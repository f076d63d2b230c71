// One run of the study: a trace of moldable jobs under one rule.
#pragma once

#include "tools/experiments/moldable/study.hpp"
#include "tools/sim/workload.hpp"

namespace aliquot::moldable {

// `seed`: of the speed-up models; the same models for every rule. Errors: the policy, a run that cannot be
// finished, a plan that broke a law.
[[nodiscard]] Result<RuleOutcome> molded_run(const Workload& workload, const ClusterShape& shape,
                                             const StudyRule& rule, const MoldableOptions& options,
                                             std::uint64_t seed);

}  // namespace aliquot::moldable
