#include "manager/hypervisor/action_dispatch.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <thread>

#include "manager/hypervisor/last_readings.hpp"
#include "manager/hypervisor/saved_image.hpp"
#include "manager/hypervisor/vm_operations.hpp"

namespace aliquot {
namespace {

using Clock = std::chrono::steady_clock;

// One task of one action on its way through the lanes; the action is that task's alone.
struct Errand {
  std::shared_ptr<Backend> backend;
  Action action;
  VmContext vm;
  Clock::time_point since = Clock::now();

  [[nodiscard]] CallKey key() const {
    return {head(action).op, vm.uuid, std::string(word(action)) + " " + vm.name, word(action)};
  }

  void settle(Result<void> result) const {
    const bool unclear = !result && result.error().kind == ErrorKind::timeout;
    backend->registry.end(vm.uuid, action, result.has_value(), unclear);
    Outcome outcome;
    outcome.op = head(action).op;
    outcome.job = head(action).job;
    outcome.tasks = {vm.task, 1};
    if (!result) outcome.error = result.error();
    outcome.took = {std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - since).count()};
    backend->outlet.post(outcome);
  }
};

using Work = std::function<Result<void>(Connection&)>;

void send(const Errand& errand, NodeId node, LaneName lane, Work work) {
  NodeWorker* worker = errand.backend->node(node);
  if (worker == nullptr) {
    errand.settle(fail(ErrorKind::invalid_argument, "there is no node " + std::to_string(node.raw)));
    return;
  }
  worker->call<void>(lane, errand.key(), std::move(work),
                     [errand](Result<void> result) { errand.settle(std::move(result)); });
}

// A save or migration that missed its deadline is not left to happen at any later time. On a thread of its
// own, for the node's lanes may be stuck; its call ends with the connection at the latest.
void give_up_later(const Errand& errand, NodeId node) {
  const NodeWorker* worker = errand.backend->node(node);
  const auto connection = worker != nullptr ? worker->connection() : nullptr;
  if (!connection) return;
  std::thread([connection, uuid = errand.vm.uuid] {
    (void)abort_vm(*connection, uuid, [] { return false; });
  }).detach();
}

void send_long(const Errand& errand, NodeId node, Work work) {
  NodeWorker* worker = errand.backend->node(node);
  if (worker == nullptr) return send(errand, node, LaneName::slow, std::move(work));
  worker->call<void>(LaneName::slow, errand.key(), std::move(work), [errand, node](Result<void> result) {
    const bool overdue = !result && result.error().kind == ErrorKind::timeout;
    if (overdue && !std::holds_alternative<Create>(errand.action)) give_up_later(errand, node);
    errand.settle(std::move(result));
  });
}

// Destroys the VM on every node it may stand on; the last answer settles the errand.
class Demolition : public std::enable_shared_from_this<Demolition> {
 public:
  Demolition(Errand errand, std::size_t nodes) : errand_(std::move(errand)), open_(nodes) {}

  void answer(Result<void> result) {
    bool last = false;
    {
      const std::lock_guard lock(mutex_);
      if (!result && worst_) worst_ = result;
      last = --open_ == 0;
    }
    if (!last) return;
    if (worst_) worst_ = remove_images(errand_.vm.common->spool, errand_.vm.job(), errand_.vm.task);
    errand_.settle(worst_);
  }

 private:
  Errand errand_;
  std::mutex mutex_;
  std::size_t open_;
  Result<void> worst_;
};

struct Dispatcher {
  const Errand& errand;

  [[nodiscard]] Backend& backend() const { return *errand.backend; }
  [[nodiscard]] NodeId standing() const { return errand.vm.sheet->tasks[errand.vm.task].node; }
  [[nodiscard]] std::int64_t speed(NodeId node) const {
    const NodeWorker* worker = backend().node(node);
    return worker != nullptr ? worker->settings().speed_ppm : kMillion;
  }

