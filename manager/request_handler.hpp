// Where requests are dealt with: questions are answered at once from what the loop knows, wishes become
// events of the next turn and are answered when they are on disk, and what takes a file or a node goes
// through an errand. Belongs to the loop; decides nothing about jobs.
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
  // All outlive the desk.
  struct Parts {
    const Scheduler& scheduler;
    Store& store;
    JobServer& server;
    BackgroundTasks& files;   // short: reads and writes in the spool
    BackgroundTasks& probes;  // long: asks nodes
    StepInput& gathered;
    const Settings& settings;
    std::function<AnswerClock()> clock;
    std::function<DaemonFacts()> facts;
    const RefusedPlan& refused;
    // What a node says of itself, as a JSON body; waits for it, up to the time a KVM probe takes.
    std::function<Result<std::string>(NodeId)> node_facts;
    std::function<std::optional<JobUse>(JobId)> cpu;  // none: nothing is known of it
    std::function<AccountRows()> accounts;
  };
  explicit RequestHandler(Parts parts) : parts_(std::move(parts)), spool_(parts_.settings.spool_dir) {}

  // Owes the client exactly one reply, now or later.
  void take(Incoming incoming);

 private:
  // What is needed to answer later.
  struct Ticket {
    ClientToken client;
    std::string idempotency_key;
    std::string body_sha256;
  };

  [[nodiscard]] const CoreState& state() const { return parts_.scheduler.cluster().state(); }
  void reply(const Ticket& to, const Reply& reply);
  void refuse(const Ticket& to, Error error);
  void answer(const Ticket& to, Result<std::string> body);
  // The events go into the next turn; the answer is sent when they are on disk.
  void promise(const Ticket& to, std::vector<Event> events, std::string body);

  [[nodiscard]] std::optional<std::uint32_t> owner(const Request& request) const;
  [[nodiscard]] Result<void> standing(JobId job) const;
  // True: the key was used before, and its answer (or that it differs) has been sent.
  bool repeated(const Ticket& ticket);

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
  std::set<std::string> keys_in_hand_;  // of submissions whose archive is still being written
  JobId last_given_;
};

}  // namespace aliquot
