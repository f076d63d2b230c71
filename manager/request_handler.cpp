#include "manager/request_handler.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "config/quantities.hpp"
#include "manager/answer_pages.hpp"
#include "manager/api/answers/admission.hpp"
#include "manager/api/answers/cluster_answers.hpp"
#include "manager/api/answers/job_answers.hpp"
#include "manager/api/answers/key_answers.hpp"
#include "manager/api/explain/plan_answers.hpp"
#include "manager/api/explain/why_answer.hpp"
#include "manager/array_members.hpp"
#include "manager/clock.hpp"
#include "manager/hypervisor/files.hpp"
#include "manager/job_owner.hpp"
#include "manager/node_requests.hpp"
#include "manager/plan_requests.hpp"
#include "policies/model/hypervisor_kind.hpp"

namespace aliquot {
namespace {

using std::chrono::steady_clock;

constexpr std::uint32_t kMaxLogChunk = 1 << 20;
constexpr std::size_t kWaitingOfConnection = 16;
constexpr std::size_t kWaiting = 8192;
constexpr std::uint32_t kReadsAtOnce = 8;  // each holds up to kMaxLogChunk
constexpr auto kTurn = std::chrono::milliseconds(5);

// Its answer may be long, or takes a decision.
bool may_take_long(const Request& request) {
  const auto* submit = std::get_if<Submit>(&request);
  return (submit && submit->dry_run) || std::holds_alternative<List>(request) ||
         std::holds_alternative<Events>(request) || std::holds_alternative<Accounts>(request) ||
         std::holds_alternative<AccountShow>(request) || std::holds_alternative<AccountUsage>(request) ||
         std::holds_alternative<Why>(request) || std::holds_alternative<PlanShow>(request) ||
         std::holds_alternative<Show>(request) || std::holds_alternative<NodeList>(request) ||
         std::holds_alternative<ImageList>(request) || std::holds_alternative<ImageShow>(request) ||
         std::holds_alternative<NodeShow>(request) || std::holds_alternative<NodeDrain>(request) ||
         std::holds_alternative<PlanApply>(request);
}

// A remote client counts by the clock of its own machine, which may be wrong: it is not asked.
WaitingClient::Time deadline_of(const Incoming& incoming) {
  const RequestHeader& header = incoming.header;
  if (!header.deadline_ms) return WaitingClient::Time::max();
  auto sent = incoming.client.received;
  if (header.sent_us && incoming.peer.key.empty()) {
    const std::chrono::microseconds age(LiveClock::wall_us() - *header.sent_us);
    sent = std::min(sent, steady_clock::now() - age);
  }
  return sent + std::chrono::milliseconds(*header.deadline_ms);
}

Error no_such_task(JobId job, std::uint32_t task, std::size_t tasks) {
  return {ErrorKind::not_found, "job " + std::to_string(job.raw) + " has tasks 0 to " +
                                    std::to_string(tasks - 1) + ", not " + std::to_string(task)};
}

Error no_results(JobId job) {
  return {ErrorKind::not_found,
          "job " + std::to_string(job.raw) +
              " hands out no result files; name them with --stage-out when you submit"};
}

Error output_removed(JobId job) {
  return {ErrorKind::not_found,
          "the output of job " + std::to_string(job.raw) +
              " is not kept any longer: the site removes the output of ended jobs after a time, or when "
              "there is too much of it (spool.keep, spool.keep_size)"};
}

// For requests that would change something.
Error cannot_be_stored(const Error& why) {
  return {ErrorKind::unavailable, "the manager cannot store anything now, so nothing is changed: " +
                                      why.message + ". It goes on by itself when there is room"};
}

Error deadline_passed() {
  return {
      ErrorKind::timeout,
      "deadline exceeded: the time of this request had passed when its turn came, and it was not carried "
      "out; ask again, or wait longer (--timeout)"};
}

// Makes the decision that would be made if the job were submitted now, on a copy of the view.
std::string dry_run_of(const Submission& submission, const Scheduler& scheduler, const AnswerClock& clock) {
  const CoreState& state = scheduler.cluster().state();
  ClusterView view = state.view;
  Job job;
  job.id = state.next_job;
  job.demand = submission.demand;
  job.submitted = job.phase_since = view.now;
  job.held = submission.hold;
  job.bound = asked_kind(view, job.demand);
  view.jobs.emplace(job.id, job);
  view.cause = {};
  if (!job.held) view.cause.arrived = {job.id};
  const Policy& policy = scheduler.policy();
  return dry_run_answer(view, job.id, submission, policy, policy.decide(view), clock);
}

bool starts_anew(const JobRecord* record) { return record && record->starts_anew; }

// Error: there is nothing left of the job that a request could change.
Result<void> can_change(const RequestHandler::Parts& parts, JobId job) {
  const JobRecord* record = parts.scheduler.cluster().record(job);
  const bool is_ending = record && (record->leaving || (record->array && record->array->stopped));
  if (record && !is_ending) return {};
  if (record && record->starts_anew)
    return fail(ErrorKind::conflict, "job " + std::to_string(job.raw) +
                                         " starts anew when its VMs are gone; ask again in a moment");
  if (record)
    return fail(ErrorKind::conflict,
                "job " + std::to_string(job.raw) + " is ending already: " + record->note);
  if (const auto ended = parts.store.ended(job))
    return fail(ErrorKind::conflict, "job " + std::to_string(job.raw) +
                                         " has ended already; see `aliquot show " +
                                         std::to_string(job.raw) + "`");
  return tl::unexpected<Error>(no_such_job(job));
}

// What a request for output reads.
struct Output {
  std::string path;
  bool is_over = false;      // nothing more will be written
  bool was_written = false;  // the file was there once
};
Result<Output> output_of(const Logs& request, const RequestHandler::Parts& parts, const Spool& spool) {
  const JobRecord* record = parts.scheduler.cluster().record(request.job);
  const auto ended = record ? std::nullopt : parts.store.ended(request.job);
  if (!record && !ended) return tl::unexpected<Error>(no_such_job(request.job));
  const Submission& job = record ? *record->submission : *ended->submission;
  if (auto ok = is_no_array(request.job, job); !ok) return tl::unexpected<Error>(ok.error());
  const std::size_t tasks = record ? record->vms.size() : std::max(job.demand.tasks, ended->tasks_ever);
  if (request.task >= tasks) return tl::unexpected<Error>(no_such_task(request.job, request.task, tasks));
  if (request.results && job.data.stage_out.empty()) return tl::unexpected<Error>(no_results(request.job));
  const bool is_over = !record || record->vms[request.task].state == VmState::ended;
  return Output{
      request.results ? spool.results(request.job, request.task) : spool.console(request.job, request.task),
      is_over, ended && ended->started};
}

PlanSituation plan_situation(const RequestHandler::Parts& parts, std::uint32_t uid, Sight sight) {
  return {parts.scheduler, parts.input, parts.facts().cluster, parts.clock(), uid, std::move(sight)};
}

Sight sight_of(const RequestHandler::Parts& parts, const Peer& peer) {
  auto known = std::make_shared<std::map<JobId, std::optional<std::uint32_t>>>();
  return Sight(parts.settings.api.privacy, peer, [&parts, known = std::move(known)](JobId job) {
    const auto [at, is_new] = known->try_emplace(job);
    if (is_new) at->second = owner_of(job, parts.scheduler.cluster(), parts.store);
    return at->second;
  });
}

bool sees_all_accounts(const RequestHandler::Parts& parts, const Peer& peer) {
  return parts.settings.api.privacy != "private" || (peer.is_proved && peer.is_operator);
}

Result<std::string> sums_of_accounts(const RequestHandler::Parts& parts, const Peer& peer,
                                     const Accounts& request) {
  AccountRows rows = parts.accounts();
  if (!sees_all_accounts(parts, peer))
    rows = only(std::move(rows), accounts_of(peer, parts.server.roles()));
  return accounts_answer(rows, request, parts.clock());
}

// None: it sees all.
std::optional<OwnAccounts> own_accounts(const RequestHandler::Parts& parts, const Peer& peer) {
  if (sees_all_accounts(parts, peer)) return std::nullopt;
  return OwnAccounts{accounts_of(peer, parts.server.roles()), peer.uid};
}

Result<std::string> tree_of_accounts(const RequestHandler::Parts& parts, const Peer& peer,
                                     const AccountShow& request) {
  const Cluster& cluster = parts.scheduler.cluster();
  return account_tree_answer(cluster.state(), cluster.account_uses(), parts.account_facts.standings(),
                             request, parts.clock(), own_accounts(parts, peer));
}

std::string usage_of_accounts(const RequestHandler::Parts& parts, const Peer& peer,
                              const AccountUsage& request) {
  if (request.by == UsageBy::job)
    return job_usage_answer(parts.account_facts.cpu_of_jobs(
                                {request.first_hour, request.end_hour, request.after, kMostUsageRows + 1}),
                            request, parts.clock(), own_accounts(parts, peer));
  return account_usage_answer(parts.account_facts.cpu_between(request.first_hour, request.end_hour),
                              request, parts.clock(), own_accounts(parts, peer));
}

bool applies_plan(const Event& event) { return std::holds_alternative<PlanApplied>(event); }

bool has_files(const Submission& job) { return !contents_of(job.program).empty(); }

NodeSource source_in(const NodeRoster& roster) {
  return [&roster](const std::string& node) { return roster.source(node); };
}

}  // namespace

RequestHandler::RequestHandler(Parts parts)
    : parts_(std::move(parts)),
      spool_(parts_.settings.spool_dir),
      acceptance_({parts_.scheduler, parts_.store, parts_.settings, parts_.learning, parts_.clock,
                   parts_.account_facts.weight}),
      nodes_({parts_.scheduler, parts_.probes, parts_.clock, parts_.node_facts, parts_.orphans,
              parts_.reclaim}),
      commands_(
          {parts_.scheduler, parts_.settings, parts_.clock, parts_.roster, parts_.learning, parts_.input}),
      questions_(kWaitingOfConnection, kWaiting),
      consoles_(kWaitingOfConnection, kWaiting) {}

void RequestHandler::take(Incoming incoming) {
  const bool console = std::holds_alternative<Logs>(incoming.request);
  if (!console && !may_take_long(incoming.request)) return carry_out(std::move(incoming));
  auto& queue = console ? consoles_ : questions_;
  const ConnectionId connection = incoming.client.connection;
  if (queue.accepts(connection)) return queue.push(connection, std::move(incoming));
  refuse({std::move(incoming.client), {}},
         {ErrorKind::unavailable,
          "too many requests of this kind wait for their turn; ask again in a second"});
}

bool RequestHandler::may_go(const Incoming& incoming) const {
  return parts_.server.is_reading(incoming.client);
}

bool RequestHandler::has_waiting() const {
  const auto may = [this](const Incoming& incoming) { return may_go(incoming); };
  return questions_.has(may) || (reads_ < kReadsAtOnce && consoles_.has(may));
}

void RequestHandler::answer_waiting() {
  const auto may = [this](const Incoming& incoming) { return may_go(incoming); };
  while (reads_ < kReadsAtOnce) {
    auto next = consoles_.pop(may);
    if (!next) break;
    carry_out(std::move(*next));
  }
  const Time end = steady_clock::now() + kTurn;
  do {
    auto next = questions_.pop(may);
    if (!next) return;
    carry_out(std::move(*next));
  } while (steady_clock::now() < end);
}

void RequestHandler::carry_out(Incoming incoming) {
  const Time deadline = deadline_of(incoming);
  Ticket ticket{std::move(incoming.client), std::move(incoming.body_sha256), deadline};
  if (has_expired(ticket)) return refuse(ticket, deadline_passed());
  if (may_take_long(incoming.request) && parts_.server.has_left(ticket.client))
    return refuse(ticket, {ErrorKind::unavailable, "the client has left"});
  if (const auto allowed = is_allowed(incoming.request, incoming.peer); !allowed)
    return refuse(ticket, allowed.error());
  if (auto* asked = std::get_if<Submit>(&incoming.request))
    return submit(std::move(ticket), incoming.peer, *asked, std::move(incoming.archive));
  if (auto* asked = std::get_if<SubmitMany>(&incoming.request))
    return submit_many(std::move(ticket), incoming.peer, *asked, std::move(incoming.archive));
  std::visit(
      [&]<class R>(const R& request) {
        if constexpr (OperatorCommand<R>)
          answer_command(ticket, commands_.on(incoming.peer, request));
        else if constexpr (KeyRequest<R>)
          answer(ticket, key_answer(parts_.server, request, LiveClock::wall_us() / kMillion));
        else if constexpr (ImageRequest<R>)
          parts_.images.on(incoming.peer, request, answerer(ticket));
        else if constexpr (TerminalRequest<R>)
          parts_.terminals.on(incoming.peer, request,
                              [this, ticket](const Reply& with) { reply(ticket, with); });
        else if constexpr (HaRequest<R>)
          answer_of_managers(parts_.ha, request, parts_.probes, answerer(ticket));
        else if constexpr (changes_a_node<R>)
          change_node(ticket, incoming.peer, request);
        else if constexpr (!std::is_same_v<R, Submit> && !std::is_same_v<R, SubmitMany>)
          on(ticket, incoming.peer, request);
      },
      incoming.request);
}

// A request that others repeat is carried out as long as one of them waits.
bool RequestHandler::has_expired(const Ticket& ticket) const {
  const Time now = steady_clock::now();
  return ticket.key ? keys_.expired(*ticket.key, now) : ticket.deadline <= now;
}

void RequestHandler::send(const ClientToken& client, const std::optional<IdempotencyKey>& key,
                          const Reply& reply) {
  if (!key) return parts_.server.reply(client, reply);
  for (const ClientToken& waiting : keys_.finish(*key)) parts_.server.reply(waiting, reply);
}

void RequestHandler::deliver(const DeferredReply& promise) {
  send(promise.client, promise.key, promise.reply);
}

void RequestHandler::reply(const Ticket& to, const Reply& reply) { send(to.client, to.key, reply); }

void RequestHandler::refuse(const Ticket& to, Error error) { reply(to, Reply{std::move(error)}); }

void RequestHandler::answer(const Ticket& to, Result<std::string> body) {
  if (!body) return refuse(to, std::move(body.error()));
  reply(to, Reply{{}, std::move(*body)});
}

void RequestHandler::answer_when_durable(const Ticket& to, std::vector<Event> events, std::string body) {
  if (parts_.input.blocked) return refuse(to, cannot_be_stored(*parts_.input.blocked));
  const bool is_plan = std::ranges::any_of(events, applies_plan);
  for (Event& event : events) parts_.input.events.push_back(std::move(event));
  parts_.input.replies.push_back({to.client, Reply{{}, std::move(body)}, to.key, to.body_sha256, is_plan});
}

Sight RequestHandler::sight(const Peer& peer) const { return sight_of(parts_, peer); }

Result<void> RequestHandler::is_allowed(const Request& request, const Peer& peer) const {
  const auto job = job_of(request);
  const auto owner = job ? owner_of(*job, parts_.scheduler.cluster(), parts_.store) : std::nullopt;
  if (auto allowed = authorize(request, peer, owner); !allowed) return allowed;
  if (job && !needs_identity(request) && sight(peer).of(owner) == Sight::Part::nothing)
    return tl::unexpected<Error>(no_such_job(*job));
  return {};
}

// --- jobs ----------------------------------------------------------------------------------------------

void RequestHandler::on(const Ticket& to, const Peer& peer, const List& request) {
  const List page = page_of(request);
  const auto ended = ended_of_page(parts_.store, state(), page);
  answer(to, list_answer(state(), page, ended, parts_.clock(), sight(peer), parts_.expected));
}

void RequestHandler::on(const Ticket& to, const Peer& peer, const Show& request) {
  const auto job = job_meant(state(), parts_.store, request);
  if (!job) return refuse(to, job.error());
  const auto use = parts_.cpu(*job);
  if (const auto ended = parts_.store.ended(*job))
    return answer(to, show_answer(state().view, *ended, use, parts_.clock(), sight(peer)));
  answer(to, show_answer(state(), *job, use, parts_.clock(), sight(peer), parts_.expected));
}

void RequestHandler::on(const Ticket& to, const Peer& peer, const Why& request) {
  const auto story = parts_.store.story(request.job, kHistoryShown);
  const auto use = parts_.cpu(request.job);
  if (const auto ended = parts_.store.ended(request.job))
    return answer(to, why_answer(*ended, parts_.clock(), state().view, story, sight(peer), use));
  answer(to, why_answer(state(), parts_.scheduler.policy(), request.job, parts_.clock(),
                        parts_.refused.last(), story, sight(peer), use));
}

void RequestHandler::on(const Ticket& to, const Peer& peer, const Cancel& request) {
  const auto cancel = [&] { return cancel_job(state(), request, peer.uid); };
  change(to, request.job, cancel, starts_anew(parts_.scheduler.cluster().record(request.job)));
}

void RequestHandler::on(const Ticket& to, const Peer&, const Hold& request) {
  change(to, request.job, [&] { return JobChange{{HoldChanged{request.job, true}}, "held"}; });
}
void RequestHandler::on(const Ticket& to, const Peer&, const ReleaseJob& request) {
  change(to, request.job, [&] { return end_hold(state(), request); });
}

void RequestHandler::on(const Ticket& to, const Peer& peer, const Requeue& request) {
  change(to, request.job, [&] { return requeue_job(state(), request, peer.uid); });
}
void RequestHandler::on(const Ticket& to, const Peer& peer, const SetNeed& request) {
  change(to, request.job, [&] { return change_need(state(), request, peer.uid); });
}
void RequestHandler::on(const Ticket& to, const Peer& peer, const Evolve& request) {
  change(to, request.job, [&] { return change_size(state(), request, parts_.settings.limits, peer.uid); });
}

void RequestHandler::change(const Ticket& to, JobId job,
                            const std::function<Result<JobChange>()>& change_of, bool in_any_case) {
  if (auto ok = can_change(parts_, job); !ok && !in_any_case) return refuse(to, std::move(ok.error()));
  auto change = change_of();
  if (!change) return refuse(to, std::move(change.error()));
  answer_when_durable(to, std::move(change->events), done_answer(job, change->done));
}

void RequestHandler::answer_command(const Ticket& to, OperatorCommands::Answered answered) {
  if (!answered) return refuse(to, std::move(answered.error()));
  if (!answered->changes) return answer(to, std::move(answered->body));
  answer_when_durable(to, std::move(answered->events), std::move(answered->body));
}

// --- the cluster ---------------------------------------------------------------------------------------

void RequestHandler::on(const Ticket& to, const Peer& peer, const Hello&) {
  answer(to, hello_answer(state(), parts_.settings, parts_.facts(), peer,
                          accounts_of(peer, parts_.server.roles()), parts_.submissions.copying(peer.uid)));
}

void RequestHandler::on(const Ticket& to, const Peer& peer, const Events& request) {
  const Events page = page_of(request);
  answer(to, events_answer(state().view, events_of_page(parts_.store, page),
                           page.before.value_or(page.after), page.limit, parts_.clock(), sight(peer)));
}

void RequestHandler::on(const Ticket& to, const Peer& peer, const Accounts& request) {
  answer(to, sums_of_accounts(parts_, peer, request));
}

void RequestHandler::on(const Ticket& to, const Peer& peer, const AccountShow& request) {
  answer(to, tree_of_accounts(parts_, peer, request));
}

void RequestHandler::on(const Ticket& to, const Peer& peer, const AccountUsage& request) {
  answer(to, usage_of_accounts(parts_, peer, request));
}

void RequestHandler::on(const Ticket& to, const Peer&, const NodeList&) {
  answer(to, node_list_answer(state(), parts_.clock(), source_in(parts_.roster), parts_.power));
}

void RequestHandler::on(const Ticket& to, const Peer& peer, const NodeShow& request) {
  answer(to, node_show_answer(state(), request.node, sight(peer), parts_.clock(), source_in(parts_.roster),
                              parts_.power, rows_of_drained(parts_.scheduler, request.node)));
}

void RequestHandler::on(const Ticket& to, const Peer&, const NodeProbe& request) {
  nodes_.probe(request.node, answerer(to));
}

void RequestHandler::on(const Ticket& to, const Peer&, const NodeOrphans&) {
  nodes_.list_orphans(answerer(to));
}

void RequestHandler::on(const Ticket& to, const Peer& peer, const NodeReclaim&) {
  nodes_.reclaim(peer.uid, answerer(to));
}

void RequestHandler::on(const Ticket& to, const Peer& peer, const PlanShow& request) {
  answer(to, shown_plan(request, plan_situation(parts_, peer.uid, sight(peer))));
}
void RequestHandler::on(const Ticket& to, const Peer& peer, const PlanApply& request) {
  answer_command(to, applied_plan(request, plan_situation(parts_, peer.uid, sight(peer))));
}

void RequestHandler::on(const Ticket& to, const Peer&, const Status&) {
  answer(to, status_answer(state(), parts_.scheduler.policy(), parts_.facts(), parts_.clock()));
}

void RequestHandler::change_node(const Ticket& to, const Peer& peer, const Request& request) {
  auto change = change_of_node(request, {parts_.scheduler, parts_.input.events, parts_.held_by_other,
                                         parts_.clock(), peer.uid, sight(peer)});
  if (!change) return refuse(to, std::move(change.error()));
  if (change->events.empty()) return answer(to, std::move(change->body));
  answer_when_durable(to, std::move(change->events), std::move(change->body));
}

// --- submissions and consoles: what takes a file -------------------------------------------------------

bool RequestHandler::claim(Ticket& ticket, IdempotencyKey key) {
  if (key.text.empty()) return true;
  const Error differs{ErrorKind::conflict, "the idempotency key '" + key.text +
                                               "' was used for another request; take a fresh one"};
  const auto role = keys_.take(key, ticket.body_sha256, {ticket.client, ticket.deadline});
  if (role == KeysInWork::Role::differs) refuse(ticket, differs);
  if (role != KeysInWork::Role::first) return false;
  ticket.key = std::move(key);
  const auto before = parts_.store.answered(*ticket.key);
  if (!before) return true;
  if (before->body_sha256 == ticket.body_sha256)
    answer(ticket, before->reply);
  else
    refuse(ticket, differs);
  return false;
}

void RequestHandler::submit(Ticket to, const Peer& peer, Submit& request, Blob archive) {
  if (parts_.input.blocked && !request.dry_run) return refuse(to, cannot_be_stored(*parts_.input.blocked));
  if (!request.dry_run && !claim(to, {peer.uid, request.idempotency_key})) return;
  auto job = acceptance_.admitted(request, {peer, parts_.server.roles(), sight(peer)});
  if (!job) return refuse(to, std::move(job.error()));
  if (!archive.bytes.empty() || !request.archive_file.empty() || needs_contents(job->program)) {
    auto handed = handed_over(request, *job, std::move(archive), peer, state());
    return take_files(to, {std::move(*job)}, std::move(handed), false);
  }
  if (request.dry_run) return answer(to, dry_run_of(*job, parts_.scheduler, parts_.clock()));
  accept(to, {std::move(*job)}, false);
}

void RequestHandler::submit_many(Ticket to, const Peer& peer, SubmitMany& request, Blob archive) {
  if (parts_.input.blocked) return refuse(to, cannot_be_stored(*parts_.input.blocked));
  if (!claim(to, {peer.uid, request.idempotency_key})) return;
  auto jobs = acceptance_.all_admitted(request, {peer, parts_.server.roles(), sight(peer)});
  if (!jobs) return refuse(to, std::move(jobs.error()));
  const auto of = std::ranges::find_if(*jobs, has_files);
  if (of == jobs->end()) return accept(to, std::move(*jobs), true);
  auto handed = handed_over(request.jobs.front(), *of, std::move(archive), peer, state());
  take_files(to, std::move(*jobs), std::move(handed), true);
}

// The files, which the programs share, must be in the spool before the jobs exist.
void RequestHandler::take_files(const Ticket& to, std::vector<Submission> jobs,
                                SubmissionFiles::Handed handed, bool are_many) {
  const bool dry_run = handed.dry_run;
  parts_.submissions.take(std::move(handed), [this, to, dry_run, are_many,
                                              jobs = std::move(jobs)](Result<Program> program) mutable {
    if (!program) return refuse(to, std::move(program.error()));
    if (!are_many) jobs.front().program = *program;
    if (dry_run) return answer(to, dry_run_of(jobs.front(), parts_.scheduler, parts_.clock()));
    const bool blocked = parts_.input.blocked.has_value();
    if (has_expired(to) || blocked) {
      refuse(to, blocked ? cannot_be_stored(*parts_.input.blocked) : deadline_passed());
      return parts_.submissions.release(*program);
    }
    for (auto more = std::ranges::count_if(jobs, has_files); more > 1; --more)
      parts_.submissions.use_again(*program);
    accept(to, std::move(jobs), are_many);
  });
}

void RequestHandler::accept(const Ticket& to, std::vector<Submission> jobs, bool are_many) {
  auto accepted = acceptance_.accept(jobs, are_many);
  if (accepted) return answer_when_durable(to, std::move(accepted->events), std::move(accepted->body));
  for (const Submission& job : jobs) parts_.submissions.release(job.program);
  refuse(to, std::move(accepted.error()));
}

void RequestHandler::on(const Ticket& to, const Peer&, const Logs& request) {
  const auto output = output_of(request, parts_, spool_);
  if (!output) return refuse(to, output.error());
  ++reads_;
  parts_.files.run([this, to, request, output = *output]() -> std::function<void()> {
    const bool removed = output.was_written && !file_exists(output.path);
    FileChunk chunk = read_chunk(output.path, request.offset, std::min(request.limit, kMaxLogChunk));
    return [this, to, request, over = output.is_over, removed, chunk = std::move(chunk)]() mutable {
      --reads_;
      if (removed) return refuse(to, output_removed(request.job));
      const bool all = over && request.offset + chunk.bytes.size() >= chunk.size;
      reply(to, Reply{{}, logs_answer(request.offset, chunk.bytes.size(), all), std::move(chunk.bytes)});
    };
  });
}

}  // namespace aliquot
