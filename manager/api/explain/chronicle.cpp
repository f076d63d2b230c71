#include "manager/api/explain/chronicle.hpp"

#include <algorithm>
#include <cstdio>

#include "manager/api/explain/cause_words.hpp"
#include "manager/api/explain/chronicle_step.hpp"
#include "monitor/codec_words.hpp"

namespace aliquot {
namespace {

constexpr std::size_t kMostExplained = 64;  // explanations in a step
// An explanation may cost as much as a decision, so a step on a large cluster asks for a few only.
constexpr std::size_t kExplainWork = 4'000'000;   // explanations times the square of jobs and nodes
constexpr std::size_t kMostUnadopted = 100;       // entries for one plan that is not carried out
constexpr std::size_t kMostViolationsQuoted = 3;  // of a refused plan

Standing standing_of(const Job& job, const Change& change) {
  if (change.placement.empty())
    return {job.phase == Phase::waiting ? Phase::waiting : Phase::paused, {}, {}};
  return {Phase::running, change.yield, change.placement};
}

bool placed(const Standing& standing) { return standing.phase == Phase::running; }

// Did some node get further tasks of the job? (Tasks that end only leave nodes.)
bool gained_a_place(const Placement& before, const Placement& after) {
  return std::any_of(after.begin(), after.end(), [&](const Share& share) {
    const auto same = std::find_if(before.begin(), before.end(),
                                   [&](const Share& other) { return other.node == share.node; });
    return same == before.end() || same->units < share.units;
  });
}

Turn turn_of(const Standing& before, const Standing& after, bool decided) {
  if (!placed(after)) return decided ? Turn::pause : Turn::lost;
  if (!placed(before)) return before.phase == Phase::waiting ? Turn::start : Turn::resume;
  return gained_a_place(before.placement, after.placement) ? Turn::move : Turn::cap;
}

std::optional<JobId> job_of(const Event& event) {
  return std::visit(
      [](const auto& e) -> std::optional<JobId> {
        if constexpr (requires { e.job; })
          return e.job;
        else
          return std::nullopt;
      },
      event);
}

// "12.3 s"
std::string seconds_text(Duration duration) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f s", to_seconds(duration));
  return text;
}

bool concerns_all(const Event& event) {
  return std::holds_alternative<NodeChanged>(event) || std::holds_alternative<NodeFenced>(event) ||
         std::holds_alternative<ServiceChanged>(event) || std::holds_alternative<Restarted>(event) ||
         std::holds_alternative<Configured>(event) || std::holds_alternative<OthersChanged>(event) ||
         std::holds_alternative<WeightsChanged>(event) || std::holds_alternative<AccountsChanged>(event) ||
         std::holds_alternative<CoreHoursServed>(event);
}

// All jobs on a node may have been slowed for another.
bool may_slow(const Event& event) {
  return std::holds_alternative<NeedChanged>(event) || std::holds_alternative<NeedLearned>(event) ||
         std::holds_alternative<TasksAdded>(event) || std::holds_alternative<MemoryLearned>(event);
}

}  // namespace

std::set<JobId> affected_jobs(const Step& step, const CoreState& state) {
  std::set<JobId> affected;
  bool all = false, all_placed = false;
  for (const Event& event : step.events) {
    if (const auto job = job_of(event)) affected.insert(*job);
    all = all || concerns_all(event);
    all_placed = all_placed || may_slow(event);
  }
  if (all || all_placed)
    for (const auto& [id, job] : state.view.jobs)
      if (all || !job.placement.empty()) affected.insert(id);
  if (step.decision && step.decision->adopted)
    for (const Change& change : step.decision->plan.changes) affected.insert(change.job);
  return affected;
}

Chronicle::Chronicle(const CoreState& state) {
  for (const auto& [id, job] : state.view.jobs) {
    known_[id].standing = standing_of(job);
    if (job.phase != Phase::running) unexplained_.insert(id);
  }
  for (const auto& [id, its] : state.checkpoints)
    if (!its.kept.empty())
      known_[id].checkpoint = its.kept.back().number, known_[id].rollbacks = its.rollbacks;
  for (const auto& [id, record] : state.records) known_[id].reruns = record.reruns;
  for (const auto& [id, record] : state.records)
    for (const Vm& vm : record.vms)
      if (vm.flight) issued_[vm.flight->op] = {id, vm.flight->kind, ++issued_[vm.flight->op].open};
}

