// The JSON of a view and of a plan (docs/view.md): the files of `aliquot-sim decide` and `generate view`,
// and the lines of an `exec:` policy.
//
// The fields are those of the codec of journals (monitor/codec.hpp). In addition, text from outside gets
// limits on size and depth, defaults for fields that are left out, and check_bounds(). Whether a plan is
// lawful is checked elsewhere (monitor/record/plan_check.hpp). Units: microseconds, micro-cores, bytes,
// parts per million.
//
// Errors: the first thing wrong, with its place ("jobs[3].demand.need: ...").
#pragma once

#include <string>
#include <string_view>

#include "policies/model/error.hpp"
#include "policies/model/plan.hpp"
#include "policies/model/view.hpp"

namespace aliquot {

// One line, without a newline; parse_view reads it back to an equal view.
[[nodiscard]] std::string view_json(const ClusterView& view);
[[nodiscard]] Result<ClusterView> parse_view(std::string_view text);

[[nodiscard]] std::string plan_json(const Plan& plan);
// A plan without `memory` keeps the memory of the view.
[[nodiscard]] Result<Plan> parse_plan(std::string_view text, const ClusterView& view);

// Checks that the model can hold a view from outside: amounts within their limits, sums that cannot
// overflow, placements that name existing nodes and all tasks, jobs whose fields agree. A node may hold
// more than its capacity: the laws of a plan are not checked.

[[nodiscard]] Result<void> check_bounds(const ClusterView& view);

}  // namespace aliquot
