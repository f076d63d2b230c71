#include "manager/cpu_accounting.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "manager/api/answers/job_answers.hpp"
#include "manager/api/explain/chronicle.hpp"
#include "monitor/outcome.hpp"

namespace aliquot {
namespace {

bool ever_had_vm(const JobRecord& record) {
  return std::ranges::any_of(record.vms, [](const Vm& vm) { return vm.incarnation > 0; });
}

bool is_in_force(const JobShares& shares) { return shares.promised.raw > 0 || !shares.granted.empty(); }

}  // namespace

CpuAccounting::CpuAccounting(Parts parts, Instant now)
    : parts_(std::move(parts)),
      hours_([this](std::int64_t hour) { return parts_.store.cpu_between(hour, hour + 1); },
             [this](std::int64_t hour) {
               return parts_.store.cpu_of_jobs({hour, hour + 1, {}, kJobsWithoutBound});
             }),
      counted_to_(now),
      accounts_(parts_.store) {
  take_up(now);
  const Instant last = counted_to_;
  const auto& records = parts_.scheduler.cluster().state().records;
  for (const auto& [id, before] : ledger_.cpu_times(last)) admit(id, records.at(id), before);
  count_hours(now);
}

void CpuAccounting::take_up(Instant now) {
  const CoreState& state = parts_.scheduler.cluster().state();
  // When all jobs with something in force were kept last, at one instant. What a job has that was not among
  // them came into force later.
  std::optional<Instant> kept_to;
  for (const auto& [id, record] : state.records) {
    if (!ever_had_vm(record)) continue;  // it has used nothing, as thousands that wait
    const auto kept = parts_.store.cpu_use(id);
    if (!kept) continue;
    ledger_.take_up(id, *kept);
    kept_to = std::max(kept_to, std::optional(kept->to));
  }
  for (const auto& [id, record] : state.records) {
    const Job* const job = planned_or_leaving(state, id);
    const Instant began = job != nullptr ? job->phase_since : now;
    const Instant since = std::min(now, std::max(began, kept_to.value_or(began)));
    const JobShares shares = shares_in_force(state, id, parts_.speeds, parts_.watts);
    // They were in force while the manager was away.
    ledger_.shares(id, shares, since);
    if (is_in_force(shares)) counted_to_ = std::min(counted_to_, since);
  }
}

void CpuAccounting::on_step(const Step& step, const ClusterView&) {
  end_hours(step.now);
  const CoreState& state = parts_.scheduler.cluster().state();
  for (const JobId job : affected_jobs(step, state)) {
    const auto record = state.records.find(job);
    if (record == state.records.end()) continue;
    ledger_.shares(job, shares_in_force(state, job, parts_.speeds, parts_.watts), step.now);
    admit(job, record->second, {});
  }
  for (const JobOutcome& outcome : step.ended) {
    ledger_.end(outcome.job, step.now);
    if (!outcome.submission->array) accounts_.ended(outcome, step.now);
  }
}

void CpuAccounting::admit(JobId job, const JobRecord& record, const CpuTime& counted) {
  hours_.admit(job, {record.submission->account, record.submission->uid}, counted);
}

void CpuAccounting::count_hours(Instant now) {
  for (;;) {
    const std::int64_t unix_us = parts_.calendar.unix_us(counted_to_);
    const std::int64_t hour = unix_us / kHourUs;
    hour_ends_ = counted_to_ + Duration{(hour + 1) * kHourUs - unix_us};
    counted_to_ = std::max(counted_to_, std::min(now, hour_ends_));
    hours_.count(ledger_.cpu_times(counted_to_), hour);
    if (now < hour_ends_) return;
  }
}

CpuByUser CpuAccounting::cpu_between(std::int64_t first, std::int64_t end, Instant now) {
  count_hours(now);
  CpuByUser sums = parts_.store.cpu_between(first, std::min(end, hours_.first_hour()));
  hours_.add_between(first, end, sums);
  return sums;
}

CpuByJob CpuAccounting::cpu_of_jobs(const JobHours& span, Instant now) {
  count_hours(now);
  JobHours stored = span;
  stored.end = std::min(span.end, hours_.first_hour());
  CpuByJob sums = parts_.store.cpu_of_jobs(stored);
  // Where the store has more, what it leaves out is of larger numbers.
  const bool is_cut = sums.size() >= span.at_most;
  const JobId last = is_cut && !sums.empty() ? sums.rbegin()->first : JobId{};
  hours_.add_jobs_between(span.first, span.end, span.after, sums);
  if (is_cut) sums.erase(sums.upper_bound(last), sums.end());
  while (sums.size() > span.at_most) sums.erase(std::prev(sums.end()));
  return sums;
}

void CpuAccounting::draw_changed(NodeId node, Instant now) {
  end_hours(now);
  const CoreState& state = parts_.scheduler.cluster().state();
  const auto is_there = [node](const Share& share) { return share.node == node; };
  for (const auto& [id, job] : state.view.jobs)
    if (std::ranges::any_of(job.placement, is_there))
      ledger_.shares(id, shares_in_force(state, id, parts_.speeds, parts_.watts), now);
}

void CpuAccounting::read(const std::vector<VmUsage>& readings, Instant at) {
  end_hours(at);
  const CoreState& state = parts_.scheduler.cluster().state();
  // A VM of a job that has made none is of before the store was restored: it is an orphan, not the job's.
  const auto is_orphan = [&state](const VmUsage& reading) {
    const auto record = state.records.find(reading.job);
    return record != state.records.end() && !ever_had_vm(record->second);
  };
  std::vector<VmUsage> of_jobs;
  std::ranges::remove_copy_if(readings, std::back_inserter(of_jobs), is_orphan);
  parts_.metrics.vm_used(ledger_.read(of_jobs, at), parts_.scheduler.cluster().view());
}

void CpuAccounting::keep(Instant now) {
  count_hours(now);
  // To the same instant: a manager that is killed takes up the jobs from there.
  now = counted_to_;
  // Before the ledger forgets the ended jobs.
  accounts_.count(now, [&](JobId job) { return use(job, now); });
  parts_.metrics.memory_told(ledger_.memory());
  auto changed = ledger_.take_changed(now);
  for (const JobId job : ledger_.forget_ended(now)) hours_.forget(job);
  auto hours = hours_.take_changed();
  if (!changed.empty() || !hours.empty()) parts_.store.keep_cpu(std::move(changed), std::move(hours));
}

std::optional<JobUse> CpuAccounting::use(JobId job, Instant now) const {
  if (auto use = ledger_.use(job, now)) return use;
  return parts_.store.cpu_use(job);
}

Duration CpuAccounting::granted(JobId job, Instant now) const {
  if (const auto granted = ledger_.granted(job, now)) return *granted;
  const auto kept = parts_.store.cpu_use(job);
  return kept ? kept->granted : Duration{};
}

AccountRows CpuAccounting::accounts(Instant now) const {
  AccountRows rows = accounts_.rows([&](JobId job) { return use(job, now); });
  const CoreState& state = parts_.scheduler.cluster().state();
  for (const auto& [id, record] : state.records) {
    const Job* job = planned_or_leaving(state, id);
    if (job == nullptr || record.array) continue;
    AccountRow& row = rows[record.submission->account];
    ++row.jobs[job_state(*job, record)];
    row.so_far.add(bounded_stretch_so_far(now - job->submitted, job->progress.at(now)));
    if (const auto use = ledger_.use(id, now)) row.cpu.add(*use);
  }
  return rows;
}

}  // namespace aliquot
