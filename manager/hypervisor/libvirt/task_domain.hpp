// From a job's spec to the VM of one of its tasks: what is to be created, and the files it needs first.
#pragma once

#include <cstdint>
#include <string>

#include "config/settings.hpp"
#include "manager/hypervisor/guest_image.hpp"
#include "manager/hypervisor/hypervisor.hpp"
#include "manager/hypervisor/libvirt/domain_xml.hpp"
#include "manager/hypervisor/spool.hpp"
#include "manager/hypervisor/vm_identity.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

// What all VMs of this manager have in common.
struct TaskDomainSettings {
  std::string cluster;
  std::uint64_t epoch = 0;
  Spool spool;
  GuestFiles guest;
  Duration cap_period;
  Memory max_output;
};

[[nodiscard]] VmIdentity identity_of(const TaskDomainSettings& common, const JobSpec& spec,
                                     std::uint32_t task);

// The domain of the task; an error if a hypervisor cannot run this kind of program.
[[nodiscard]] Result<DomainSpec> task_domain(const TaskDomainSettings& common, const JobSpec& spec,
                                             std::uint32_t task, Yield yield, std::int64_t speed_ppm,
                                             Acceleration acceleration);

// Makes the task's directory, the job's initrd (once) and the task's disk layer; console and status channel
// of an earlier incarnation do not count for this one: its console is kept beside, its status is dropped.
Result<void> prepare_files(const TaskDomainSettings& common, const JobSpec& spec, std::uint32_t task);

}  // namespace aliquot
