#include "manager/hypervisor/agent/agent_checkpoints.hpp"

#include <algorithm>

namespace aliquot::agent {

void AgentCheckpoints::begin(const Checkpoint& checkpoint, const std::shared_ptr<const JobSpec>& spec) {
  Run& run = runs_[checkpoint.op];
  run = {checkpoint, spec, Step::suspending, {}, std::nullopt, effects_.now(), {}};
  for (std::uint32_t task = 0; task < spec->tasks.size(); ++task) {
    Part part;
    part.task = task;
    part.is_gone = spec->tasks[task].ended;
    run.parts.push_back(part);
  }
  ask_all(run, Step::suspending);
}

bool AgentCheckpoints::has(Key key) const {
  const auto found = runs_.find(key.first);
  return found != runs_.end() && key.second < found->second.parts.size();
}

// Not through `run` once the first is asked: an outcome that comes at once may end it.
void AgentCheckpoints::ask_all(Run& run, Step step) {
  run.step = step;
  std::vector<std::pair<NodeId, Action>> actions;
  for (Part& part : run.parts) {
    if (part.is_gone || part.doubt) continue;
    part.is_asked = true;
    const ActionHead what{run.action.op, run.action.job, {part.task, 1}};
    Checkpoint written{what, run.action.number, {}, true};
    Action action = step == Step::suspending ? Action{Suspend{what}}
                    : step == Step::writing  ? Action{std::move(written)}
                                             : Action{Release{what}};
    actions.emplace_back(run.spec->tasks[part.task].node, std::move(action));
  }
  if (actions.empty()) return go_on(run);
  const auto spec = run.spec;
  for (auto& [node, action] : actions) effects_.perform(node, std::move(action), spec);
}

void AgentCheckpoints::done(Key key, const std::optional<Error>& error) {
  const auto found = runs_.find(key.first);
  if (found == runs_.end()) return;
  Run& run = found->second;
  Part& part = run.parts[key.second];
  if (!part.is_asked) return;
  part.is_asked = false;
  if (error) take_error(run, part, *error);
  if (std::ranges::none_of(run.parts, &Part::is_asked)) go_on(run);
}

void AgentCheckpoints::take_error(Run& run, Part& part, const Error& error) {
  const bool is_unclear = error.kind == ErrorKind::timeout || error.kind == ErrorKind::unavailable;
  part.is_gone = error.kind == ErrorKind::not_found;
  if (is_unclear) part.doubt = error;
  // A task that has ended before it stood still is no part of the checkpoint.
  if (run.step == Step::suspending && part.is_gone && effects_.has_ended(*run.spec, part.task)) return;
  if (run.step == Step::releasing && !part.is_gone) part.doubt = error;
  if (run.step != Step::releasing && !run.fault) run.fault = error;
}

void AgentCheckpoints::go_on(Run& run) {
  switch (run.step) {
    case Step::suspending:
      return ask_all(run, run.fault ? Step::releasing : Step::writing);
    case Step::writing:
      return ask_all(run, Step::releasing);
    case Step::releasing:
      return seal(run);
    case Step::sealing:
      return;
  }
}

void AgentCheckpoints::seal(Run& run) {
  run.step = Step::sealing;
  run.stall = since(run.begun);
  std::vector<std::uint32_t> written;
  for (const Part& part : run.parts)
    if (!run.fault && !part.is_gone) written.push_back(part.task);
  effects_.seal(run.action, *run.spec, std::move(written));
}

void AgentCheckpoints::sealed(OpId op, const Result<void>& result) {
  const auto found = runs_.find(op);
  if (found == runs_.end()) return;
  if (!result && !found->second.fault) found->second.fault = result.error();
  finish(op);
}

void AgentCheckpoints::give_up(OpId op) {
  const auto found = runs_.find(op);
  if (found == runs_.end() || found->second.step > Step::writing || found->second.fault) return;
  found->second.fault = Error{ErrorKind::refused, "given up"};
}

void AgentCheckpoints::finish(OpId op) {
  const Run run = std::move(runs_.extract(op).mapped());
  for (const Part& part : run.parts) {
    Outcome outcome{op, run.action.job, {part.task, 1}, {}, since(run.begun), run.stall};
    if (part.doubt)
      outcome.error = Error{ErrorKind::timeout, part.doubt->message + " (it may still stand still)"};
    else if (run.fault && !run.spec->tasks[part.task].ended)
      outcome.error = Error{ErrorKind::refused, run.fault->message};
    effects_.finished(outcome);
  }
}

Duration AgentCheckpoints::since(Clock::time_point then) const {
  return {std::chrono::duration_cast<std::chrono::microseconds>(effects_.now() - then).count()};
}

}  // namespace aliquot::agent
