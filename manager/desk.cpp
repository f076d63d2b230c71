#include "manager/desk.hpp"

#include <algorithm>
#include <utility>

#include "manager/api/answers/cluster_answers.hpp"
#include "manager/api/answers/job_answers.hpp"
#include "manager/api/explain/plan_answers.hpp"
#include "manager/api/explain/why_answer.hpp"

namespace aliquot {

void Desk::take(Incoming incoming) {
  const Ticket ticket{std::move(incoming.client), incoming.header.idem, std::move(incoming.body_sha256)};
  if (const auto allowed = authorize(incoming.request, incoming.peer, owner(incoming.request)); !allowed)
    return refuse(ticket, allowed.error());
  std::visit([&](auto& request) { on(ticket, incoming.peer, request); }, incoming.request);
}

void Desk::reply(const Ticket& to, const Reply& reply) { parts_.server.reply(to.client, reply); }

void Desk::refuse(const Ticket& to, Error error) { reply(to, Reply{std::move(error)}); }

void Desk::answer(const Ticket& to, Result<std::string> body) {
  if (body)
    reply(to, Reply{{}, std::move(*body)});
  else
    refuse(to, std::move(body.error()));
}

void Desk::promise(const Ticket& to, std::vector<Event> events, std::string body) {
  for (Event& event : events) parts_.gathered.events.push_back(std::move(event));
  parts_.gathered.replies.push_back(
      {to.client, Reply{{}, std::move(body)}, to.idempotency_key, to.body_sha256});
}

std::optional<std::uint32_t> Desk::owner(const Request& request) const {
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

// A word that changes a job is an error when there is nothing it could change.
Result<void> Desk::standing(JobId job) const {
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

// --- jobs
// --------------------------------------------------------------------------------------------------

void Desk::on(const Ticket& to, const Peer&, const List& request) {
  std::vector<JobOutcome> ended;
  if (request.all) ended = parts_.store.ended_jobs(request.limit);
  answer(to, list_answer(state(), ended, request.limit, parts_.clock()));
}

void Desk::on(const Ticket& to, const Peer&, const Show& request) {
  if (const auto ended = parts_.store.ended(request.job))
    return answer(to, show_answer(state().view, *ended, parts_.cpu(request.job), parts_.clock()));
  answer(to, show_answer(state(), request.job, parts_.cpu(request.job), parts_.clock()));
}

void Desk::on(const Ticket& to, const Peer&, const Why& request) {
  const auto story = parts_.store.story(request.job, kHistoryShown);
  if (const auto ended = parts_.store.ended(request.job))
    return answer(to, why_answer(*ended, parts_.clock(), state().view, story));
  answer(to, why_answer(state(), parts_.scheduler.policy(), request.job, parts_.clock(),
                        parts_.refused.last(), story));
}

void Desk::on(const Ticket& to, const Peer& peer, const Cancel& request) {
  if (auto ok = standing(request.job); !ok) return refuse(to, std::move(ok.error()));
  const std::string why = "cancelled by uid " + std::to_string(peer.uid);
  promise(to, {Cancelled{request.job, JobResult::cancelled, why}}, done_answer(request.job, "cancelled"));
}

void Desk::on(const Ticket& to, const Peer&, const Hold& request) {
  if (auto ok = standing(request.job); !ok) return refuse(to, std::move(ok.error()));
  promise(to, {HoldChanged{request.job, true}}, done_answer(request.job, "held"));
}

void Desk::on(const Ticket& to, const Peer&, const ReleaseJob& request) {
  if (auto ok = standing(request.job); !ok) return refuse(to, std::move(ok.error()));
  if (!state().view.jobs.at(request.job).held)
    return refuse(to, {ErrorKind::conflict, "job " + std::to_string(request.job.raw) + " is not held"});
  promise(to, {HoldChanged{request.job, false}}, done_answer(request.job, "released"));
}

// --- the cluster
// -------------------------------------------------------------------------------------------

void Desk::on(const Ticket& to, const Peer& peer, const Hello&) {
  answer(to, hello_answer(state(), parts_.settings, parts_.facts(), peer));
}

void Desk::on(const Ticket& to, const Peer&, const Events& request) {
  const auto events = parts_.store.events(request.job, request.after, request.limit);
  answer(to, events_answer(state().view, events, request.after, request.limit, parts_.clock()));
}

void Desk::on(const Ticket& to, const Peer&, const Accounts& request) {
  answer(to, accounts_answer(parts_.accounts(), request, parts_.clock()));
}

void Desk::on(const Ticket& to, const Peer&, const NodeList&) { answer(to, node_list_answer(state())); }

void Desk::on(const Ticket& to, const Peer&, const NodeShow& request) {
  answer(to, node_show_answer(state(), request.node));
}

void Desk::on(const Ticket& to, const Peer&, const NodeProbe& request) {
  const auto& nodes = state().view.nodes;
  const auto node =
      std::find_if(nodes.begin(), nodes.end(), [&](const Node& n) { return n.name == request.node; });
  if (node == nodes.end()) return refuse(to, no_such_node(state(), request.node));
  parts_.probes.run([this, to, id = node->id]() -> std::function<void()> {
    return [this, to, facts = parts_.node_facts(id)]() mutable { answer(to, std::move(facts)); };
  });
}

void Desk::on(const Ticket& to, const Peer&, const PolicyShow&) {
  answer(to, policy_answer(state(), parts_.scheduler.policy()));
}

void Desk::on(const Ticket& to, const Peer&, const ModeShow&) { answer(to, mode_answer(state())); }

void Desk::on(const Ticket& to, const Peer&, const PlanShow&) {
  const Plan plan = parts_.scheduler.preview();
  answer(to, plan_answer(state(), parts_.scheduler.policy(), plan, check_plan(state().view, plan),
                         parts_.clock()));
}

void Desk::on(const Ticket& to, const Peer&, const Status&) {
  answer(to, status_answer(state(), parts_.scheduler.policy(), parts_.facts(), parts_.clock()));
}

void Desk::on(const Ticket& to, const Peer&, const PolicySet& request) {
  const auto policy = make_policy(request.spec);
  if (!policy) return refuse(to, policy.error());
  promise(to, {PolicyChanged{(*policy)->name()}}, policy_answer(state(), **policy));
}

void Desk::on(const Ticket& to, const Peer& peer, const PeriodSet& request) {
  const auto spec = with_period(parts_.scheduler.policy().name(), request.period);
  if (!spec) return refuse(to, spec.error());
  on(to, peer, PolicySet{*spec});
}

void Desk::on(const Ticket& to, const Peer&, const ModeSet& request) {
  CoreState after;
  after.mode = request.mode;
  promise(to, {ModeChanged{request.mode}}, mode_answer(after));
}

}  // namespace aliquot
