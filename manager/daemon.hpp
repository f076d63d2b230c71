// The manager's loop: wait, drain the inbox, make one step, hand it to the store. (ARCHITECTURE.md, "The
// flow of one step".)
//
// The loop never waits for a hypervisor, a disk or a client: those have threads of their own, and post to
// the inbox. The actions of a step are performed, and its replies sent, when the store says that it is on
// disk. While the disk of the store is full, no step is made: VMs run on, questions are answered, and what
// would change something is refused. While the disk is slow, few steps are made, and each takes in more.
// The same holds where steps take long because the cluster is large: for half as long as a step took, the
// loop makes no other one, but takes in events and answers requests. It also answers them within a long
// step: between its pieces, and while its decision and its chronicle are made in another thread.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "manager/api/explain/chronicle.hpp"
#include "manager/api/wire/job_server.hpp"
#include "manager/clock.hpp"
#include "manager/core/scheduler.hpp"
#include "manager/inbox.hpp"
#include "manager/long_work.hpp"
#include "manager/reconciliation.hpp"
#include "manager/request_handler.hpp"
#include "manager/step_input.hpp"
#include "manager/store/store.hpp"
#include "monitor/observer.hpp"

namespace aliquot {

class Daemon {
 public:
  // All outlive the daemon; the store has been recovered, the scheduler brought up to date from it.
  struct Parts {
    Scheduler& scheduler;
    Store& store;
    Hypervisor& hypervisor;
    JobServer& server;
    RequestHandler& requests;
    StepInput& input;  // of the next step; the request handler and the loop fill it
    Inbox& inbox;
    const LiveClock& clock;
    Chronicle& chronicle;
    std::vector<Observer*> observers;
    // Called about once a second with the present instant: sampling, limits, gauges. Requests are answered
    // between two calls.
    std::vector<std::function<void(Instant)>> every_second;
    // Called with the time a step took from being handed to the store until it was on disk.
    std::function<void(Duration)> stored;
    std::function<void()> reload;  // SIGHUP
    // The disk of the store is full (its error), or has room again.
    std::function<void(const std::optional<Error>&)> blocked = [](const std::optional<Error>&) {};
    // Called before each step with its events, and may add some.
    std::function<void(std::vector<Event>&)> before_step = [](std::vector<Event>&) {};
    // When a step is to be made even if nothing happens and the scheduler waits for nothing.
    std::function<Instant()> next_due = [] { return kNever; };
  };
  explicit Daemon(Parts parts) : parts_(std::move(parts)) {}
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  // Runs until SIGTERM or SIGINT (success), or until the store fails (its error). The VMs run on.
  // `signals` is a signalfd of SIGTERM, SIGINT and SIGHUP; `first` are the events of the first step;
  // subscribers get what the log gains after `newest_event`.
  [[nodiscard]] Result<void> run(int signals, std::vector<Event> first, std::uint64_t newest_event);

 private:
  void wait(int signals);
  void answer();
  void answer_if_overdue();
  void take_signals(int signals);
  void take_message(Message message);
  [[nodiscard]] Instant next_step() const;
  [[nodiscard]] bool may_step() const;
  void make_step();
  void carry_out(PendingStep& pending);  // it is on disk
  void publish();
  void inspect_unclear();

  Parts parts_;
  LongWork decision_{[this] { answer(); }};
  LongWork chronicle_{[this] { answer(); }};
  std::deque<PendingStep> pending_;
  Reconciliation reconciliation_;
  std::uint64_t published_ = 0;
  Instant last_second_;
  Instant rested_;    // no step is made before it
  Instant answered_;  // when requests were looked at last
  bool stop_ = false;
  std::optional<Error> failed_;
};

}  // namespace aliquot
