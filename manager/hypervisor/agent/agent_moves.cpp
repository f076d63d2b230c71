#include "manager/hypervisor/agent/agent_moves.hpp"

#include <algorithm>

namespace aliquot::agent {
namespace {

// What the agent of this node is told of the job: the task is there, and its image travels by the spool.
std::shared_ptr<const JobSpec> placed(const JobSpec& spec, std::uint32_t task, NodeId node) {
  auto there = std::make_shared<JobSpec>(spec);
  there->tasks[task].node = node;
  there->moves = true;
  return there;
}

bool stands(VmFact fact) { return fact == VmFact::running || fact == VmFact::paused; }

// It is inspected.
Error but_moved(const Error& error) { return {ErrorKind::timeout, error.message + " (the VM has moved)"}; }

}  // namespace

void AgentMoves::begin(const Migrate& move, std::shared_ptr<const JobSpec> spec, Yield cap,
                       std::string to_uri) {
  const Key key{move.op, move.tasks.first};
  moves_[key] = {move, std::move(spec), cap, std::move(to_uri)};
  look(key, moves_[key], move.from[0]);
}

void AgentMoves::resume(const MoveRecord& record) {
  const Key key{record.action.op, record.action.tasks.first};
  moves_[key] = {record.action, record.spec, record.cap, {}, Step::restoring, record.was_running};
  restore(moves_[key], record.action.to[0], Step::restoring);
}

void AgentMoves::look(Key key, const Move& move, NodeId node) {
  const std::uint32_t incarnation = move.spec->tasks[key.second].incarnation;
  effects_.look(key, node, {move.action.job, key.second, incarnation, {node}});
}

std::optional<NodeId> AgentMoves::node_of(Key key) const {
  const auto found = moves_.find(key);
  if (found == moves_.end()) return std::nullopt;
  const Move& move = found->second;
  switch (move.step) {
    case Step::looking_there:
    case Step::arriving:
    case Step::capping:
    case Step::restoring:
    case Step::releasing_there:
      return move.action.to[0];
    default:
      return move.action.from[0];
  }
}

bool AgentMoves::can_abort(Key key) const {
  const auto found = moves_.find(key);
  if (found == moves_.end()) return false;
  return found->second.step == Step::saving || found->second.step == Step::sending;
}

std::optional<AgentMoves::Key> AgentMoves::looks_at(JobId job, std::uint32_t task) const {
  for (const auto& [key, move] : moves_) {
    const bool looks =
        move.step == Step::looking || move.step == Step::looking_there || move.step == Step::arriving;
    if (looks && move.action.job == job && key.second == task) return key;
  }
  return std::nullopt;
}

void AgentMoves::found(Key key, VmFact fact) {
  const auto at = moves_.find(key);
  if (at == moves_.end()) return;
  Move& move = at->second;
  if (move.step == Step::arriving) return arrived(key, move, fact);
  const bool is_here = stands(fact);
  if (fact == VmFact::unknown)
    return finish(key, Error{ErrorKind::unavailable, "the agent of its node does not answer"});
  if (move.step == Step::looking_there && is_here) return finish(key, std::nullopt);  // moved before
  if (move.step == Step::looking_there)
    return finish(key, Error{ErrorKind::conflict, "the VM is not on the node that it is to leave"});
  if (!is_here) {
    move.step = Step::looking_there;
    return look(key, move, move.action.to[0]);
  }
  move.was_running = fact == VmFact::running;
  move.to_uri.empty() ? save(key, move) : send(key, move);
}

void AgentMoves::announce(Key key, const Move& move) {
  const VmMove coming{move.action.op, key.second, move.action.from[0], move.action.to[0], move.to_uri};
  for (const NodeId node : {coming.from, coming.to})
    effects_.prepare(node, coming, placed(*move.spec, key.second, node));
}

void AgentMoves::send(Key key, Move& move) {
  announce(key, move);
  move.step = Step::sending;
  const NodeId from = move.action.from[0];
  effects_.perform(from, move.action, placed(*move.spec, key.second, from));
}

// What the destination hears of the VM while it is looked for makes the answer uncertain.
void AgentMoves::arrived(Key key, Move& move, VmFact fact) {
  constexpr int kLooks = 5;
  const NodeId to = move.action.to[0];
  if (stands(fact)) {
    move.step = Step::capping;
    return effects_.perform(to, Cap{move.action, move.cap}, placed(*move.spec, key.second, to));
  }
  if (fact == VmFact::unknown && ++move.looks < kLooks) return look(key, move, to);
  finish(key,
         Error{ErrorKind::timeout, "it was sent to the other node, which does not say that it is there"});
}

void AgentMoves::save(Key key, Move& move) {
  if (auto noted = effects_.note({move.action, move.spec, move.cap, move.was_running}); !noted)
    return finish(key, noted.error());
  announce(key, move);
  move.step = Step::saving;
  const NodeId from = move.action.from[0];
  effects_.perform(from, Save{move.action, move.action.from}, placed(*move.spec, key.second, from));
}

std::optional<AgentMoves::GivenUp> AgentMoves::give_up(JobId job, std::uint32_t task) {
  for (const auto& [key, move] : moves_) {
    if (move.action.job != job || key.second != task) continue;
    const GivenUp given_up{key, move.action.from[0], move.action.to[0]};
    finish(key, Error{ErrorKind::conflict, "given up, the VM is being destroyed"});
    return given_up;
  }
  return std::nullopt;
}

void AgentMoves::restore(Move& move, NodeId node, Step step) {
  move.step = step;
  const std::uint32_t task = move.action.tasks.first;
  effects_.perform(node, Restore{move.action, node, move.cap, 0}, placed(*move.spec, task, node));
}

void AgentMoves::release(Move& move, NodeId node, Step step) {
  move.step = step;
  effects_.perform(node, Release{move.action}, placed(*move.spec, move.action.tasks.first, node));
}

void AgentMoves::done(Key key, const std::optional<Error>& error) {
  const auto found = moves_.find(key);
  if (found == moves_.end()) return;
  Move& move = found->second;
  const NodeId from = move.action.from[0], to = move.action.to[0];
  const bool is_unclear = error && error->kind == ErrorKind::timeout;
  switch (move.step) {
    case Step::looking:
    case Step::looking_there:
      return finish(key, error);
    case Step::sending:
      if (error) return finish(key, error);
      move.step = Step::arriving;
      return look(key, move, to);
    case Step::arriving:  // no answer
      return arrived(key, move, VmFact::unknown);
    case Step::capping:
      return finish(key, error ? std::optional(but_moved(*error)) : std::nullopt);
    case Step::saving:
      return error ? finish(key, error) : restore(move, to, Step::restoring);
    case Step::restoring:
      if (is_unclear) return finish(key, error);
      if (error) {
        move.failure = error;
        return restore(move, from, Step::going_back);
      }
      return move.was_running ? release(move, to, Step::releasing_there) : finish(key, std::nullopt);
    case Step::releasing_there:
      if (!error) return finish(key, std::nullopt);
      return finish(key, but_moved(*error));
    case Step::going_back:
      if (error)
        return finish(key, Error{ErrorKind::timeout, move.failure->message + "; back on its node: " +
                                                         error->message + " (its image is kept)"});
      return move.was_running ? release(move, from, Step::releasing) : finish(key, move.failure);
    case Step::releasing:
      return finish(key, error ? error : move.failure);
  }
}

void AgentMoves::finish(Key key, std::optional<Error> error) {
  const auto found = moves_.find(key);
  const JobId job = found->second.action.job;
  moves_.erase(found);
  effects_.finished(key, job, std::move(error));
}

}  // namespace aliquot::agent
