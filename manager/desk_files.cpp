// The desk's requests that take a file: submissions with their archives, and the consoles of tasks.
#include <algorithm>
#include <fstream>

#include "manager/api/answers/admission.hpp"
#include "manager/api/answers/job_answers.hpp"
#include "manager/api/explain/plan_answers.hpp"
#include "manager/desk.hpp"
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

bool Desk::repeated(const Ticket& ticket) {
  if (ticket.idempotency_key.empty()) return false;
  const auto before = parts_.store.answered(ticket.idempotency_key);
  if (before && before->body_sha256 == ticket.body_sha256)
    answer(ticket, before->reply);
  else if (before)
    refuse(ticket, {ErrorKind::conflict, "the idempotency key '" + ticket.idempotency_key +
                                             "' was used for another request; take a fresh one"});
  else if (keys_in_hand_.contains(ticket.idempotency_key))
    refuse(ticket,
           {ErrorKind::unavailable, "this request is being worked on already; ask again in a second"});
  else
    return false;
  return true;
}

void Desk::on(const Ticket& to, const Peer& peer, Submit& request) {
  if (repeated(to)) return;
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

// The archive must stand in the spool before the job may be known.
void Desk::store_archive(const Ticket& to, Submission submission, std::string archive) {
  keys_in_hand_.insert(to.idempotency_key);
  parts_.files.run([this, to, submission = std::move(submission),
                    archive = std::move(archive)]() mutable -> std::function<void()> {
    const std::string path = spool_.archive(std::get<LinuxCommand>(submission.program).archive_sha256);
    auto written = make_directories(spool_.root() + "/archives");
    if (written && !file_exists(path))
      written = write_atomically(path, [&](const Writer& write) { return write(archive); });
    return [this, to, submission = std::move(submission), written = std::move(written)]() mutable {
      keys_in_hand_.erase(to.idempotency_key);
      if (written)
        accept(to, std::move(submission));
      else
        refuse(to, std::move(written.error()));
    };
  });
}

void Desk::accept(const Ticket& to, Submission submission) {
  last_given_ = std::max(JobId{last_given_.raw + 1}, state().next_job);
  promise(to, {Submitted{last_given_, std::move(submission)}}, submitted_answer(last_given_));
}

// The very decision that would be taken if the job were submitted now, on a copy of the view.
void Desk::dry_run(const Ticket& to, const Submission& submission) {
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

void Desk::on(const Ticket& to, const Peer&, const Logs& request) {
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
