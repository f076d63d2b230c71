#include "manager/cpu_book.hpp"

#include "manager/api/touched_jobs.hpp"
#include "manager/shares_in_force.hpp"

namespace aliquot {

CpuBook::CpuBook(Parts parts, Instant now) : parts_(parts) {
  const CoreState& state = parts_.scheduler.cluster().state();
  for (const auto& [id, record] : state.records) {
    const auto kept = parts_.store.cpu_use(id);
    if (kept) ledger_.take_up(id, *kept);
    // The caps of its VMs were in force while the manager was away.
    ledger_.shares(id, shares_in_force(state, id, parts_.speeds), kept ? kept->to : now);
  }
}

void CpuBook::on_step(const Step& step, const ClusterView&) {
  const CoreState& state = parts_.scheduler.cluster().state();
  for (const JobId job : touched_jobs(step, state))
    if (state.records.contains(job))
      ledger_.shares(job, shares_in_force(state, job, parts_.speeds), step.now);
  for (const JobOutcome& outcome : step.ended) ledger_.end(outcome.job, step.now);
}

void CpuBook::read(const std::vector<VmUsage>& readings, Instant at) {
  parts_.metrics.vm_used(ledger_.read(readings, at), parts_.scheduler.cluster().view());
}

void CpuBook::keep(Instant now) {
  if (auto changed = ledger_.take_changed(now); !changed.empty()) parts_.store.keep_cpu(std::move(changed));
}

std::optional<JobUse> CpuBook::use(JobId job, Instant now) const {
  if (auto use = ledger_.use(job, now)) return use;
  return parts_.store.cpu_use(job);
}

}  // namespace aliquot
