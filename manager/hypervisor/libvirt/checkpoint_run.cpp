#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "manager/hypervisor/libvirt/backend.hpp"
#include "manager/hypervisor/libvirt/vm_operations.hpp"

namespace aliquot {
namespace {

using Clock = std::chrono::steady_clock;

Duration since(Clock::time_point start) {
  return {std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start).count()};
}

// One checkpoint, or the part of one that is asked for. Its parts are changed by the answers of one stage,
// and read by the next, which begins when the last answer is there.
class CheckpointRun : public std::enable_shared_from_this<CheckpointRun> {
 public:
  CheckpointRun(std::shared_ptr<Backend> backend, Checkpoint action,
                const std::shared_ptr<const JobSpec>& spec)
      : backend_(std::move(backend)), action_(std::move(action)) {
    for (std::uint32_t task = 0; task < spec->tasks.size(); ++task) {
      const bool is_asked_for = !action_.is_part || task - action_.tasks.first < action_.tasks.count;
      if (!is_asked_for) continue;
      if (spec->tasks[task].ended)
        ended_.push_back(task);
      else
        parts_.push_back({vm_context(backend_->common, spec, task), {}, {}, false});
    }
  }

  void start() {
    if (parts_.empty()) return complete();
    for (const Part& part : parts_)
      backend_->registry.begin(part.vm.uuid, part.vm.identity, for_task(action_, part.vm.task));
    suspended_ = Clock::now();
    if (action_.is_part) return write();
    suspend();
  }

 private:
  struct Part {
    VmContext vm;
    std::optional<TaskCheckpoint> written;
    std::optional<Error> doubt;  // whether the VM runs again
    bool has_ended = false;      // its task, by itself, before it was suspended
    [[nodiscard]] NodeId node() const { return vm.spec->tasks[vm.task].node; }
  };

  void suspend() {
    each<void>(
        QueueName::fast, suspend_vm,
        [this](Part& part, const Result<void>& done) {
          const bool gone = !done && done.error().kind == ErrorKind::not_found;
          part.has_ended = gone && has_ended(part.vm);
          if (!part.has_ended) note(done);
        },
        &CheckpointRun::write);
  }

  void write() {
    if (fault_) return resume();
    each<TaskCheckpoint>(
        QueueName::checkpoint,
        [number = action_.number, is_part = action_.is_part](Connection& node, const VmContext& vm) {
          auto written = write_checkpoint(node, vm, number);
          if (!written || !is_part) return written;
          return write_part(vm.common->spool, vm.job(), number, *written).map([&] { return *written; });
        },
        [this](Part& part, const Result<TaskCheckpoint>& written) {
          note(written);
          if (written) part.written = *written;
          const bool overdue = !written && written.error().kind == ErrorKind::timeout;
          if (overdue) give_up_later(*backend_, part.node(), part.vm.uuid);
        },
        action_.is_part ? &CheckpointRun::complete : &CheckpointRun::resume);
  }

  void resume() {
    each<void>(
        QueueName::fast, release_vm,
        [](Part& part, const Result<void>& done) {
          if (!done) part.doubt = done.error();
        },
        &CheckpointRun::seal);
  }

  // On a thread of a node, because it takes long: the files are read once more.
  void seal() {
    pause_ = since(suspended_);
    const Part& first = parts_.front();
    const auto worker = backend_->node(first.node());
    if (worker == nullptr) return complete();
    const bool has_disk = std::holds_alternative<ImageBoot>(first.vm.spec->submission->program);
    std::vector<TaskCheckpoint> tasks;
    for (const Part& part : parts_)
      if (part.written) tasks.push_back(*part.written);
    // By value: it may outlast its deadline.
    auto work = [backend = backend_, action = action_, failed = fault_.has_value(), has_disk,
                 tasks = std::move(tasks)](Connection&) -> Result<void> {
      return conclude_checkpoint(backend->common->spool, action, failed ? nullptr : &tasks, has_disk);
    };
    worker->call<void>(QueueName::checkpoint, key(first), std::move(work),
                       [self = shared_from_this()](const Result<void>& done) {
                         self->note(done);
                         self->complete();
                       });
  }

  void complete() {
    for (const std::uint32_t task : ended_)
      backend_->events.post(Outcome{action_.op, action_.job, {task, 1}, {}, {}, {}});
    for (const Part& part : parts_) {
      Outcome outcome{action_.op, action_.job, {part.vm.task, 1}, {}, since(suspended_), pause_};
      if (part.doubt) {
        outcome.error = Error{ErrorKind::timeout, part.doubt->message + " (it may still stand still)"};
      } else if (fault_) {
        outcome.error = action_.is_part ? *fault_ : Error{ErrorKind::refused, fault_->message};
      }
      const bool unclear = outcome.error && outcome.error->kind == ErrorKind::timeout;
      backend_->registry.end(part.vm.uuid, for_task(action_, part.vm.task), !outcome.error, unclear,
                             std::nullopt);
      backend_->events.post(outcome);
    }
  }

  // Makes the call for each part that lives, and goes on when the last one is answered.
  template <class T>
  void each(QueueName queue, const std::function<Result<T>(Connection&, const VmContext&)>& work,
            const std::function<void(Part&, const Result<T>&)>& answer, void (CheckpointRun::*next)()) {
    std::vector<Part*> living;
    for (Part& part : parts_)
      if (!part.has_ended) living.push_back(&part);
    if (living.empty()) return (this->*next)();
    open_ = living.size();
    for (Part* const part : living) {
      const auto answered = [self = shared_from_this(), part, answer, next](const Result<T>& done) {
        {
          const std::lock_guard lock(self->mutex_);
          answer(*part, done);
          if (--self->open_ > 0) return;
        }
        ((*self).*next)();
      };
      if (const auto worker = backend_->node(part->node()))
        worker->call<T>(
            queue, key(*part), [vm = part->vm, work](Connection& node) { return work(node, vm); },
            answered);
      else
        answered(fail(ErrorKind::invalid_argument, "there is no node " + std::to_string(part->node().raw)));
    }
  }

  [[nodiscard]] CallKey key(const Part& part) const {
    return {action_.op, part.vm.uuid, "checkpoint " + part.vm.name, word(ActionKind::checkpoint)};
  }
  // The first fault counts.
  template <class T>
  void note(const Result<T>& done) {
    if (!done && !fault_) fault_ = done.error();
  }

  const std::shared_ptr<Backend> backend_;
  const Checkpoint action_;
  std::vector<Part> parts_;
  std::vector<std::uint32_t> ended_;  // tasks
  std::mutex mutex_;
  std::size_t open_ = 0;  // calls of this stage that are not answered
  std::optional<Error> fault_;
  Clock::time_point suspended_;
  Duration pause_;
};

}  // namespace

void make_checkpoint(const std::shared_ptr<Backend>& backend, const Checkpoint& action,
                     const std::shared_ptr<const JobSpec>& spec) {
  std::make_shared<CheckpointRun>(backend, action, spec)->start();
}

}  // namespace aliquot
