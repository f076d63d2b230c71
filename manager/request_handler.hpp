// Handles the requests of clients. A question is answered at once from the present state. A request that
// changes something becomes events of the next step, and is answered when that step is on disk. What needs
// a file or a node is done by a background task. Belongs to the loop; makes no scheduling decision.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>

#include "config/settings.hpp"
#include "manager/api/answers/account_answers.hpp"
#include "manager/api/answers/answer_values.hpp"
#include "manager/api/answers/cluster_answers.hpp"
#include "manager/api/wire/job_server.hpp"
#include "manager/background_tasks.hpp"
#include "manager/core/scheduler.hpp"
#include "manager/hypervisor/spool.hpp"
#include "manager/refused_plan.hpp"
#include "manager/step_input.hpp"
#include "manager/store/store.hpp"

namespace aliquot {

class RequestHandler {
 public:
  // All outlive the handler.
  struct Parts {
    const Scheduler& scheduler;
    Store& store;
    JobServer& server;
    BackgroundTasks& files;   // short: reads and writes in the spool
    BackgroundTasks& probes;  // long: asks nodes
    StepInput& input;         // of the next step
    const Settings& settings;
    std::function<AnswerClock()> clock;
    std::function<DaemonFacts()> facts;
    const RefusedPlan& refused;
    // The facts of a node as a JSON body. Waits for the node, up to the time that a KVM probe takes.
    std::function<Result<std::string>(NodeId)> node_facts;
    std::function<std::optional<JobUse>(JobId)> cpu;  // none: no such job is known
    std::function<AccountRows()> accounts;
  };
  explicit RequestHandler(Parts parts) : parts_(std::move(parts)), spool_(parts_.settings.spool_dir) {}

  // The client gets exactly one reply, now or later.
  void take(Incoming incoming);

 private:
  // What is needed to reply later.
  struct Ticket {
    ClientToken client;
    std::string idempotency_key;
    std::string body_sha256;
  };

  [[nodiscard]] const CoreState& state() const { return parts_.scheduler.cluster().state(); }
  void reply(const Ticket& to, const Reply& reply);
  void refuse(const Ticket& to, Error error);
  void answer(const Ticket& to, Result<std::string> body);
  // The events go into the next step; the answer is sent when it is on disk.
  void answer_when_durable(const Ticket& to, std::vector<Event> events, std::string body);

  [[nodiscard]] std::optional<std::uint32_t> owner(const Request& request) const;
  // Error: there is nothing left of the job that a request could change.
  [[nodiscard]] Result<void> can_change(JobId job) const;
  // True: the idempotency key was used before, and the reply has been sent: the same answer, or a refusal
  // if the request differs.
  bool is_repeated(const Ticket& ticket);

  void on(const Ticket& to, const Peer& peer, const Hello& request);
  void on(const Ticket& to, const Peer& peer, Submit& request);
  void on(const Ticket& to, const Peer& peer, const List& request);
  void on(const Ticket& to, const Peer& peer, const Show& request);
  void on(const Ticket& to, const Peer& peer, const Why& request);
  void on(const Ticket& to, const Peer& peer, const Events& request);
  void on(const Ticket& to, const Peer& peer, const Cancel& request);
  void on(const Ticket& to, const Peer& peer, const Hold& request);
  void on(const Ticket& to, const Peer& peer, const ReleaseJob& request);
  void on(const Ticket& to, const Peer& peer, const Logs& request);
  void on(const Ticket& to, const Peer& peer, const Accounts& request);
  void on(const Ticket& to, const Peer& peer, const NodeList& request);
  void on(const Ticket& to, const Peer& peer, const NodeShow& request);
  void on(const Ticket& to, const Peer& peer, const NodeProbe& request);
  void on(const Ticket& to, const Peer& peer, const PolicyShow& request);
  void on(const Ticket& to, const Peer& peer, const ModeShow& request);
  void on(const Ticket& to, const Peer& peer, const PlanShow& request);
  void on(const Ticket& to, const Peer& peer, const Status& request);
  void on(const Ticket& to, const Peer& peer, const PolicySet& request);
  void on(const Ticket& to, const Peer& peer, const PeriodSet& request);
  void on(const Ticket& to, const Peer& peer, const ModeSet& request);

  void dry_run(const Ticket& to, const Submission& submission);
  void store_archive(const Ticket& to, Submission submission, std::string archive);
  void accept(const Ticket& to, Submission submission);

  Parts parts_;
  Spool spool_;
  std::set<std::string> keys_in_work_;  // of submissions whose archive is still being written
  JobId last_given_;                    // the newest job id that was promised to a client
};

}  // namespace aliquot
