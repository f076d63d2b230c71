#include "manager/plan_requests.hpp"

#include <algorithm>
#include <utility>

#include "manager/api/explain/plan_answers.hpp"
#include "manager/plan_saving.hpp"
#include "manager/what_if.hpp"

namespace aliquot {
namespace {

bool changes_the_nodes(const std::string& assumption) {
  return !assumption.starts_with("policy=") && !assumption.starts_with("period=");
}

SavedPlan saved(const CoreState& state, const std::string& policy, const Plan& plan,
                const PlanSituation& now) {
  return saved_plan({now.cluster, wire::iso_time(now.clock.now, now.clock), policy}, state.view,
                    plan.changes);
}

}  // namespace

Result<std::string> shown_plan(const PlanShow& request, const PlanSituation& now) {
  const CoreState& state = now.scheduler.cluster().state();
  PlanRemarks remarks{.what_if = request.what_if};
  SavedPlan to_save;
  if (request.save) remarks.saved = &to_save;
  if (request.what_if.empty()) {
    const Plan plan = now.scheduler.preview();
    if (request.save) to_save = saved(state, state.policy, plan, now);
    return plan_answer(state, now.scheduler.policy(), plan, check_plan(state.view, plan), now.clock,
                       now.sight, remarks);
  }
  if (request.save && std::ranges::any_of(request.what_if, changes_the_nodes))
    return fail(
        ErrorKind::invalid_argument,
        "a plan for other nodes than there are cannot be saved; save one without --what-if, or with "
        "policy=SPEC or period=SECONDS");
  auto supposed = suppose(state, request.what_if);
  if (!supposed) return tl::unexpected<Error>(supposed.error());
  remarks.present = &state;
  remarks.lost = std::move(supposed->lost);
  remarks.drained = std::move(supposed->drained);
  if (request.save) to_save = saved(state, supposed->policy->name(), supposed->plan, now);
  return plan_answer(supposed->state, *supposed->policy, supposed->plan, supposed->violations, now.clock,
                     now.sight, remarks);
}

OperatorCommands::Answered applied_plan(const PlanApply& request, const PlanSituation& now) {
  const CoreState& state = now.scheduler.cluster().state();
  const bool other = std::ranges::any_of(
      now.input.events, [](const Event& event) { return std::holds_alternative<PlanApplied>(event); });
  if (other && !request.dry_run)
    return fail(ErrorKind::conflict, "another plan is being carried out; make a new one");
  auto changes = changes_of(request.plan, now.cluster, state.view);
  if (!changes) return tl::unexpected<Error>(changes.error());
  const Plan plan{*changes, state.view.memory, state.wake_at};
  const std::vector<Violation> violations = check_plan(state.view, plan);
  if (!violations.empty())
    return fail(ErrorKind::conflict,
                "the plan cannot be carried out, and nothing is changed: " + violations.front().text +
                    "; make a new one with `aliquot plan --save FILE`");
  const PlanRemarks remarks{.carried_out = !request.dry_run};
  OperatorCommands::Answer applied{
      plan_answer(state, now.scheduler.policy(), plan, violations, now.clock, now.sight, remarks)};
  if (request.dry_run) return applied;
  applied.changes = true;
  applied.events.emplace_back(PlanApplied{std::move(*changes), now.uid});
  return applied;
}

}  // namespace aliquot
