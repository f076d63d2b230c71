// What a policy sees and what it answers, as JSON for people and for other programs: the files of
// `aliquot-sim decide` and `generate view`, the lines of an `exec:` policy. docs/view.md tells the fields.
//
// The fields are the codec's own (monitor/codec.hpp: exact, strict), so that a view in a journal reads as
// one here. On top of it comes what text from outside needs: bounds on size and depth, defaults for what
// goes without saying, and checks after which no sum of the model can overflow. Whether a plan is lawful is
// model/plan_check's business. Units: microseconds, micro-cores, bytes, parts per million.
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
// `memory` may be left out: then the policy is handed next time what it was handed now.
[[nodiscard]] Result<Plan> parse_plan(std::string_view text, const ClusterView& view);

}  // namespace aliquot
