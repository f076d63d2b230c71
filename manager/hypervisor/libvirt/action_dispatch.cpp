#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <thread>

#include "manager/hypervisor/libvirt/backend.hpp"
#include "manager/hypervisor/libvirt/final_readings.hpp"
#include "manager/hypervisor/libvirt/saved_image.hpp"
#include "manager/hypervisor/libvirt/vm_operations.hpp"

namespace aliquot {
namespace {

using Clock = std::chrono::steady_clock;

// One action for one task, while its calls are in the queues; `action` is restricted to that task.
struct TaskAction {
  std::shared_ptr<Backend> backend;
  Action action;
  VmContext vm;
  Clock::time_point since = Clock::now();

  [[nodiscard]] CallKey key() const {
    return {head(action).op, vm.uuid, std::string(word(action)) + " " + vm.name, word(action)};
  }

  [[nodiscard]] std::int64_t speed(NodeId node) const {
    const auto worker = backend->node(node);
    return worker != nullptr ? worker->settings().speed_ppm : kMillion;
  }
  // That the action sets.
  [[nodiscard]] std::optional<CpuCap> cap_set() const {
    const auto of = [this](Yield yield, NodeId node) -> std::optional<CpuCap> {
      const auto cap = cpu_cap(vm.need(), yield, speed(node), vm.vcpus(), vm.common->cap_period);
      return cap ? std::optional(*cap) : std::nullopt;
    };
    if (const auto* create = std::get_if<Create>(&action)) return of(create->yield, create->nodes[0]);
    if (const auto* restore = std::get_if<Restore>(&action)) return of(restore->yield, restore->nodes[0]);
    if (const auto* cap = std::get_if<Cap>(&action)) return of(cap->yield, vm.spec->tasks[vm.task].node);
    return std::nullopt;
  }
  void complete(Result<void> result) const {
    const bool unclear = !result && result.error().kind == ErrorKind::timeout;
    const auto* move = std::get_if<Migrate>(&action);
    if (move != nullptr && result)
      backend->registry.rescale_cap(vm.uuid, speed(move->from[0]), speed(move->to[0]));
    backend->registry.end(vm.uuid, action, result.has_value(), unclear, cap_set());
    Outcome outcome;
    outcome.op = head(action).op;
    outcome.job = head(action).job;
    outcome.tasks = {vm.task, 1};
    if (!result) outcome.error = result.error();
    outcome.took = {std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - since).count()};
    backend->events.post(outcome);
  }
};

using Work = std::function<Result<void>(Connection&)>;

void send(const TaskAction& task_action, NodeId node, QueueName queue, Work work) {
  const auto worker = task_action.backend->node(node);
  if (worker == nullptr) {
    task_action.complete(fail(ErrorKind::invalid_argument, "there is no node " + std::to_string(node.raw)));
    return;
  }
  worker->call<void>(queue, task_action.key(), std::move(work),
                     [task_action](Result<void> result) { task_action.complete(std::move(result)); });
}

void send_long(const TaskAction& task_action, NodeId node, Work work) {
  const auto worker = task_action.backend->node(node);
  if (worker == nullptr) return send(task_action, node, QueueName::slow, std::move(work));
  Work noted = [call = task_action.backend->calls->begin(task_action.vm.uuid),
                work = std::move(work)](Connection& at) {
    auto result = work(at);
    call->has_returned();
    return result;
  };
  worker->call<void>(QueueName::slow, task_action.key(), std::move(noted),
                     [task_action, node](Result<void> result) {
                       const bool overdue = !result && result.error().kind == ErrorKind::timeout;
                       // It is not to take effect at a later time.
                       if (overdue && !std::holds_alternative<Create>(task_action.action))
                         give_up_later(*task_action.backend, node, task_action.vm.uuid);
                       task_action.complete(std::move(result));
                     });
}

// Destroys the VM on every node on which it may be; the last answer completes the action.
class Destruction : public std::enable_shared_from_this<Destruction> {
 public:
  Destruction(TaskAction task_action, std::size_t nodes)
      : task_action_(std::move(task_action)), open_(nodes) {}

  void answer(Result<void> result) {
    bool last = false;
    {
      const std::lock_guard lock(mutex_);
      if (!result && worst_) worst_ = result;
      last = --open_ == 0;
    }
    if (!last) return;
    if (worst_)
      worst_ = remove_images(task_action_.vm.common->spool, task_action_.vm.job(), task_action_.vm.task);
    task_action_.complete(worst_);
  }