std::vector<ChronicleEntry> Chronicle::note(const Step& step, const CoreState& state,
                                            const Policy& policy) {
  const std::size_t size = state.view.jobs.size() + state.view.nodes.size() + 1;
  const auto explanations = std::clamp<std::size_t>(kExplainWork / (size * size), 1, kMostExplained);
  Now now{step, state, policy, explanations, cause_words(step, state.view)};
  const std::set<JobId> affected = affected_jobs(step, state);
  if (now.adopted()) {
    for (const Change& change : now.decision()->plan.changes) {
      const auto known = known_.find(change.job);
      const bool stood = known != known_.end() && placed(known->second.standing);
      if (change.placement.empty()) continue;
      if (!stood)
        now.placed.push_back(change.job);
      else if (change.yield > known->second.standing.yield)
        now.raised.push_back(change.job);
    }
  } else if (now.decision() != nullptr) {
    note_unadopted(now);
  }
  note_sizes(now);
  note_failures(now);
  note_foreign(now);
  note_needs(now);
  for (const JobId job : affected) {
    note_rerun(now, job);
    note_change(now, job);
    note_checkpoint(now, job);
  }
  note_waits(now);
  note_ends(now);
  remember_actions(step);
  return std::move(now.entries);
}

void Chronicle::note_rerun(Now& now, JobId id) {
  const auto found = now.state.records.find(id);
  if (found == now.state.records.end()) return;
  const JobRecord& record = found->second;
  Known& known = known_[id];
  if (std::exchange(known.reruns, record.reruns) >= record.reruns) return;
  ChronicleEntry entry;
  entry.job = id;
  entry.turn = Turn::rerun;
  entry.cause = record.note;
  entry.before = std::exchange(known.standing, {});
  entry.text = rerun_words(record);
  known.waits_for.reset();
  now.entries.push_back(std::move(entry));
}

void Chronicle::note_change(Now& now, JobId id) {
  const auto found = now.state.view.jobs.find(id);
  if (found == now.state.view.jobs.end())
    return;  // it is ending: its end is recorded when its VMs are gone
  const Job& job = found->second;
  Known& known = known_[id];
  const Standing before = std::exchange(known.standing, standing_of(job));
  const Standing& after = known.standing;
  if (!placed(after)) {
    unexplained_.insert(id);
  } else {
    unexplained_.erase(id);
    known.waits_for.reset();
  }
  if (before == after) return;
  const bool decided = now.changed(id);
  const bool only_shrank = placed(before) && placed(after) &&
                           !gained_a_place(before.placement, after.placement) &&
                           before.yield == after.yield;
  if (only_shrank && !decided) return;  // some of its tasks ended, which has an event of its own
  ChronicleEntry entry;
  entry.job = id;
  entry.turn = turn_of(before, after, decided);
  if (decided) known.decision = entry.decision = now.step.number;
  entry.cause = decided ? now.cause : event_words(now.step, now.state.view, id);
  const bool loses = !placed(after) || after.yield < before.yield || entry.turn == Turn::move;
  if (decided && placed(before) && loses) entry.for_jobs = now.beneficiaries(id);
  if (!placed(after)) {
    if (now.explanations > 0) {
      // The policy's explanation; "in flight" would only repeat that its VMs are being saved.
      const Explanation why = now.policy.explain(now.state.view, id);
      known.waits_for = entry.reason = why.reason;
      entry.text = why.text;
      unexplained_.erase(id);
      --now.explanations;
    } else {
      known.waits_for.reset();
    }
  }
  entry.before = before;
  entry.after = after;
  now.entries.push_back(std::move(entry));
}

void Chronicle::note_checkpoint(Now& now, JobId id) {
  const auto its = now.state.checkpoints.find(id);
  if (its == now.state.checkpoints.end() || its->second.kept.empty()) return;
  const CheckpointMark& newest = its->second.kept.back();
  Known& known = known_[id];
  const bool is_new = std::exchange(known.checkpoint, newest.number) < newest.number;
  const bool went_back = std::exchange(known.rollbacks, its->second.rollbacks) < its->second.rollbacks;
  if (!is_new && !went_back) return;
  const std::string which = "checkpoint " + std::to_string(newest.number);
  const std::string holds =
      seconds_text({static_cast<std::int64_t>(newest.progress.raw / kMillion)}) + " of served time";
  ChronicleEntry entry;
  entry.job = id;
  entry.turn = went_back ? Turn::rollback : Turn::checkpoint;
  entry.before = entry.after = known.standing;
  if (went_back) {
    entry.cause = event_words(now.step, now.state.view, id);
    entry.text = "goes on from " + which + ", made " + seconds_text(now.state.view.now - newest.at) +
                 " ago after " + holds;
  } else {
    entry.cause = "the VMs stood still for " + seconds_text(its->second.last_pause);
    entry.text = which + " holds " + holds;
  }
  now.entries.push_back(std::move(entry));
}

