#include "manager/core/scheduler.hpp"

#include <algorithm>
#include <utility>

#include "manager/core/maintenance_windows.hpp"
#include "manager/core/recorded.hpp"

namespace aliquot {
namespace {

// After plan_check has refused a plan, the policy is asked again at the latest after this time.
constexpr Duration kRetryRefused = seconds(30);

struct JobOf {
  template <class E>
  JobId operator()(const E& event) const {
    if constexpr (requires { event.job; })
      return event.job;
    else
      return {};
  }
};

// Sorts by kind, as the Event variant lists them, then by job: what frees capacity comes first. `spare`
// is memory that is used again.
void sort_events(std::vector<Event>& events, std::vector<Event>& spare) {
  struct Place {
    std::size_t kind;
    JobId job;
    std::uint32_t at;  // those of one kind and job stay in their order
    auto operator<=>(const Place&) const = default;
  };
  if (events.size() < 2) return;
  // Events are large, so their places are sorted, and each event is moved once.
  std::vector<Place> order;
  order.reserve(events.size());
  for (const Event& event : events)
    order.push_back({event.index(), std::visit(JobOf{}, event), static_cast<std::uint32_t>(order.size())});
  if (std::ranges::is_sorted(order)) return;
  std::ranges::sort(order);
  spare.reserve(events.size());
  for (const Place& place : order) spare.push_back(std::move(events[place.at]));
  std::swap(events, spare);
  spare.clear();
}

const PlanApplied* applied_plan(const std::vector<Event>& events) {
  for (const Event& event : events)
    if (const auto* applied = std::get_if<PlanApplied>(&event)) return applied;
  return nullptr;
}

bool calls_for_decision(const Cause& cause) {
  return !cause.arrived.empty() || cause.completed || cause.tick || cause.woken || cause.disturbed;
}

}  // namespace

Scheduler::Scheduler(Cluster cluster, std::unique_ptr<Policy> policy, Stopwatch stopwatch)
    : cluster_(std::move(cluster)), stopwatch_(std::move(stopwatch)) {
  use(std::move(policy));
  cluster_.name_policy(policy_name_);
  follow_ticks();
}

Step Scheduler::round(Instant now, std::vector<Event> events, const RunReading& run) {
  cluster_.advance(now);
  add_due_timers(events);
  sort_events(events, spare_events_);
  apply(events);
  grow(events);
  make_members(events);
  Step step;
  step.number = cluster_.state().steps + 1;
  step.now = cluster_.view().now;
  step.events = std::move(events);
  if (const PlanApplied* applied = applied_plan(step.events))
    take_plan(*applied, step.decision.emplace());
  else if (cluster_.state().mode != Mode::off && calls_for_decision(cluster_.view().cause))
    decide(step.decision.emplace(), run);
  step.actions = diff(cluster_, diff_storage_);
  cluster_.issue(step.actions);
  step.ended = cluster_.take_ended();
  cluster_.count_step();
  return step;
}

void Scheduler::reuse(std::vector<Action> actions) {
  actions.clear();
  std::vector<Action>& spare = diff_storage_.actions;
  if (actions.capacity() > spare.capacity()) spare = std::move(actions);
}

Result<void> Scheduler::replay(const Step& step) {
  if (auto sound = check_recorded(step.events); !sound) return sound;
  cluster_.advance(step.now);
  apply(step.events);
  if (step.decision) {
    if (step.decision->adopted) {
      if (auto sound = check_recorded(step.decision->plan, cluster_); !sound) return sound;
      cluster_.adopt(*step.decision);
    } else if (!step.decision->violations.empty() && !applied_plan(step.events)) {
      cluster_.wake_at(step.now + kRetryRefused);
    }
    if (!applied_plan(step.events)) cluster_.take_cause();
  }
  if (auto sound = check_recorded(step.actions, cluster_); !sound) return sound;
  cluster_.issue(step.actions);
  (void)cluster_.take_ended();
  cluster_.count_step();
  return {};
}

void Scheduler::add_due_timers(std::vector<Event>& events) const {
  const ClusterView& view = cluster_.view();
  if (cluster_.next_timer() <= view.now) events.emplace_back(TimerExpired{});
  for (TasksChanged& due : cluster_.due_changes()) events.emplace_back(std::move(due));
  for (Event& due : due_maintenance(cluster_.state())) events.emplace_back(std::move(due));
  if (cluster_.state().wake_at && *cluster_.state().wake_at <= view.now) events.emplace_back(Woken{});
  // While there are no jobs, ticks that are missed are not made up for.
  if (view.next_tick && *view.next_tick <= view.now && (*view.next_tick == view.now || !view.jobs.empty()))
    events.emplace_back(Tick{});
}

void Scheduler::apply(const std::vector<Event>& events) {
  cluster_.apply(events);
  for (const Event& event : events) {
    const auto* changed = std::get_if<PolicyChanged>(&event);
    if (!changed) continue;
    // The API has parsed the spec before it made an event of it.
    if (auto policy = make_policy(changed->spec)) use(std::move(*policy));
    cluster_.set_ticks(cluster_.view().now, std::nullopt);
  }
  follow_ticks();
}

// Jobs that wait for room for more tasks get it before the policy is asked, and each of them is an event:
// a replay does not look for room again.
void Scheduler::grow(std::vector<Event>& events) {
  while (const std::optional<TasksAdded> added = cluster_.next_growth(policy_->shares_cpu())) {
    events.emplace_back(*added);
    cluster_.apply(events.back());
  }
}

// Likewise the members of arrays: after all that may end some, before the policy is asked.
void Scheduler::make_members(std::vector<Event>& events) {
  const std::size_t before = events.size();
  for (Submitted& member : cluster_.due_members()) events.emplace_back(std::move(member));
  if (events.size() > before) cluster_.apply(std::span(events).subspan(before));
}

void Scheduler::use(std::unique_ptr<Policy> policy) {
  policy_ = std::move(policy);
  policy_name_ = policy_->name();
  period_ = policy_->period();
}

// The next multiple of the period after now, counted from the base.
void Scheduler::follow_ticks() {
  const Instant now = cluster_.view().now;
  const Instant base = cluster_.state().tick_base;
  const std::optional<Instant>& next = cluster_.view().next_tick;
  if (!period_) {
    if (next) cluster_.set_ticks(base, std::nullopt);
    return;
  }
  const std::int64_t past = (now - base).raw / period_->raw;
  cluster_.set_ticks(base, base + *period_ * (past + 1));
}

void Scheduler::decide(Decision& decision, const RunReading& run) {
  decision.policy = policy_name_;
  const auto ask = [&] {
    const std::int64_t started = stopwatch_ ? stopwatch_() : 0;
    decision.plan = policy_->decide(cluster_.view());
    decision.nanoseconds = stopwatch_ ? stopwatch_() - started : 0;
    decision.violations = check_plan(cluster_.view(), decision.plan);
  };
  run ? run(ask) : ask();
  decision.adopted = decision.violations.empty() && cluster_.state().mode == Mode::automatic;
  const PolicyMemory memory = std::exchange(decision.plan.memory, {});
  if (decision.adopted) {
    decision.memory = memory_change(cluster_.view().memory, memory);
    cluster_.adopt(decision);
  } else if (!decision.violations.empty()) {
    cluster_.wake_at(cluster_.view().now + kRetryRefused);
  }
  decision.cause = cluster_.take_cause();
}

// The policy is not asked in this step: what happened stays for its next decision, which is due at once.
void Scheduler::take_plan(const PlanApplied& applied, Decision& decision) {
  const ClusterView& view = cluster_.view();
  decision.policy = kByOperator;
  decision.plan = {applied.changes, {}, cluster_.state().wake_at};
  decision.violations = check_plan(view, decision.plan);
  decision.adopted = decision.violations.empty();
  if (decision.adopted) cluster_.adopt(decision);
}

Instant Scheduler::next_due() const {
  if (cluster_.state().mode != Mode::off && calls_for_decision(cluster_.view().cause))
    return cluster_.view().now;
  Instant next = cluster_.next_timer();
  if (cluster_.state().wake_at) next = std::min(next, *cluster_.state().wake_at);
  const ClusterView& view = cluster_.view();
  if (view.next_tick && !view.jobs.empty()) next = std::min(next, *view.next_tick);
  return next;
}

Plan Scheduler::preview() const {
  ClusterView view = cluster_.view();
  view.cause = {};
  view.cause.tick = policy_->period().has_value();
  view.cause.disturbed = true;
  for (const auto& [id, job] : view.jobs)
    if (job.phase == Phase::waiting && !job.held) view.cause.arrived.push_back(id);
  return policy_->decide(view);
}

}  // namespace aliquot
