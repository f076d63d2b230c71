#include "manager/core/job_outcome.hpp"

#include <utility>

namespace aliquot {
namespace {

// The devices that its VMs held, those VMs that were ever created.
std::vector<DevicesHeld> devices_held(const JobRecord& record) {
  std::vector<DevicesHeld> held;
  for (std::size_t k = 0; k < record.devices.size(); ++k)
    if (record.vms[k].incarnation > 0) held.push_back({record.vms[k].node, record.devices[k]});
  return held;
}

}  // namespace

bool has_failed(const Vm& vm) {
  return vm.state == VmState::ended && vm.leaving == Leaving::no && vm.exit_code != 0;
}

JobOutcome outcome_of(const DerivedJob& known, Instant now) {
  JobRecord& record = *known.record;
  const Job* job = record.leaving ? &*record.leaving : known.job;
  JobOutcome outcome{known.id,
                     std::move(record.submission),
                     record.result,
                     0,
                     std::move(record.note),
                     job->submitted,
                     record.started,
                     now,
                     job->progress.at(now),
                     record.preemptions,
                     record.migrations,
                     record.preempted,
                     record.migrated};
  outcome.reruns = record.reruns;
  for (const Vm& vm : record.vms)
    if (outcome.exit_code == 0 && has_failed(vm)) outcome.exit_code = vm.exit_code.value_or(-1);
  if (vm_count(record) > outcome.submission->demand.tasks) outcome.tasks_ever = vm_count(record);
  outcome.devices = devices_held(record);
  return outcome;
}

}  // namespace aliquot
