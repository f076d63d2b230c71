// Handles the requests of clients. A question is answered from the present state: at once if that is quick,
// else when its turn comes among the connections that ask. A request that changes something becomes events
// of the next step, and is answered when that step is on disk. What needs a file or a node is done by a
// background task. A request whose deadline has passed by then is not carried out. Belongs to the loop;
// makes no scheduling decision.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "config/settings.hpp"
#include "manager/acceptance.hpp"
#include "manager/api/answers/account_answers.hpp"
#include "manager/api/answers/account_tree_answers.hpp"
#include "manager/api/answers/answer_values.hpp"
#include "manager/api/answers/cluster_answers.hpp"
#include "manager/api/answers/job_answers.hpp"
#include "manager/api/answers/sight.hpp"
#include "manager/api/answers/usage_answer.hpp"
#include "manager/api/wire/job_server.hpp"
#include "manager/background_tasks.hpp"
#include "manager/core/scheduler.hpp"
#include "manager/fair_queue.hpp"
#include "manager/ha_requests.hpp"
#include "manager/hypervisor/spool.hpp"
#include "manager/image_requests.hpp"
#include "manager/job_changes.hpp"
#include "manager/keys_in_work.hpp"
#include "manager/learning.hpp"
#include "manager/node_questions.hpp"
#include "manager/node_roster.hpp"
#include "manager/operator_commands.hpp"
#include "manager/refused_plan.hpp"
#include "manager/step_input.hpp"
#include "manager/store/store.hpp"
#include "manager/submission_files.hpp"
#include "manager/terminals.hpp"

namespace aliquot {

// What is kept of accounts and their users, beside the core's state.
struct AccountFacts {
  std::function<AccountStandings()> standings = [] { return AccountStandings{}; };
  // Of a job that is submitted now.
  std::function<Weight(const fairness::AccountUser&)> weight = [](const auto&) { return Weight{}; };
  CpuBetween cpu_between = [](auto, auto) { return CpuByUser{}; };
  std::function<CpuByJob(const JobHours&)> cpu_of_jobs = [](const auto&) { return CpuByJob{}; };
};

class RequestHandler {
 public:
  // All outlive the handler.
  struct Parts {
    const Scheduler& scheduler;
    Store& store;
    JobServer& server;
    BackgroundTasks& files;   // short: reads and writes in the spool
    BackgroundTasks& probes;  // long: asks nodes
    SubmissionFiles& submissions;
    ImageRequests& images;
    Terminals& terminals;
    Learning& learning;
    ExpectedRest expected;
    StepInput& input;  // of the next step
    const Settings& settings;
    std::function<AnswerClock()> clock;
    std::function<DaemonFacts()> facts;
    const RefusedPlan& refused;
    std::function<std::function<Result<std::string>()>(NodeId)> node_facts;  // see NodeQuestions
    std::function<std::optional<JobUse>(JobId)> cpu;                         // none: no such job is known
    std::function<AccountRows()> accounts;
    NodeRoster& roster;
    std::function<bool(NodeId)> held_by_other;            // do VMs of another cluster run on the node?
    std::function<std::vector<OrphanVm>()> orphans = {};  // likewise, and the next
    std::function<Result<void>(const OrphanVm&, std::uint32_t uid)> reclaim = {};
    PowerFacts power = {};
    AccountFacts account_facts = {};
    HaRequests ha = {};
  };
  explicit RequestHandler(Parts parts);

  // The client gets exactly one reply, now or later.
  void take(Incoming incoming);
  // Answers requests whose turn it is, until none is left or the time of one turn of the loop is spent.
  void answer_waiting();
  [[nodiscard]] bool has_waiting() const;
  // The step of this reply is on disk: replies to its client, and to those that repeated the request.
  void deliver(const DeferredReply& promise);

 private:
  using Time = WaitingClient::Time;
  // What is needed to reply later.
  struct Ticket {
    ClientToken client;
    std::string body_sha256;
    Time deadline = Time::max();
    std::optional<IdempotencyKey> key{};  // of the first request with it
  };

