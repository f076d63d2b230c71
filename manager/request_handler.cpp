#include "manager/request_handler.hpp"

#include <algorithm>
#include <fstream>
#include <utility>

#include "manager/api/answers/admission.hpp"
#include "manager/api/answers/cluster_answers.hpp"
#include "manager/api/answers/job_answers.hpp"
#include "manager/api/explain/plan_answers.hpp"
#include "manager/api/explain/why_answer.hpp"
#include "manager/hypervisor/files.hpp"

namespace aliquot {
namespace {

constexpr std::uint32_t kMaxLogChunk = 1 << 20;

struct Chunk {
  std::string bytes;
  std::uint64_t size = 0;  // of the whole file; 0 if there is none yet
};

Chunk read_chunk(const std::string& path, std::uint64_t offset, std::uint32_t limit) {
  Chunk chunk;
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return chunk;
  chunk.size = static_cast<std::uint64_t>(file.tellg());
  if (offset >= chunk.size) return chunk;
  chunk.bytes.resize(std::min<std::uint64_t>({limit, kMaxLogChunk, chunk.size - offset}));
  file.seekg(static_cast<std::streamoff>(offset));
  file.read(chunk.bytes.data(), static_cast<std::streamsize>(chunk.bytes.size()));
  chunk.bytes.resize(static_cast<std::size_t>(file.gcount()));
  return chunk;
}

}  // namespace

void RequestHandler::take(Incoming incoming) {
  const Ticket ticket{std::move(incoming.client), incoming.header.idem, std::move(incoming.body_sha256)};
  if (const auto allowed = authorize(incoming.request, incoming.peer, owner(incoming.request)); !allowed)
    return refuse(ticket, allowed.error());
  std::visit([&](auto& request) { on(ticket, incoming.peer, request); }, incoming.request);
}

void RequestHandler::reply(const Ticket& to, const Reply& reply) { parts_.server.reply(to.client, reply); }

void RequestHandler::refuse(const Ticket& to, Error error) { reply(to, Reply{std::move(error)}); }

void RequestHandler::answer(const Ticket& to, Result<std::string> body) {
  if (body)
    reply(to, Reply{{}, std::move(*body)});
  else
    refuse(to, std::move(body.error()));
}

void RequestHandler::answer_when_durable(const Ticket& to, std::vector<Event> events, std::string body) {
  for (Event& event : events) parts_.input.events.push_back(std::move(event));
  parts_.input.replies.push_back(
      {to.client, Reply{{}, std::move(body)}, to.idempotency_key, to.body_sha256});
}

std::optional<std::uint32_t> RequestHandler::owner(const Request& request) const {
  std::optional<JobId> job;
  std::visit(
      [&](const auto& r) {
        if constexpr (requires { JobId{r.job}; }) job = r.job;
      },
      request);
  if (!job) return std::nullopt;
  if (const JobRecord* record = parts_.scheduler.cluster().record(*job)) return record->submission->uid;
  if (const auto ended = parts_.store.ended(*job)) return ended->submission->uid;
  return std::nullopt;
}

Result<void> RequestHandler::can_change(JobId job) const {
  const JobRecord* record = parts_.scheduler.cluster().record(job);
  if (record && !record->leaving) return {};
  if (record)
    return fail(ErrorKind::conflict,
                "job " + std::to_string(job.raw) + " is ending already: " + record->note);
  if (const auto ended = parts_.store.ended(job))
    return fail(ErrorKind::conflict, "job " + std::to_string(job.raw) +
                                         " has ended already; see `aliquot show " +
                                         std::to_string(job.raw) + "`");
  return tl::unexpected<Error>(no_such_job(job));
}

// --- jobs ----------------------------------------------------------------------------------------------

void RequestHandler::on(const Ticket& to, const Peer&, const List& request) {
  std::vector<JobOutcome> ended;
  if (request.all) ended = parts_.store.ended_jobs(request.limit);
  answer(to, list_answer(state(), ended, request.limit, parts_.clock()));
}

void RequestHandler::on(const Ticket& to, const Peer&, const Show& request) {
  if (const auto ended = parts_.store.ended(request.job))
    return answer(to, show_answer(state().view, *ended, parts_.cpu(request.job), parts_.clock()));
  answer(to, show_answer(state(), request.job, parts_.cpu(request.job), parts_.clock()));
}

void RequestHandler::on(const Ticket& to, const Peer&, const Why& request) {
  const auto story = parts_.store.story(request.job, kHistoryShown);
  if (const auto ended = parts_.store.ended(request.job))
    return answer(to, why_answer(*ended, parts_.clock(), state().view, story));
  answer(to, why_answer(state(), parts_.scheduler.policy(), request.job, parts_.clock(),
                        parts_.refused.last(), story));
}

void RequestHandler::on(const Ticket& to, const Peer& peer, const Cancel& request) {
  if (auto ok = can_change(request.job); !ok) return refuse(to, std::move(ok.error()));
  const std::string why = "cancelled by uid " + std::to_string(peer.uid);
  answer_when_durable(to, {Cancelled{request.job, JobResult::cancelled, why}},
                      done_answer(request.job, "cancelled"));
}

void RequestHandler::on(const Ticket& to, const Peer&, const Hold& request) {
  if (auto ok = can_change(request.job); !ok) return refuse(to, std::move(ok.error()));
  answer_when_durable(to, {HoldChanged{request.job, true}}, done_answer(request.job, "held"));
}

void RequestHandler::on(const Ticket& to, const Peer&, const ReleaseJob& request) {
  if (auto ok = can_change(request.job); !ok) return refuse(to, std::move(ok.error()));
  if (!state().view.jobs.at(request.job).held)
    return refuse(to, {ErrorKind::conflict, "job " + std::to_string(request.job.raw) + " is not held"});
  answer_when_durable(to, {HoldChanged{request.job, false}}, done_answer(request.job, "released"));
}

// --- the cluster ---------------------------------------------------------------------------------------

void RequestHandler::on(const Ticket& to, const Peer& peer, const Hello&) {
  answer(to, hello_answer(state(), parts_.settings, parts_.facts(), peer));
}

void RequestHandler::on(const Ticket& to, const Peer&, const Events& request) {
  const auto events = parts_.store.events(request.job, request.after, request.limit);
  answer(to, events_answer(state().view, events, request.after, request.limit, parts_.clock()));
}

void RequestHandler::on(const Ticket& to, const Peer&, const Accounts& request) {
  answer(to, accounts_answer(parts_.accounts(), request, parts_.clock()));
}

void RequestHandler::on(const Ticket& to, const Peer&, const NodeList&) {
  answer(to, node_list_answer(state()));
}

void RequestHandler::on(const Ticket& to, const Peer&, const NodeShow& request) {
  answer(to, node_show_answer(state(), request.node));
}

void RequestHandler::on(const Ticket& to, const Peer&, const NodeProbe& request) {
  const auto& nodes = state().view.nodes;
  const auto node =
      std::find_if(nodes.begin(), nodes.end(), [&](const Node& n) { return n.name == request.node; });
  if (node == nodes.end()) return refuse(to, no_such_node(state(), request.node));
  parts_.probes.run([this, to, id = node->id]() -> std::function<void()> {
    return [this, to, facts = parts_.node_facts(id)]() mutable { answer(to, std::move(facts)); };
  });
}

void RequestHandler::on(const Ticket& to, const Peer&, const PolicyShow&) {
  answer(to, policy_answer(state(), parts_.scheduler.policy()));
}

void RequestHandler::on(const Ticket& to, const Peer&, const ModeShow&) {
  answer(to, mode_answer(state()));
}

void RequestHandler::on(const Ticket& to, const Peer&, const PlanShow&) {
  const Plan plan = parts_.scheduler.preview();
  answer(to, plan_answer(state(), parts_.scheduler.policy(), plan, check_plan(state().view, plan),
                         parts_.clock()));
}

void RequestHandler::on(const Ticket& to, const Peer&, const Status&) {
  answer(to, status_answer(state(), parts_.scheduler.policy(), parts_.facts(), parts_.clock()));
}

void RequestHandler::on(const Ticket& to, const Peer&, const PolicySet& request) {
  const auto policy = make_policy(request.spec);
  if (!policy) return refuse(to, policy.error());
  answer_when_durable(to, {PolicyChanged{(*policy)->name()}}, policy_answer(state(), **policy));
}

void RequestHandler::on(const Ticket& to, const Peer& peer, const PeriodSet& request) {
  const auto spec = with_period(parts_.scheduler.policy().name(), request.period);
  if (!spec) return refuse(to, spec.error());
  on(to, peer, PolicySet{*spec});
}

void RequestHandler::on(const Ticket& to, const Peer&, const ModeSet& request) {
  CoreState after;
  after.mode = request.mode;
  answer_when_durable(to, {ModeChanged{request.mode}}, mode_answer(after));
}

// --- submissions and consoles: what takes a file
// ----------------------------------------------------------

bool RequestHandler::is_repeated(const Ticket& ticket) {
  if (ticket.idempotency_key.empty()) return false;
  const auto before = parts_.store.answered(ticket.idempotency_key);
  if (before && before->body_sha256 == ticket.body_sha256)
    answer(ticket, before->reply);
  else if (before)
    refuse(ticket, {ErrorKind::conflict, "the idempotency key '" + ticket.idempotency_key +
                                             "' was used for another request; take a fresh one"});
  else if (keys_in_work_.contains(ticket.idempotency_key))
    refuse(ticket,
           {ErrorKind::unavailable, "this request is being worked on already; ask again in a second"});
  else
    return false;
  return true;
}

void RequestHandler::on(const Ticket& to, const Peer& peer, Submit& request) {
  if (is_repeated(to)) return;
  const AdmissionRules rules{parts_.settings.limits, parts_.settings.api.max_request,
                             parts_.settings.hypervisor.vm_overhead};
  const ClusterView& view = state().view;
  const auto model = device_model(request.gpu_model, view.nodes, view.device_models);
  if (!model) return refuse(to, model.error());
  request.submission.demand.devices.model = *model;
  if (const auto ok = admit(request, view.nodes, state().records.size(), rules, view.device_models); !ok)
    return refuse(to, ok.error());
  Submission submission = charged(std::move(request.submission), rules.vm_overhead, peer.uid);
  if (request.dry_run) return dry_run(to, submission);
  auto* command = std::get_if<LinuxCommand>(&submission.program);
  if (!command || request.archive.empty()) return accept(to, std::move(submission));
  store_archive(to, std::move(submission), std::move(request.archive));
}

// The archive must be in the spool before the job exists.
void RequestHandler::store_archive(const Ticket& to, Submission submission, std::string archive) {
  keys_in_work_.insert(to.idempotency_key);
  parts_.files.run([this, to, submission = std::move(submission),
                    archive = std::move(archive)]() mutable -> std::function<void()> {
    const std::string path = spool_.archive(std::get<LinuxCommand>(submission.program).archive_sha256);
    auto written = make_directories(spool_.root() + "/archives");
    if (written && !file_exists(path))
      written = write_atomically(path, [&](const Writer& write) { return write(archive); });
    return [this, to, submission = std::move(submission), written = std::move(written)]() mutable {
      keys_in_work_.erase(to.idempotency_key);
      if (written)
        accept(to, std::move(submission));
      else
        refuse(to, std::move(written.error()));
    };
  });
}

void RequestHandler::accept(const Ticket& to, Submission submission) {
  last_given_ = std::max(JobId{last_given_.raw + 1}, state().next_job);
  answer_when_durable(to, {Submitted{last_given_, std::move(submission)}}, submitted_answer(last_given_));
}

// Makes the decision that would be made if the job were submitted now, on a copy of the view.
void RequestHandler::dry_run(const Ticket& to, const Submission& submission) {
  ClusterView view = state().view;
  Job job;
  job.id = state().next_job;
  job.demand = submission.demand;
  job.submitted = job.phase_since = view.now;
  job.held = submission.hold;
  view.jobs.emplace(job.id, job);
  view.cause = {};
  if (!job.held) view.cause.arrived = {job.id};
  const Policy& policy = parts_.scheduler.policy();
  answer(to, dry_run_answer(view, job.id, submission, policy, policy.decide(view), parts_.clock()));
}

void RequestHandler::on(const Ticket& to, const Peer&, const Logs& request) {
  const JobRecord* record = parts_.scheduler.cluster().record(request.job);
  const auto ended = record ? std::nullopt : parts_.store.ended(request.job);
  if (!record && !ended) return refuse(to, no_such_job(request.job));
  const Submission& submission = record ? record->submission : ended->submission;
  const std::size_t tasks = record ? record->vms.size() : submission.demand.tasks;
  if (request.task >= tasks)
    return refuse(to, {ErrorKind::not_found, "job " + std::to_string(request.job.raw) + " has tasks 0 to " +
                                                 std::to_string(tasks - 1) + ", not " +
                                                 std::to_string(request.task)});
  const bool over = !record || record->vms[request.task].state == VmState::ended;
  const std::string path = spool_.console(request.job, request.task);
  parts_.files.run([this, to, request, path, over]() -> std::function<void()> {
    Chunk chunk = read_chunk(path, request.offset, request.limit);
    return [this, to, request, over, chunk = std::move(chunk)]() mutable {
      const bool all = over && request.offset + chunk.bytes.size() >= chunk.size;
      reply(to, Reply{{}, logs_answer(request.offset, chunk.bytes.size(), all), std::move(chunk.bytes)});
    };
  });
}

}  // namespace aliquot