 private:
  TaskAction task_action_;
  std::mutex mutex_;
  std::size_t open_;
  Result<void> worst_;
};

// Of a node whose cells are not known here.
std::shared_ptr<CellChoice> unbound() {
  static const auto choice = std::make_shared<CellChoice>(NumaBinding::off);
  return choice;
}

struct Dispatcher {
  const TaskAction& task_action;

  [[nodiscard]] Backend& backend() const { return *task_action.backend; }
  [[nodiscard]] NodeId standing() const { return task_action.vm.spec->tasks[task_action.vm.task].node; }
  [[nodiscard]] std::int64_t speed(NodeId node) const { return task_action.speed(node); }

  void operator()(const Create& create) const {
    send_long(task_action, create.nodes[0],
              [e = task_action, create, speed = speed(create.nodes[0]),
               slot = backend().nodes.get(create.nodes[0])](Connection& node) -> Result<void> {
                const auto acceleration = slot.acceleration->get(node);
                if (!acceleration) return tl::unexpected(acceleration.error());
                return create_vm(node, e.vm, create.yield, speed, *acceleration, *slot.cells);
              });
  }
  void operator()(const Restore& restore) const {
    send_long(task_action, restore.nodes[0],
              [vm = task_action.vm, restore, speed = speed(restore.nodes[0]),
               cells = backend().nodes.get(restore.nodes[0]).cells](Connection& node) {
                return restore_vm(node, vm, restore.yield, speed, restore.checkpoint, *cells);
              });
  }
  void operator()(const Save& save) const {
    send_long(task_action, save.nodes[0], [e = task_action, save](Connection& node) {
      const FinalReadings readings(e.backend, e.vm.uuid, save.nodes[0], node);
      return save_vm(node, e.vm);
    });
  }
  void operator()(const Migrate& migrate) const {
    const auto to = backend().node(migrate.to[0]);
    const auto elsewhere = backend().announced.take(migrate.op, task_action.vm.uuid);
    if (to == nullptr && !elsewhere) {
      return task_action.complete(
          fail(ErrorKind::invalid_argument, "there is no node " + std::to_string(migrate.to[0].raw)));
    }
    MigrationRoute route;
    route.target = to ? to->settings().name : elsewhere->to_uri;
    route.choice.uri = to ? to->settings().migrate_uri : elsewhere->to_uri;
    route.choice.disk_is_shared =
        std::holds_alternative<ImageBoot>(task_action.vm.spec->submission->program);
    route.choice.bandwidth = to ? task_action.vm.common->migration_bandwidth : elsewhere->bandwidth;
    route.target_cells = to ? backend().nodes.get(migrate.to[0]).cells : unbound();
    route.source_speed_ppm = speed(migrate.from[0]);
    route.target_speed_ppm = speed(migrate.to[0]);
    route.downtime = [backend = task_action.backend](Duration downtime) {
      if (!backend->observer.downtime) return;
      backend->events.while_open([&] { backend->observer.downtime(downtime); });
    };
    send_long(task_action, migrate.from[0], [e = task_action, migrate, route](Connection& node) {
      const FinalReadings readings(e.backend, e.vm.uuid, migrate.from[0], node);
      MigrationRoute now = route;
      if (const auto target = e.backend->node(migrate.to[0]))
        now.target_side = target->take_connection("say what it has").value_or(nullptr);
      return migrate_vm(node, e.vm, now);
    });
  }
  void operator()(const Release&) const {
    send(task_action, standing(), QueueName::fast,
         [vm = task_action.vm](Connection& node) { return release_vm(node, vm); });
  }
  void operator()(const Suspend&) const {
    send(task_action, standing(), QueueName::fast,
         [vm = task_action.vm](Connection& node) { return suspend_vm(node, vm); });
  }
  void operator()(const Notify&) const {
    send(task_action, standing(), QueueName::fast,
         [vm = task_action.vm](Connection& node) { return notify_vm(node, vm); });
  }
  void operator()(const Cap& cap) const {
    send(task_action, standing(), QueueName::fast,
         [vm = task_action.vm, cap, speed = speed(standing())](Connection& node) {
           return cap_vm(node, vm, cap.yield, speed);
         });
  }

