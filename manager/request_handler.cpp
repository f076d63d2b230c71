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
#include "manager/api/explain/plan_answers.hpp"
#include "manager/api/explain/why_answer.hpp"
#include "manager/clock.hpp"
#include "manager/hypervisor/files.hpp"
#include "manager/job_owner.hpp"
#include "manager/node_requests.hpp"
#include "manager/start_terms.hpp"
#include "manager/submission_terms.hpp"
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
         std::holds_alternative<Why>(request) || std::holds_alternative<PlanShow>(request) ||
         std::holds_alternative<Show>(request) || std::holds_alternative<NodeList>(request) ||
         std::holds_alternative<ImageList>(request) || std::holds_alternative<ImageShow>(request) ||
         std::holds_alternative<NodeShow>(request) || std::holds_alternative<NodeDrain>(request);
}

WaitingClient::Time deadline_of(const Incoming& incoming) {
  const RequestHeader& header = incoming.header;
  if (!header.deadline_ms) return WaitingClient::Time::max();
  auto sent = incoming.client.received;
  if (header.sent_us) {
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
  if (record && !record->leaving) return {};
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

// When it may start; error: never.
Result<void> set_start(const RequestHandler::Parts& parts, const Submit& request, Submission& submission,
                       const Sight& sight) {
  if (request.begin_unix_us) submission.start.begin = instant_of(*request.begin_unix_us, parts.clock());
  return check_start(submission, parts.scheduler.cluster(), parts.store, &sight);
}

// While its files were copied, what it depends on may have ended. Error: they are not needed any more.
Result<void> can_still_start(const RequestHandler::Parts& parts, const Submission& submission) {
  auto ok = check_start(submission, parts.scheduler.cluster(), parts.store, nullptr);
  if (!ok) parts.submissions.release(submission.program);
  return ok;
}

}  // namespace

RequestHandler::RequestHandler(Parts parts)
    : parts_(std::move(parts)),
      spool_(parts_.settings.spool_dir),
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
          "too many requests of this kind wait for their turn; ask again in "
          "a second"});
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
  std::visit(
      [&]<class R>(const R& request) {
        if constexpr (OperatorCommand<R>)
          answer_command(ticket, commands_.on(incoming.peer, request));
        else if constexpr (ImageRequest<R>)
          parts_.images.on(incoming.peer, request, answerer(ticket));
        else if constexpr (TerminalRequest<R>)
          parts_.terminals.on(incoming.peer, request,
                              [this, ticket](const Reply& with) { reply(ticket, with); });
        else if constexpr (changes_a_node<R>)
          change_node(ticket, incoming.peer, request);
        else if constexpr (!std::is_same_v<R, Submit>)
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
  for (Event& event : events) parts_.input.events.push_back(std::move(event));
  parts_.input.replies.push_back({to.client, Reply{{}, std::move(body)}, to.key, to.body_sha256});
}

Sight RequestHandler::sight(const Peer& peer) const {
  auto known = std::make_shared<std::map<JobId, std::optional<std::uint32_t>>>();
  return Sight(parts_.settings.api.privacy, peer, [this, known = std::move(known)](JobId job) {
    const auto [at, is_new] = known->try_emplace(job);
    if (is_new) at->second = owner_of(job, parts_.scheduler.cluster(), parts_.store);
    return at->second;
  });
}

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
  const auto use = parts_.cpu(request.job);
  if (const auto ended = parts_.store.ended(request.job))
    return answer(to, show_answer(state().view, *ended, use, parts_.clock(), sight(peer)));
  answer(to, show_answer(state(), request.job, use, parts_.clock(), sight(peer), parts_.expected));
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
  auto ok = can_change(parts_, request.job);
  if (!ok && !starts_anew(parts_.scheduler.cluster().record(request.job)))
    return refuse(to, std::move(ok.error()));
  const std::string why = "cancelled by uid " + std::to_string(peer.uid);
  answer_when_durable(to, {Cancelled{request.job, JobResult::cancelled, why}},
                      done_answer(request.job, "cancelled"));
}

void RequestHandler::on(const Ticket& to, const Peer&, const Hold& request) {
  change(to, request.job, [&] { return JobChange{{HoldChanged{request.job, true}}, "held"}; });
}
void RequestHandler::on(const Ticket& to, const Peer&, const ReleaseJob& request) {
  change(to, request.job, [&] { return end_hold(state(), request); });
}

void RequestHandler::on(const Ticket& to, const Peer& peer, const SetNeed& request) {
  change(to, request.job, [&] { return change_need(state(), request, peer.uid); });
}
void RequestHandler::on(const Ticket& to, const Peer& peer, const Evolve& request) {
  change(to, request.job, [&] { return change_size(state(), request, parts_.settings.limits, peer.uid); });
}

void RequestHandler::change(const Ticket& to, JobId job,
                            const std::function<Result<JobChange>()>& change_of) {
  if (auto ok = can_change(parts_, job); !ok) return refuse(to, std::move(ok.error()));
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
  const bool all = parts_.settings.api.privacy != "private" || (peer.is_proved && peer.is_operator);
  answer(to, accounts_answer(all ? parts_.accounts()
                                 : only(parts_.accounts(), accounts_of(peer, parts_.server.roles())),
                             request, parts_.clock()));
}

