#include "tools/sim/metrics/job_events.hpp"

#include <algorithm>

#include "policies/evolving/places.hpp"

namespace aliquot {
namespace {

struct CauseOf {
  const char* operator()(const Submitted&) const { return "submission"; }
  const char* operator()(const TaskEnded&) const { return "completion"; }
  const char* operator()(const Cancelled&) const { return "cancel"; }
  const char* operator()(const Tick&) const { return "tick"; }
  const char* operator()(const Woken&) const { return "wake-up"; }
  const char* operator()(const NodeChanged&) const { return "node"; }
  const char* operator()(const Configured&) const { return "node"; }
  const char* operator()(const HoldChanged&) const { return "hold"; }
  const char* operator()(const NeedChanged&) const { return "need"; }
  const char* operator()(const NeedLearned&) const { return "need"; }
  const char* operator()(const MemoryLearned&) const { return "memory"; }
  const char* operator()(const WeightsChanged&) const { return "weights"; }
  const char* operator()(const AccountsChanged&) const { return "accounts"; }
  const char* operator()(const CoreHoursServed&) const { return "accounts"; }
  const char* operator()(const TasksChanged&) const { return "tasks"; }
  const char* operator()(const TasksAdded&) const { return "tasks"; }
  const char* operator()(const PolicyChanged&) const { return "policy"; }
  const char* operator()(const ModeChanged&) const { return "policy"; }
  const char* operator()(const PlanApplied&) const { return "operator"; }
  const char* operator()(const Outcome& outcome) const { return outcome.error ? "failure" : ""; }
  template <class Other>
  const char* operator()(const Other&) const {
    return "";
  }
};

// The causes of the step, each once: "completion+submission".
std::string cause_of(const Step& step) {
  std::string text;
  const char* last = "";
  for (const Event& event : step.events) {  // sorted by kind: equal causes are adjacent
    const char* word = std::visit(CauseOf{}, event);
    if (*word == 0 || word == last) continue;
    if (!text.empty()) text += '+';
    text += last = word;
  }
  return text;
}

JobId job_of(const Event& event) {
  return std::visit(
      [](const auto& e) {
        if constexpr (requires { e.job; }) return e.job;
        return JobId{};
      },
      event);
}

bool by_the_nodes(const Event& event) {
  return std::holds_alternative<NodeChanged>(event) || std::holds_alternative<Configured>(event);
}

bool changes_sizes(const Event& event) {
  return std::holds_alternative<TasksAdded>(event) || std::holds_alternative<TaskEnded>(event);
}

// Some tasks are gone, and none has moved.
bool is_less(const Placement& now, const Placement& before) {
  const auto was_there = [&](const Share& share) {
    const auto at = std::ranges::lower_bound(before, share.node, {}, &Share::node);
    return at != before.end() && at->node == share.node && at->units >= share.units;
  };
  return now != before && std::ranges::all_of(now, was_there);
}

const char* word(JobResult result) {
  constexpr const char* words[] = {"completed", "failed", "cancelled", "timed-out"};
  return words[static_cast<std::size_t>(result)];
}

}  // namespace

void JobEvents::on_step(const Step& step, const ClusterView& after) {
  if (step.now != now_) hand_on_instant();
  now_ = step.now;
  ++step_;
  const std::string cause = cause_of(step);
  for (const Event& event : step.events) {
    const auto* submitted = std::get_if<Submitted>(&event);
    if (!submitted) continue;
    jobs_[submitted->job.raw] = {};
    add(submitted->job, "submitted", "");
  }
  for (const Event& event : step.events)
    if (const auto* added = std::get_if<TasksAdded>(&event)) take_growth(*added);
  if (step.decision && step.decision->adopted)
    for (const Change& change : step.decision->plan.changes) take_change(change, cause);
  if (std::ranges::any_of(step.events, by_the_nodes)) follow_placements(after, "node");
  if (std::ranges::any_of(step.events, changes_sizes)) follow_placements(after, "tasks");
  for (const Event& event : step.events) follow(job_of(event), after, cause);
  if (step.decision)
    for (const Change& change : step.decision->plan.changes) follow(change.job, after, cause);
  for (const JobOutcome& outcome : step.ended) {
    const auto known = jobs_.find(outcome.job.raw);
    if (known == jobs_.end()) continue;
    known->second.placement.clear();
    known->second.devices.clear();
    known->second.yield = known->second.rate = {};
    known->second.stalled_until = {};
    add(outcome.job, "ended", word(outcome.result));
    jobs_.erase(known);
  }
}

void JobEvents::add(JobId job, const char* what, const std::string& cause) {
  Known& known = jobs_[job.raw];
  known.row = rows_.size();
  known.row_batch = batch_;
  rows_.push_back({job, what, known.placement, known.yield, known.rate,
                   std::max(Duration{}, known.stalled_until - now_), cause, known.devices});
}

// Before the policy was asked. What others give up for it is in the state after the step.
void JobEvents::take_growth(const TasksAdded& added) {
  const auto found = jobs_.find(added.job.raw);
  if (found == jobs_.end()) return;
  Known& known = found->second;
  known.grew_from = known.placement;
  known.grew_in = step_;
  for (const Share& share : added.more) evolving::put_on(known.placement, share);
  add(added.job, "grown", "tasks");
}

void JobEvents::take_change(const Change& change, const std::string& cause) {
  Known& known = jobs_[change.job.raw];
  const bool stands = !known.placement.empty();
  const bool moves = known.placement != change.placement;
  const bool has_grown = known.grew_in == step_ && stands;
  const char* what = nullptr;
  if (change.placement.empty()) {
    if (stands) what = known.has_run ? "paused" : "withdrawn";
  } else if (!stands) {
    what = known.has_run ? "resumed" : "started";
  } else if (moves && has_grown) {  // the new tasks have no VMs yet: one row tells both
    JobEvent& row = rows_[known.row];
    row.what = is_less(known.grew_from, change.placement) ? "grown" : "moved";
    row.placement = change.placement;
    row.yield = change.yield;
  } else if (moves) {
    what = !known.has_run ? "started" : is_less(change.placement, known.placement) ? "shrunk" : "moved";
  } else if (known.yield != change.yield) {
    what = "yield";
  }
  known.placement = change.placement;
  known.devices = change.devices;
  known.yield = change.yield;
  if (what) add(change.job, what, cause);
}

// What changed without a plan: a node failed, or the manager took tasks off it; a job has shrunk, or others
// are slower since it has grown.
void JobEvents::follow_placements(const ClusterView& view, const char* cause) {
  for (const auto& [id, job] : view.jobs) {
    Known& known = jobs_[id.raw];
    const bool stays = known.placement == job.placement;
    if (stays && known.yield == job.yield) continue;
    const char* what = "yield";
    if (!stays && job.placement.empty())
      what = known.has_run ? "paused" : "withdrawn";
    else if (!stays)
      what = is_less(job.placement, known.placement) ? "shrunk" : "moved";
    known.placement = job.placement;
    known.devices = job.devices;
    known.yield = job.yield;
    add(id, what, cause);
  }
}

void JobEvents::follow(JobId id, const ClusterView& view, const std::string& cause) {
  const auto job = view.jobs.find(id);
  if (job == view.jobs.end()) return;
  Known& known = jobs_[id.raw];
  const Progress& progress = job->second.progress;
  const Instant stalled_until = progress.stalled_until > now_ ? progress.stalled_until : Instant{};
  if (known.rate == progress.rate && known.stalled_until == stalled_until) return;
  const bool only_over = known.rate == progress.rate && stalled_until == Instant{};
  known.rate = progress.rate;
  known.stalled_until = stalled_until;
  known.has_run = known.has_run || progress.rate.raw > 0;
  if (only_over) return;  // its stall ended when the last row said
  if (known.row_batch != batch_) return add(id, "rate", cause);
  rows_[known.row].rate = known.rate;
  rows_[known.row].stall = std::max(Duration{}, stalled_until - now_);
}

void JobEvents::hand_on_instant() {
  // All rows of a job in this instant have its rate and stall after the instant.
  std::unordered_map<std::uint64_t, const JobEvent*> last;
  for (std::size_t i = rows_.size(); i-- > 0;) {
    const auto [newest, fresh] = last.try_emplace(rows_[i].job.raw, &rows_[i]);
    if (fresh || rows_[i].placement.empty()) continue;
    rows_[i].rate = newest->second->rate;
    rows_[i].stall = newest->second->stall;
  }
  if (!rows_.empty())
    for (const Reader& reader : readers_) reader(now_, rows_);
  rows_.clear();
  ++batch_;
}

}  // namespace aliquot
