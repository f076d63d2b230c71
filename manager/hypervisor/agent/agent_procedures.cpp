#include "manager/hypervisor/agent/agent_procedures.hpp"

#include <set>
#include <utility>

#include "manager/hypervisor/checkpoint_files.hpp"
#include "manager/hypervisor/local_saves.hpp"
#include "manager/hypervisor/status_channel.hpp"
#include "manager/hypervisor/task_files.hpp"

namespace aliquot::agent {

AgentProcedures::AgentProcedures(Spool spool, Inbox& inbox, Effects effects)
    : spool_(std::move(spool)),
      effects_(std::move(effects)),
      moves_({effects_.perform, effects_.look,
              [this](const MoveRecord& record) { return write_record(spool_, record); },
              [this](Key key, JobId job, std::optional<Error> error) {
                move_finished(key, job, std::move(error));
              },
              effects_.prepare}),
      destructions_(
          {effects_.perform,
           [this](Key key, JobId job, std::optional<Error> error) { finish(key, job, std::move(error)); }}),
      checkpoints_({effects_.perform,
                    [this](const JobSpec& spec, std::uint32_t task) {
                      return has_exit_status(spool_.status(spec.job, task, spec.tasks[task].incarnation));
                    },
                    [this](const Checkpoint& checkpoint, const JobSpec& spec,
                           std::vector<std::uint32_t> tasks) { seal(checkpoint, spec, std::move(tasks)); },
                    effects_.finished, [] { return Clock::now(); }}),
      tasks_(inbox) {}

bool AgentProcedures::begin(const Action& action, const std::shared_ptr<const JobSpec>& spec) {
  caps_.note(action);
  remove_records(spool_, action);
  if (const auto* stop = std::get_if<Abort>(&action))
    abort(*stop, spec);
  else if (const auto* end = std::get_if<Destroy>(&action))
    destroy(*end, spec);
  else if (const auto* migrate = std::get_if<Migrate>(&action))
    move(*migrate, spec);
  else if (const auto* checkpoint = std::get_if<Checkpoint>(&action))
    checkpoints_.begin(*checkpoint, spec);
  else
    return false;
  return true;
}

bool AgentProcedures::has(Key key) const {
  return moves_.has(key) || destructions_.has(key) || checkpoints_.has(key);
}

void AgentProcedures::done(Key key, std::optional<Error> error) {
  if (moves_.has(key)) return moves_.done(key, error);
  if (destructions_.has(key)) return destructions_.done(key, error);
  checkpoints_.done(key, error);
}

void AgentProcedures::finish(Key key, JobId job, std::optional<Error> error, Duration took) {
  effects_.finished({key.first, job, {key.second, 1}, std::move(error), took, {}});
}

void AgentProcedures::move(const Migrate& move, const std::shared_ptr<const JobSpec>& spec) {
  for (std::uint32_t task = move.tasks.first; task - move.tasks.first < move.tasks.count; ++task) {
    moves_begun_[{move.op, task}] = Clock::now();
    const auto one = std::get<Migrate>(for_task(Action{move}, task));
    moves_.begin(one, spec, caps_.of(move.job, task), effects_.move_address(one.to[0]));
  }
}

void AgentProcedures::move_finished(Key key, JobId job, std::optional<Error> error) {
  // An unclear one may be nothing but an image still.
  const bool is_over = !error || error->kind != ErrorKind::timeout;
  if (is_over) remove_record(spool_, job, key.second);
  if (const auto resumed = resumed_.find(key); resumed != resumed_.end()) {
    const VmQuery query = resumed->second;
    resumed_.erase(resumed);
    remove_record(spool_, job, key.second);  // it has been tried once
    return effects_.inspect(query);
  }
  const auto took = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - moves_begun_[key]);
  moves_begun_.erase(key);
  finish(key, job, std::move(error), {took.count()});
}

bool AgentProcedures::found(NodeId node, const Inspected& fact) {
  const auto looking = moves_.looks_at(fact.job, fact.task);
  if (!looking || moves_.node_of(*looking) != node) return false;
  effects_.withdraw(*looking);
  moves_.found(*looking, fact.fact);
  return true;
}

void AgentProcedures::answer(const VmQuery& query, const Inspected& answer) {
  if (answer.fact == VmFact::absent) return effects_.report(unless_kept(query, answer));
  const auto record = answer.fact == VmFact::saved ? read_record(spool_, query) : std::nullopt;
  if (!record) return effects_.report(answer);
  const Key key{record->action.op, query.task};
  if (moves_.has(key)) return effects_.report(answer);
  resumed_[key] = query;
  moves_.resume(*record);
}

Inspected AgentProcedures::unless_kept(const VmQuery& query, Inspected answer) const {
  const auto keeper = keeper_of(spool_, {{}, query.job, query.task, query.incarnation});
  if (!keeper || *keeper != Keeper::none) answer.fact = VmFact::unknown;
  return answer;
}

void AgentProcedures::destroy(const Destroy& destroy, const std::shared_ptr<const JobSpec>& spec) {
  for (std::uint32_t i = 0; i < destroy.tasks.count; ++i) {
    const std::uint32_t task = destroy.tasks.first + i;
    (void)remove_kept_mark(spool_, destroy.job, task);  // its node may never answer
    this->destroy(std::get<Destroy>(for_task(Action{destroy}, task)), task, spec);
  }
}

// A move that goes on would restore the VM after it has been destroyed.
void AgentProcedures::destroy(const Destroy& one, std::uint32_t task,
                              const std::shared_ptr<const JobSpec>& spec) {
  std::set<NodeId> nodes{one.nodes[0], spec->tasks[task].node};
  if (const auto move = moves_.give_up(one.job, task)) {
    effects_.withdraw(move->key);
    nodes.insert({move->from, move->to});
  }
  std::erase_if(nodes, [this](NodeId node) { return effects_.presence(node) == Presence::unknown; });
  const auto off =
      std::erase_if(nodes, [this](NodeId node) { return effects_.presence(node) == Presence::off; });
  if (nodes.empty() && off > 0) {  // no node has it any more
    const auto removed = remove_images(spool_, one.job, task);
    return finish({one.op, task}, one.job, removed ? std::nullopt : std::optional(removed.error()));
  }
  if (nodes.empty()) nodes.insert(one.nodes[0]);  // which says why not
  destructions_.begin(one, {nodes.begin(), nodes.end()}, spec);
}

// An action on part of a move is its save: only that can be given up.
void AgentProcedures::abort(const Abort& abort, const std::shared_ptr<const JobSpec>& spec) {
  checkpoints_.give_up(abort.target);
  for (std::uint32_t task = abort.tasks.first; task - abort.tasks.first < abort.tasks.count; ++task) {
    const Key moved{abort.target, task};
    if (moves_.has(moved) && !moves_.can_abort(moved)) {
      finish({abort.op, task}, abort.job, std::nullopt);
    } else {
      const NodeId node = moves_.node_of(moved).value_or(spec->tasks[task].node);
      effects_.perform(node, for_task(Action{abort}, task), spec);
    }
  }
}

// The files are read once more, which takes long.
void AgentProcedures::seal(const Checkpoint& checkpoint, const JobSpec& spec,
                           std::vector<std::uint32_t> tasks) {
  const bool has_disk = std::holds_alternative<ImageBoot>(spec.submission->program);
  tasks_.run([this, checkpoint, has_disk, tasks = std::move(tasks)] {
    const auto sealed = seal_parts(spool_, checkpoint, tasks, has_disk);
    return [this, op = checkpoint.op, sealed] { checkpoints_.sealed(op, sealed); };
  });
}

}  // namespace aliquot::agent