  [[nodiscard]] const CoreState& state() const { return parts_.scheduler.cluster().state(); }
  // May the turn of this request, whose answer may be long, come now? Its client must read its answers.
  [[nodiscard]] bool may_go(const Incoming& incoming) const;
  void carry_out(Incoming incoming);
  [[nodiscard]] bool has_expired(const Ticket& ticket) const;
  void send(const ClientToken& client, const std::optional<IdempotencyKey>& key, const Reply& reply);
  void reply(const Ticket& to, const Reply& reply);
  void refuse(const Ticket& to, Error error);
  void answer(const Ticket& to, Result<std::string> body);
  [[nodiscard]] NodeQuestions::Answer answerer(const Ticket& to) {
    return [this, to](Result<std::string> body) { answer(to, std::move(body)); };
  }
  // The events go into the next step; the answer is sent when it is on disk.
  void answer_when_durable(const Ticket& to, std::vector<Event> events, std::string body);

  [[nodiscard]] Sight sight(const Peer& peer) const;
  // May this client make the request? A job that it does not see is not there.
  [[nodiscard]] Result<void> is_allowed(const Request& request, const Peer& peer) const;
  // False: the key was used before, and the request is answered as the first one was, or refused.
  bool claim(Ticket& ticket, IdempotencyKey key);

  void on(const Ticket& to, const Peer& peer, const Hello& request);
  void on(const Ticket& to, const Peer& peer, const List& request);
  void on(const Ticket& to, const Peer& peer, const Show& request);
  void on(const Ticket& to, const Peer& peer, const Why& request);
  void on(const Ticket& to, const Peer& peer, const Events& request);
  void on(const Ticket& to, const Peer& peer, const Cancel& request);
  void on(const Ticket& to, const Peer& peer, const Hold& request);
  void on(const Ticket& to, const Peer& peer, const ReleaseJob& request);
  void on(const Ticket& to, const Peer& peer, const Requeue& request);
  void on(const Ticket& to, const Peer& peer, const SetNeed& request);
  void on(const Ticket& to, const Peer& peer, const Evolve& request);
  void on(const Ticket& to, const Peer& peer, const Logs& request);
  void on(const Ticket& to, const Peer& peer, const Accounts& request);
  void on(const Ticket& to, const Peer& peer, const AccountShow& request);
  void on(const Ticket& to, const Peer& peer, const AccountUsage& request);
  void on(const Ticket& to, const Peer& peer, const NodeList& request);
  void on(const Ticket& to, const Peer& peer, const NodeShow& request);
  void on(const Ticket& to, const Peer& peer, const NodeProbe& request);
  void on(const Ticket& to, const Peer& peer, const NodeOrphans& request);
  void on(const Ticket& to, const Peer& peer, const NodeReclaim& request);
  void on(const Ticket& to, const Peer& peer, const PlanShow& request);
  void on(const Ticket& to, const Peer& peer, const PlanApply& request);
  void on(const Ticket& to, const Peer& peer, const Status& request);
  void change(const Ticket& to, JobId job, const std::function<Result<JobChange>()>& change_of,
              bool in_any_case = false);
  void answer_command(const Ticket& to, OperatorCommands::Answered answered);
  void change_node(const Ticket& to, const Peer& peer, const Request& request);
  void submit(Ticket to, const Peer& peer, Submit& request, Blob archive);
  void submit_many(Ticket to, const Peer& peer, SubmitMany& request, Blob archive);
  void take_files(const Ticket& to, std::vector<Submission> jobs, SubmissionFiles::Handed handed,
                  bool are_many);
  void accept(const Ticket& to, std::vector<Submission> jobs, bool are_many);

  Parts parts_;
  Spool spool_;
  Acceptance acceptance_;
  NodeQuestions nodes_;
  KeysInWork keys_;
  OperatorCommands commands_;
  FairQueue<ConnectionId, Incoming> questions_;  // that may take long
  FairQueue<ConnectionId, Incoming> consoles_;   // requests for output
  std::uint32_t reads_ = 0;                      // of output, under way
};

}  // namespace aliquot
