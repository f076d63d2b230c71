#include "tools/sim/needs/watched_needs.hpp"

#include <algorithm>

#include "policies/needs/need_words.hpp"

namespace aliquot {
namespace {

constexpr Duration kOften = seconds(1);
constexpr Duration kUnsettled = seconds(30);
constexpr Duration kSeldom = seconds(60);
// Of the jobs that run, at most one in so many is probed at a time; one may always be.
constexpr std::int64_t kJobsForAProbe = 20;

needs::NeedMode mode_of(NeedSource source) {
  switch (source) {
    case NeedSource::learned:
      return needs::NeedMode::learned;
    case NeedSource::learned_up:
      return needs::NeedMode::learned_up;
    case NeedSource::declared:
    case NeedSource::oracle:
      break;
  }
  return needs::NeedMode::declared;
}

// A program that needs t cores of n vCPUs, and uses u of them, is ready without running for n - u n / t of
// the time.
needs::Observation observation(const ModelUse& use, std::uint32_t vcpus, Instant from, Instant to) {
  const auto working = std::clamp<std::int64_t>((use.needed.raw + kMillion - 1) / kMillion, 1, vcpus);
  const Cpu ran{multiply_divide(use.used.raw, working * kMillion, use.needed.raw)};
  const Duration waited{multiply_divide((to - from).raw, working * kMillion - ran.raw, kMillion)};
  return {0, from, to, use.used, use.allowed, waited, waited, vcpus};
}

}  // namespace

Instant WatchedNeeds::next_due() const {
  Instant next = kNever;
  for (const auto& [id, job] : jobs_) next = std::min(next, job.due);
  return next;
}

void WatchedNeeds::plan_next(Watched& job, Instant now) {
  const Duration quiet = now - job.changed;
  job.due = now + (quiet < kUnsettled ? kOften : std::min(quiet, kSeldom));
}

// How many more jobs may be probed now.
std::int64_t WatchedNeeds::probes_left() const {
  std::int64_t running = 0, probed = 0;
  for (const auto& [id, job] : jobs_) {
    running += job.use ? 1 : 0;
    probed += job.watch.is_probed() ? 1 : 0;
  }
  return std::max<std::int64_t>(1, running / kJobsForAProbe) - probed;
}

// The use up to now.
void WatchedNeeds::see(Watched& job, Instant now) {
  if (!job.use || job.from >= now) return;
  job.watch.observe(observation(*job.use, job.vcpus, job.from, now));
  job.from = now;
  ++figures_.observations;
}

void WatchedNeeds::observe(Instant now, const Cluster& cluster, std::vector<Event>& events) {
  std::int64_t left = source_ == NeedSource::learned_up ? probes_left() : 0;
  for (auto& [id, job] : jobs_) {
    if (job.due > now) continue;
    see(job, now);
    plan_next(job, now);
    const Job& known = cluster.view().jobs.at(id);
    const Cpu need = known.demand.need;
    const bool was_probed = job.watch.is_probed();
    const auto change = job.watch.decide(need, known.yield, now, left > 0);
    left += std::int64_t{was_probed} - std::int64_t{job.watch.is_probed()};
    if (!change) continue;
    ++figures_.changes[static_cast<std::size_t>(change->kind)];
    if (change->need == need) continue;
    job.changed = now;
    plan_next(job, now);
    const auto confidence = static_cast<std::uint32_t>(change->confidence * 100);
    events.emplace_back(NeedLearned{id, change->need, change->used, confidence,
                                    needs::explain(*change, job.watch.terms())});
  }
}

void WatchedNeeds::after_step(Instant now, const Step& step, const Cluster& cluster,
                              ModelHypervisor& hypervisor, std::vector<Event>& events) {
  for (const JobOutcome& outcome : step.ended) jobs_.erase(outcome.job);
  for (const Action& action : step.actions) add(head(action).job, cluster);
  for (auto& [id, job] : jobs_) follow(id, job, now, cluster, hypervisor, events);
}

void WatchedNeeds::add(JobId id, const Cluster& cluster) {
  const JobRecord* record = cluster.record(id);
  if (!record || jobs_.contains(id)) return;
  const Submission& submission = *record->submission;
  const std::uint32_t vcpus = vcpus_of(submission);
  const Cpu declared = submission.demand.need;
  const Cpu most = std::max(declared, std::min(cores(vcpus), capacity_));
  const needs::NeedTerms terms{mode_of(source_), declared, declared * submission.demand.min_yield, most};
  jobs_.emplace(id, Watched{needs::NeedWatch(terms), vcpus});
}

void WatchedNeeds::follow(JobId id, Watched& job, Instant now, const Cluster& cluster,
                          ModelHypervisor& hypervisor, std::vector<Event>& events) {
  const std::optional<ModelUse> use = hypervisor.use_of(id);
  const bool same =
      use && job.use && use->used == job.use->used && use->allowed == job.use->allowed && use->since <= now;
  if (same || (!use && !job.use)) return;
  see(job, now);
  if (!job.use || !use || use->since > now) job.watch.forget();
  job.use = use;
  job.from = use ? use->since : now;
  job.changed = job.from;
  job.due = use ? job.from + kOften : kNever;
  const Cpu need = cluster.view().jobs.at(id).demand.need;
  if (source_ == NeedSource::oracle && use && use->needed != need)
    events.emplace_back(NeedChanged{id, use->needed, "another phase"});
}

}  // namespace aliquot
