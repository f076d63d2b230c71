#include "manager/api/chronicle.hpp"

#include <algorithm>

#include "manager/api/cause_words.hpp"
#include "manager/api/chronicle_step.hpp"
#include "manager/api/touched_jobs.hpp"
#include "monitor/codec_words.hpp"

namespace aliquot {
namespace {

constexpr std::size_t kMostExplained = 64;  // in a step
// An explanation may cost as much as a decision: on a large cluster only a few are asked for in a step.
constexpr std::size_t kExplainWork = 4'000'000;  // explanations times the square of jobs and nodes

Turn turn_of(const Standing& before, const Standing& after, bool decided) {
  if (!placed(after)) return decided ? Turn::pause : Turn::lost;
  if (!placed(before)) return before.phase == Phase::waiting ? Turn::start : Turn::resume;
  return gained_a_place(before.placement, after.placement) ? Turn::move : Turn::cap;
}

}  // namespace

Chronicle::Chronicle(const CoreState& state) {
  for (const auto& [id, job] : state.view.jobs) {
    known_[id].standing = standing_of(job);
    if (job.phase != Phase::running) unexplained_.insert(id);
  }
  for (const auto& [id, record] : state.records)
    for (const Vm& vm : record.vms)
      if (vm.flight) issued_[vm.flight->op] = {id, vm.flight->kind, ++issued_[vm.flight->op].open};
}

std::vector<ChronicleEntry> Chronicle::note(const Step& step, const CoreState& state,
                                            const Policy& policy) {
  const std::size_t size = state.view.jobs.size() + state.view.nodes.size() + 1;
  Now now{step,
          state,
          policy,
          cause_words(step, state.view),
          {},
          {},
          {},
          {},
          std::clamp<std::size_t>(kExplainWork / (size * size), 1, kMostExplained)};
  const std::set<JobId> touched = touched_jobs(step, state);
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
    note_wishes(now);
  }
  note_failures(now);
  for (const JobId job : touched) note_change(now, job);
  note_waits(now);
  note_ends(now);
  remember_actions(step);
  return std::move(now.entries);
}

void Chronicle::note_change(Now& now, JobId id) {
  const auto found = now.state.view.jobs.find(id);
  if (found == now.state.view.jobs.end()) return;  // it is leaving: its end is noted when it is gone
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
  if (only_shrank && !decided) return;  // tasks ended: that is an event of its own
  ChronicleEntry entry;
  entry.job = id;
  entry.turn = turn_of(before, after, decided);
  if (decided) known.decision = entry.decision = now.step.number;
  entry.cause = decided ? now.cause : event_words(now.step, now.state.view, id);
  const bool loses = !placed(after) || after.yield < before.yield || entry.turn == Turn::move;
  if (decided && placed(before) && loses) entry.for_jobs = now.beneficiaries(id);
  if (!placed(after)) {
    if (now.explanations > 0) {
      // The policy's word: that its VMs are on their way is no reason.
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

// Those of whom nothing was said yet come first; then, if there was a decision, the others in turn.
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
  if (entry.cause.empty()) entry.cause = now.cause;  // it had not had its turn to be looked at before
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
    entry.cause = outcome.note.empty() ? "its tasks are done" : outcome.note;
    entry.text = std::string(word(outcome.result));
    unexplained_.erase(outcome.job);
    std::erase_if(issued_, [&](const auto& issued) { return issued.second.job == outcome.job; });
    now.entries.push_back(std::move(entry));
  }
}

void Chronicle::remember_actions(const Step& step) {
  for (const Action& action : step.actions)
    issued_[head(action).op] = {head(action).job, kind(action), head(action).tasks.count};
}

}  // namespace aliquot