// Jobs without a recorded reason come first; then, after a decision, the other waiting jobs in turn.
void Chronicle::note_waits(Now& now) {
  std::size_t& left = now.explanations;
  while (left > 0 && !unexplained_.empty()) {
    look_at_wait(now, unexplained_.extract(unexplained_.begin()).value());
    --left;
  }
  if (now.decision() == nullptr) return;
  auto next = known_.lower_bound(next_looked_at_);
  for (std::size_t passed = 0; left > 0 && passed < std::min<std::size_t>(known_.size(), 1000); ++passed) {
    if (next == known_.end()) next = known_.begin();
    if (!placed(next->second.standing)) {
      look_at_wait(now, next->first);
      --left;
    }
    ++next;
  }
  next_looked_at_ = next == known_.end() ? JobId{} : next->first;
}

void Chronicle::look_at_wait(Now& now, JobId job) {
  if (!now.state.view.jobs.contains(job)) return;
  const auto why = explain_job(now.state, now.policy, job, now.refused);
  Known& known = known_[job];
  if (!why || why->reason == Reason::in_flight || known.waits_for == why->reason) return;
  known.waits_for = why->reason;
  ChronicleEntry entry;
  entry.job = job;
  entry.turn = Turn::wait;
  if (now.decision() != nullptr) entry.decision = now.step.number;
  if (now.decision() == nullptr) entry.cause = event_words(now.step, now.state.view, job);
  if (entry.cause.empty())
    entry.cause = now.cause;  // the reason changed earlier, and its turn came only now
  entry.before = entry.after = known.standing;
  entry.reason = why->reason;
  entry.text = why->text;
  now.entries.push_back(std::move(entry));
}

void Chronicle::note_ends(Now& now) {
  for (const JobOutcome& outcome : now.step.ended) {
    const auto known = known_.find(outcome.job);
    ChronicleEntry entry;
    entry.job = outcome.job;
    entry.turn = Turn::ended;
    if (known != known_.end()) {
      entry.decision = known->second.decision;
      entry.before = known->second.standing;
      known_.erase(known);
    }
    moved_.erase(outcome.job);
    entry.cause = outcome.note.empty() ? "its tasks are done" : outcome.note;
    entry.text = std::string(word(outcome.result));
    unexplained_.erase(outcome.job);
    now.entries.push_back(std::move(entry));
  }
  if (now.step.ended.empty()) return;
  std::erase_if(issued_,
                [&](const auto& issued) { return !now.state.records.contains(issued.second.job); });
}

void Chronicle::remember_actions(const Step& step) {
  for (const Action& action : step.actions)
    issued_[head(action).op] = {head(action).job, kind(action), head(action).tasks.count};
}

// The changes of a plan that was refused or only shown. Each is recorded once, not again at every period.
void Chronicle::note_unadopted(Now& now) {
  const Decision& decision = *now.decision();
  const bool refused = !decision.violations.empty();
  std::string text;
  for (std::size_t i = 0; i < std::min(decision.violations.size(), kMostViolationsQuoted); ++i) {
    const Violation& broken = decision.violations[i];
    text += (i == 0 ? "" : "; ") + std::string(name(broken.law)) + ": " + broken.text;
  }
  if (refused) {
    now.refused = text;
    ChronicleEntry whole;
    whole.turn = Turn::refused;
    whole.decision = now.step.number;
    whole.cause = now.cause;
    whole.text = text;
    now.entries.push_back(std::move(whole));
  }
  for (const Change& change : decision.plan.changes) {
    const auto job = now.state.view.jobs.find(change.job);
    if (job == now.state.view.jobs.end()) continue;
    const Standing planned = standing_of(job->second, change);
    Known& known = known_[change.job];
    if (known.unadopted == planned) continue;
    if (now.entries.size() >= kMostUnadopted) break;
    known.unadopted = planned;
    ChronicleEntry entry;
    entry.job = change.job;
    entry.turn = refused ? Turn::refused : Turn::advised;
    entry.decision = now.step.number;
    entry.cause = now.cause;
    entry.before = standing_of(job->second);
    entry.after = planned;
    entry.text = text;
    now.entries.push_back(std::move(entry));
  }
}

}  // namespace aliquot
