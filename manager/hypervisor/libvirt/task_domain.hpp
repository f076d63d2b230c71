// From the spec of a job to the VM of one of its tasks: the definition of the VM, and the files that it
// needs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "config/settings.hpp"
#include "manager/hypervisor/guest_image.hpp"
#include "manager/hypervisor/hypervisor.hpp"
#include "manager/hypervisor/libvirt/domain_xml.hpp"
#include "manager/hypervisor/spool.hpp"
#include "manager/hypervisor/spool_space.hpp"
#include "manager/hypervisor/task_files.hpp"
#include "manager/hypervisor/vm_identity.hpp"
#include "monitor/calendar.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

// What all VMs of this manager have in common.
struct TaskDomainSettings {
  std::string cluster;
  std::uint64_t epoch = 0;
  Spool spool;
  GuestFiles guest;
  Duration cap_period;
  LiveLimit max_output;                      // of VMs that are created from now on
  std::shared_ptr<SpoolSpace> space{};       // for memory images in the spool
  std::shared_ptr<SpoolSpace> save_space{};  // for those of paused VMs: of the local saves, if it has any
  Calendar calendar{};                       // of Instants, as it was known when the manager started
  Bandwidth migration_bandwidth{};           // of each live migration; 0: it is not limited
};

[[nodiscard]] VmIdentity identity_of(const TaskDomainSettings& common, const JobSpec& spec,
                                     std::uint32_t task);

// The definition of the task's VM; an error if libvirt cannot run this kind of program.
[[nodiscard]] Result<DomainSpec> task_domain(const TaskDomainSettings& common, const JobSpec& spec,
                                             std::uint32_t task, Yield yield, std::int64_t speed_ppm,
                                             Acceleration acceleration);

// prepare_task_files with these settings.
Result<void> prepare_files(const TaskDomainSettings& common, const JobSpec& spec, std::uint32_t task);

}  // namespace aliquot