void RequestHandler::on(const Ticket& to, const Peer&, const NodeList&) {
  answer(to, node_list_answer(state(), parts_.clock(), node_source(), parts_.power));
}

void RequestHandler::on(const Ticket& to, const Peer& peer, const NodeShow& request) {
  answer(to,
         node_show_answer(state(), request.node, sight(peer), parts_.clock(), node_source(), parts_.power));
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

NodeSource RequestHandler::node_source() const {
  return [this](const std::string& node) { return parts_.roster.source(node); };
}

void RequestHandler::on(const Ticket& to, const Peer& peer, const PlanShow&) {
  const Plan plan = parts_.scheduler.preview();
  answer(to, plan_answer(state(), parts_.scheduler.policy(), plan, check_plan(state().view, plan),
                         parts_.clock(), sight(peer)));
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

std::size_t RequestHandler::jobs_accepted() const {
  const JobId next = state().next_job;
  const std::uint64_t promised = last_given_ < next ? 0 : last_given_.raw - next.raw + 1;
  return state().records.size() + promised;
}

void RequestHandler::submit(Ticket to, const Peer& peer, Submit& request, Blob archive) {
  if (parts_.input.blocked && !request.dry_run) return refuse(to, cannot_be_stored(*parts_.input.blocked));
  const bool has_key = !request.dry_run && !request.idempotency_key.empty();
  if (has_key && !claim(to, {peer.uid, request.idempotency_key})) return;
  auto admitted = admitted_submission(
      request, peer,
      {state().view, parts_.settings, parts_.server.roles(), parts_.learning, jobs_accepted()});
  if (!admitted) return refuse(to, std::move(admitted.error()));
  Submission submission = std::move(*admitted);
  if (auto ok = set_start(parts_, request, submission, sight(peer)); !ok)
    return refuse(to, std::move(ok.error()));
  if (!archive.bytes.empty() || !request.archive_file.empty() || needs_contents(submission.program)) {
    auto handed = handed_over(request, submission, std::move(archive), peer, state());
    return take_files(to, std::move(submission), std::move(handed));
  }
  if (request.dry_run) return answer(to, dry_run_of(submission, parts_.scheduler, parts_.clock()));
  accept(to, std::move(submission));
}

// The files of the program must be in the spool before the job exists.
void RequestHandler::take_files(const Ticket& to, Submission submission, SubmissionFiles::Handed handed) {
  const bool dry_run = handed.dry_run;
  parts_.submissions.take(std::move(handed), [this, to, dry_run, submission = std::move(submission)](
                                                 Result<Program> program) mutable {
    if (!program) return refuse(to, std::move(program.error()));
    submission.program = std::move(*program);
    if (dry_run) return answer(to, dry_run_of(submission, parts_.scheduler, parts_.clock()));
    const bool blocked = parts_.input.blocked.has_value();
    if (!has_expired(to) && !blocked) return accept(to, std::move(submission));
    refuse(to, blocked ? cannot_be_stored(*parts_.input.blocked) : deadline_passed());
    parts_.submissions.release(submission.program);
  });
}

void RequestHandler::accept(const Ticket& to, Submission submission) {
  if (auto ok = can_still_start(parts_, submission); !ok) return refuse(to, std::move(ok.error()));
  last_given_ = std::max(JobId{last_given_.raw + 1}, state().next_job);
  std::string body = submitted_answer(last_given_, submission);
  answer_when_durable(to, {Submitted{last_given_, std::move(submission)}}, std::move(body));
}

void RequestHandler::on(const Ticket& to, const Peer&, const Logs& request) {
  const JobRecord* record = parts_.scheduler.cluster().record(request.job);
  const auto ended = record ? std::nullopt : parts_.store.ended(request.job);
  if (!record && !ended) return refuse(to, no_such_job(request.job));
  const std::size_t tasks =
      record ? record->vms.size() : std::max(ended->submission->demand.tasks, ended->tasks_ever);
  if (request.task >= tasks) return refuse(to, no_such_task(request.job, request.task, tasks));
  const JobData& data = record ? record->submission->data : ended->submission->data;
  if (request.results && data.stage_out.empty()) return refuse(to, no_results(request.job));
  const bool over = !record || record->vms[request.task].state == VmState::ended;
  const std::string path = request.results ? spool_.results(request.job, request.task)
                                           : spool_.console(request.job, request.task);
  ++reads_;
  parts_.files.run([this, to, request, path, over,
                    wrote = ended && ended->started]() -> std::function<void()> {
    const bool removed = wrote && !file_exists(path);
    FileChunk chunk = read_chunk(path, request.offset, std::min(request.limit, kMaxLogChunk));
    return [this, to, request, over, removed, chunk = std::move(chunk)]() mutable {
      --reads_;
      if (removed) return refuse(to, output_removed(request.job));
      const bool all = over && request.offset + chunk.bytes.size() >= chunk.size;
      reply(to, Reply{{}, logs_answer(request.offset, chunk.bytes.size(), all), std::move(chunk.bytes)});
    };
  });
}

}  // namespace aliquot