  void operator()(const Create& create) const {
    send_long(errand, create.nodes[0],
              [e = errand, create, speed = speed(create.nodes[0])](Connection& node) -> Result<void> {
                const auto acceleration = e.backend->accelerations[create.nodes[0].raw]->get(node);
                if (!acceleration) return tl::unexpected(acceleration.error());
                return create_vm(node, e.vm, create.yield, speed, *acceleration);
              });
  }
  void operator()(const Restore& restore) const {
    send_long(errand, restore.nodes[0],
              [vm = errand.vm, restore, speed = speed(restore.nodes[0])](Connection& node) {
                return restore_vm(node, vm, restore.yield, speed);
              });
  }
  void operator()(const Save& save) const {
    send_long(errand, save.nodes[0], [e = errand, save](Connection& node) {
      const LastReadings readings(e.backend, e.vm.uuid, save.nodes[0], node);
      return save_vm(node, e.vm);
    });
  }
  void operator()(const Migrate& migrate) const {
    const NodeWorker* to = backend().node(migrate.to[0]);
    if (to == nullptr) {
      return errand.settle(
          fail(ErrorKind::invalid_argument, "there is no node " + std::to_string(migrate.to[0].raw)));
    }
    MigrationRoute route;
    route.target = to->settings().name;
    route.choice.uri = to->settings().migrate_uri;
    route.choice.disk_is_shared = std::holds_alternative<ImageBoot>(errand.vm.sheet->submission->program);
    route.source_speed_ppm = speed(migrate.from[0]);
    route.target_speed_ppm = speed(migrate.to[0]);
    route.downtime = [backend = errand.backend](Duration downtime) {
      if (!backend->measures.downtime) return;
      backend->outlet.while_open([&] { backend->measures.downtime(downtime); });
    };
    send_long(errand, migrate.from[0], [e = errand, migrate, route](Connection& node) {
      const LastReadings readings(e.backend, e.vm.uuid, migrate.from[0], node);
      MigrationRoute now = route;
      now.target_side = e.backend->node(migrate.to[0])->connection();
      return migrate_vm(node, e.vm, now);
    });
  }
  void operator()(const Release&) const {
    send(errand, standing(), LaneName::fast,
         [vm = errand.vm](Connection& node) { return release_vm(node, vm); });
  }
  void operator()(const Suspend&) const {
    send(errand, standing(), LaneName::fast,
         [vm = errand.vm](Connection& node) { return suspend_vm(node, vm); });
  }
  void operator()(const Cap& cap) const {
    send(errand, standing(), LaneName::fast,
         [vm = errand.vm, cap, speed = speed(standing())](Connection& node) {
           return cap_vm(node, vm, cap.yield, speed);
         });
  }

  void operator()(const Abort& abort) const {
    const Uuid uuid = errand.vm.uuid;
    const auto under_way = [e = errand, abort]() {
      const auto busy = e.backend->registry.busy(e.vm.uuid);
      return busy && busy->op == abort.target;
    };
    const Error given_up{ErrorKind::conflict, errand.vm.name + ": given up before it had begun"};
    for (const auto& node : backend().nodes) {
      node->withdraw([&](const LaneCall& call) { return call.op == abort.target && call.vm == uuid; },
                     given_up);
    }
    const auto busy = backend().registry.busy(uuid);
    if (!busy || busy->op != abort.target) return errand.settle({});
    const auto* save = std::get_if<Save>(&busy->action);
    const auto* migrate = std::get_if<Migrate>(&busy->action);
    if (save == nullptr && migrate == nullptr) {
      return errand.settle(fail(ErrorKind::refused, errand.vm.name + ": a " +
                                                        std::string(word(busy->action)) +
                                                        " cannot be given up; destroy the VM instead"));
    }
    send(errand, save != nullptr ? save->nodes[0] : migrate->from[0], LaneName::fast,
         [uuid, under_way](Connection& node) { return abort_vm(node, uuid, under_way); });
  }

  void operator()(const Destroy& destroy) const {
    const Uuid uuid = errand.vm.uuid;
    const Error given_up{ErrorKind::conflict, errand.vm.name + ": given up, the VM is being destroyed"};
    std::set<NodeId> where{destroy.nodes[0], standing()};
    for (const NodeId node : backend().registry.candidates(uuid)) where.insert(node);
    std::erase_if(where, [&](NodeId node) { return backend().node(node) == nullptr; });
    if (where.empty()) {
      return errand.settle(
          fail(ErrorKind::invalid_argument, "there is no node " + std::to_string(destroy.nodes[0].raw)));
    }
    const auto demolition = std::make_shared<Demolition>(errand, where.size());
    for (const NodeId node : where) {
      NodeWorker& worker = *backend().node(node);
      worker.withdraw([&](const LaneCall& call) { return call.vm == uuid && call.op != destroy.op; },
                      given_up);
      worker.call<void>(
          LaneName::end, errand.key(),
          [backend = errand.backend, uuid, node](Connection& at) {
            tell_counters(*backend, uuid, node, at);
            return destroy_vm(at, uuid);
          },
          [demolition](Result<void> result) { demolition->answer(std::move(result)); });
    }
  }
};

}  // namespace

void dispatch(const std::shared_ptr<Backend>& backend, const Action& action,
              const std::shared_ptr<const JobSheet>& sheet) {
  const ActionHead& what = head(action);
  const bool lawful = sheet && sheet->tasks.size() >= what.tasks.first &&
                      sheet->tasks.size() - what.tasks.first >= what.tasks.count;
  if (!lawful) {
    Outcome outcome{what.op, what.job, what.tasks, {}, {}, {}};
    outcome.error = Error{ErrorKind::invalid_argument,
                          "job " + std::to_string(what.job.raw) + " has no such tasks to act on"};
    backend->outlet.post(outcome);
    return;
  }
  for (std::uint32_t i = 0; i < what.tasks.count; ++i) {
    const std::uint32_t task = what.tasks.first + i;
    const Errand errand{backend, for_task(action, task), vm_context(backend->common, sheet, task)};
    backend->registry.begin(errand.vm.uuid, errand.vm.identity, errand.action);
    std::visit(Dispatcher{errand}, errand.action);
  }
}

}  // namespace aliquot
