#include "manager/cpu_accounting.hpp"

#include <algorithm>
#include <utility>

#include "manager/api/answers/job_answers.hpp"
#include "manager/api/explain/chronicle.hpp"
#include "monitor/outcome.hpp"

namespace aliquot {

CpuAccounting::CpuAccounting(Parts parts, Instant now) : parts_(std::move(parts)), accounts_(parts_.store) {
  const CoreState& state = parts_.scheduler.cluster().state();
  for (const auto& [id, record] : state.records) {
    const auto kept = parts_.store.cpu_use(id);
    if (kept) ledger_.take_up(id, *kept);
    // The caps of its VMs were in force while the manager was away.
    ledger_.shares(id, shares_in_force(state, id, parts_.speeds, parts_.watts), kept ? kept->to : now);
  }
}

void CpuAccounting::on_step(const Step& step, const ClusterView&) {
  const CoreState& state = parts_.scheduler.cluster().state();
  for (const JobId job : affected_jobs(step, state))
    if (state.records.contains(job))
      ledger_.shares(job, shares_in_force(state, job, parts_.speeds, parts_.watts), step.now);
  for (const JobOutcome& outcome : step.ended) {
    ledger_.end(outcome.job, step.now);
    if (!outcome.submission->array) accounts_.ended(outcome, step.now);
  }
}

void CpuAccounting::draw_changed(NodeId node, Instant now) {
  const CoreState& state = parts_.scheduler.cluster().state();
  const auto is_there = [node](const Share& share) { return share.node == node; };
  for (const auto& [id, job] : state.view.jobs)
    if (std::ranges::any_of(job.placement, is_there))
      ledger_.shares(id, shares_in_force(state, id, parts_.speeds, parts_.watts), now);
}

void CpuAccounting::read(const std::vector<VmUsage>& readings, Instant at) {
  parts_.metrics.vm_used(ledger_.read(readings, at), parts_.scheduler.cluster().view());
}

void CpuAccounting::keep(Instant now) {
  // Before the ledger forgets the ended jobs.
  accounts_.count(now, [&](JobId job) { return use(job, now); });
  parts_.metrics.memory_told(ledger_.memory());
  if (auto changed = ledger_.take_changed(now); !changed.empty()) parts_.store.keep_cpu(std::move(changed));
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