  // Of all its tasks together: checkpoint_run.cpp.
  void operator()(const Checkpoint&) const {}

  void operator()(const Abort& abort) const {
    const Uuid uuid = task_action.vm.uuid;
    const auto under_way = [e = task_action, abort]() {
      const auto busy = e.backend->registry.busy(e.vm.uuid);
      return busy && busy->op == abort.target;
    };
    const Error given_up{ErrorKind::conflict, task_action.vm.name + ": given up before it had begun"};
    for (const auto& node : backend().nodes.workers()) {
      node->withdraw([&](const QueuedCall& call) { return call.op == abort.target && call.vm == uuid; },
                     given_up);
    }
    const auto busy = backend().registry.busy(uuid);
    if (!busy || busy->op != abort.target) return task_action.complete({});
    const auto* save = std::get_if<Save>(&busy->action);
    const auto* migrate = std::get_if<Migrate>(&busy->action);
    const bool writes = std::holds_alternative<Checkpoint>(busy->action);
    if (save == nullptr && migrate == nullptr && !writes) {
      return task_action.complete(
          fail(ErrorKind::refused, task_action.vm.name + ": a " + std::string(word(busy->action)) +
                                       " cannot be given up; destroy the VM instead"));
    }
    const NodeId where = save != nullptr      ? save->nodes[0]
                         : migrate != nullptr ? migrate->from[0]
                                              : standing();
    send(task_action, where, QueueName::fast,
         [uuid, under_way](Connection& node) { return abort_vm(node, uuid, under_way); });
  }

  // No node has the VM any more. On a thread of its own, because the storage may be slow.
  void remove_files() const {
    std::thread([e = task_action] {
      e.complete(remove_images(e.vm.common->spool, e.vm.job(), e.vm.task));
    }).detach();
  }
  void operator()(const Destroy& destroy) const {
    const Uuid uuid = task_action.vm.uuid;
    const Error given_up{ErrorKind::conflict,
                         task_action.vm.name + ": given up, the VM is being destroyed"};
    std::set<NodeId> where{destroy.nodes[0], standing()};
    for (const NodeId node : backend().registry.candidates(uuid)) where.insert(node);
    std::erase_if(where, [&](NodeId node) { return backend().node(node) == nullptr; });
    const auto off = std::erase_if(where, [&](NodeId node) { return backend().is_off(node); });
    if (where.empty() && off > 0) return remove_files();
    if (where.empty()) {
      return task_action.complete(
          fail(ErrorKind::invalid_argument, "there is no node " + std::to_string(destroy.nodes[0].raw)));
    }
    const auto destruction = std::make_shared<Destruction>(task_action, where.size());
    for (const NodeId node : where) {
      const auto worker = backend().node(node);
      worker->withdraw([&](const QueuedCall& call) { return call.vm == uuid && call.op != destroy.op; },
                       given_up);
      worker->call<void>(
          QueueName::end, task_action.key(),
          [backend = task_action.backend, uuid, node](Connection& at) {
            report_counters(*backend, uuid, node, at);
            return destroy_vm(at, uuid);
          },
          [destruction](Result<void> result) { destruction->answer(std::move(result)); });
    }
  }
};

}  // namespace

void give_up_later(const Backend& backend, NodeId node, const Uuid& uuid) {
  const auto worker = backend.node(node);
  if (worker == nullptr) return;
  std::thread([self = worker, uuid] {
    const auto connection = self->take_connection("give up an action");
    if (connection) (void)abort_vm(**connection, uuid, [] { return false; });
  }).detach();
}

void dispatch(const std::shared_ptr<Backend>& backend, const Action& action,
              const std::shared_ptr<const JobSpec>& spec) {
  if (auto refused = refusal(action, spec.get())) return backend->events.post(std::move(*refused));
  const ActionHead& what = head(action);
  if (const auto* checkpoint = std::get_if<Checkpoint>(&action))
    return make_checkpoint(backend, *checkpoint, spec);
  for (std::uint32_t i = 0; i < what.tasks.count; ++i) {
    const std::uint32_t task = what.tasks.first + i;
    const TaskAction task_action{backend, for_task(action, task), vm_context(backend->common, spec, task)};
    backend->registry.begin(task_action.vm.uuid, task_action.vm.identity, task_action.action);
    std::visit(Dispatcher{task_action}, task_action.action);
  }
}

}  // namespace aliquot
