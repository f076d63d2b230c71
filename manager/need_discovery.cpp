#include "manager/need_discovery.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "policies/needs/need_words.hpp"

namespace aliquot {
namespace {

needs::NeedTerms terms_of(const Submission& job) {
  const DeclaredNeed declared = declared_need(job);
  const std::optional<Cpu> limit = limited_need(job);
  return {job.need_mode.value_or(needs::NeedMode::declared), limit.value_or(declared.need),
          declared.need * declared.min_yield,
          limit.value_or(std::max(cores(vcpus_of(job)), declared.need))};
}

bool same_run(const VmUsage& a, const VmUsage& b) {
  return a.incarnation == b.incarnation && a.run == b.run && a.node == b.node;
}

std::optional<Duration> less(const std::optional<Duration>& now, const std::optional<Duration>& before) {
  return now && before ? std::optional(*now - *before) : std::nullopt;
}

}  // namespace

void NeedDiscovery::every_second() {
  const CoreState& state = parts_.scheduler.cluster().state();
  std::erase_if(jobs_, [&](const auto& each) { return !state.view.jobs.contains(each.first); });
  // One that was placed once is watched to its end; of those that wait there is nothing to learn.
  std::set<JobId> jobs(state.view.index.placed().begin(), state.view.index.placed().end());
  for (const auto& [id, watched] : jobs_) jobs.insert(id);
  for (const JobId id : jobs) {
    const JobRecord& record = state.records.at(id);
    if (!record.submission->need_mode) continue;
    const needs::NeedTerms terms = terms_of(record.submission);
    if (terms.mode == needs::NeedMode::declared) continue;
    const auto known = jobs_.find(id);
    if (known == jobs_.end())
      jobs_.emplace(id, Watched{needs::NeedWatch(terms), {}});
    else if (known->second.watch.terms() != terms)  // its user has declared another need
      known->second = Watched{needs::NeedWatch(terms), {}};
  }
}

void NeedDiscovery::read(const std::vector<VmUsage>& readings, Instant at) {
  if (jobs_.empty()) return;
  const CoreState& state = parts_.scheduler.cluster().state();
  std::set<JobId> seen;
  for (const VmUsage& reading : readings) {
    const auto job = jobs_.find(reading.job);
    const auto record = state.records.find(reading.job);
    if (job == jobs_.end() || record == state.records.end() || reading.task >= record->second.vms.size())
      continue;
    observe(job->second, record->second, reading, at);
    seen.insert(reading.job);
  }
  if (parts_.input.blocked || state.mode != Mode::automatic) return;
  auto probes = probes_left();
  for (const JobId id : seen) {
    Watched& watched = jobs_.at(id);
    const bool was_probed = watched.watch.is_probed();
    decide(id, watched, at, probes > 0);
    if (!was_probed && watched.watch.is_probed()) --probes;
  }
}

// Between two readings the cap may have changed: what was allowed is the lower of both.
void NeedDiscovery::observe(Watched& watched, const JobRecord& record, const VmUsage& reading, Instant at) {
  const Vm& vm = record.vms[reading.task];
  const Cpu allowed = record.submission->demand.need * vm.cap;
  const auto [entry, is_first] = watched.last.try_emplace(reading.task, Reading{reading, at, allowed});
  const Reading last = std::exchange(entry->second, Reading{reading, at, allowed});
  const Duration span = at - last.at;
  if (is_first || !same_run(last.counters, reading) || span.raw <= 0 || vm.units == 0) return;
  const std::int64_t speed =
      reading.node.raw < parts_.speeds.size() ? parts_.speeds[reading.node.raw] : kMillion;
  const Duration own = reading.used.cpu - last.counters.used.cpu;
  watched.watch.observe(
      {reading.task, last.at, at, Cpu{multiply_divide(own.raw, speed, span.raw) / vm.units},
       std::min(allowed, last.allowed), less(reading.used.throttled, last.counters.used.throttled),
       less(reading.used.waited, last.counters.used.waited), reading.vcpus, speed});
}

void NeedDiscovery::decide(JobId id, Watched& watched, Instant at, bool may_probe) {
  const CoreState& state = parts_.scheduler.cluster().state();
  const auto job = state.view.jobs.find(id);
  if (job == state.view.jobs.end() || job->second.placement.empty()) return;
  const Demand& demand = job->second.demand;
  const auto change = watched.watch.decide(demand.need, job->second.yield, at, may_probe);
  if (!change) return;
  const auto confidence = static_cast<std::uint32_t>(std::clamp(change->confidence, 0.0, 1.0) * 100);
  parts_.input.events.emplace_back(NeedLearned{id, change->need, change->used, confidence,
                                               needs::explain(*change, watched.watch.terms())});
}

std::int64_t NeedDiscovery::probes_left() const {
  const auto& jobs = parts_.scheduler.cluster().view().jobs;
  const auto running =
      std::ranges::count_if(jobs, [](const auto& each) { return !each.second.placement.empty(); });
  const auto probed =
      std::ranges::count_if(jobs_, [](const auto& each) { return each.second.watch.is_probed(); });
  const std::uint32_t share = parts_.settings.most_probed;
  return share == 0 ? 0 : std::max<std::int64_t>(1, running * share / 100) - probed;
}

}  // namespace aliquot
