#include "manager/hypervisor/agent/move_record.hpp"

#include "manager/hypervisor/agent/agent_wire.hpp"
#include "manager/hypervisor/files.hpp"
#include "manager/hypervisor/task_files.hpp"

namespace aliquot::agent {

// As the message that would ask for all of it: the migration, the restore with its cap, and the release if
// the VM was running.
Result<void> write_record(const Spool& spool, const MoveRecord& record) {
  const Migrate& move = record.action;
  const std::uint32_t task = move.tasks.first;
  if (auto removed = remove_images(spool, move.job, task); !removed) return removed;
  Perform left{{move, Restore{move, move.to, record.cap, 0}}, *record.spec};
  if (record.was_running) left.actions.emplace_back(Release{move});
  return write_atomically(spool.move_record(move.job, task),
                          [&](const Writer& write) { return write(encode(ToAgent{left})); });
}

std::optional<MoveRecord> read_record(const Spool& spool, const VmQuery& vm) {
  const auto text = read_head(spool.move_record(vm.job, vm.task), kMostBytes);
  const auto message = text ? decode_to_agent(*text) : tl::unexpected(text.error());
  const auto* left = message ? std::get_if<Perform>(&*message) : nullptr;
  if (left == nullptr || left->actions.size() < 2) return std::nullopt;
  const auto* move = std::get_if<Migrate>(&left->actions[0]);
  const auto* restore = std::get_if<Restore>(&left->actions[1]);
  const auto& tasks = left->spec.tasks;
  if (move == nullptr || restore == nullptr || move->job != vm.job || move->tasks != TaskRun{vm.task, 1} ||
      left->spec.job != vm.job || vm.task >= tasks.size() || tasks[vm.task].incarnation != vm.incarnation)
    return std::nullopt;
  return MoveRecord{*move, std::make_shared<const JobSpec>(left->spec), restore->yield,
                    left->actions.size() == 3};
}

void remove_record(const Spool& spool, JobId job, std::uint32_t task) {
  (void)remove_file(spool.move_record(job, task));
}

void remove_records(const Spool& spool, const Action& action) {
  const ActionHead& what = head(action);
  switch (kind(action)) {
    case ActionKind::create:
    case ActionKind::save:
    case ActionKind::restore:
    case ActionKind::destroy:
      for (std::uint32_t i = 0; i < what.tasks.count; ++i)
        remove_record(spool, what.job, what.tasks.first + i);
      return;
    default:
      return;
  }
}

}  // namespace aliquot::agent
