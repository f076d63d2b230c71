// From the spec of a job to libxl's definition of the VM of one of its tasks: a guest that boots a kernel,
// Linux or the hash chain, with one console and no devices, or a PC that boots the task's layer of a disk
// image, with the two serial ports of docs/guest-contract.md and neither network nor display.
#pragma once

#include <memory>
#include <string>

#include "manager/hypervisor/libxl/libxl_api.hpp"
#include "manager/hypervisor/libxl/xen_guests.hpp"
#include "manager/hypervisor/task_files.hpp"
#include "manager/hypervisor/vm_identity.hpp"

namespace aliquot {

struct ConfigDispose {
  void operator()(libxl_domain_config* config) const {
    libxl_domain_config_dispose(config);
    delete config;
  }
};
using TaskConfig = std::unique_ptr<libxl_domain_config, ConfigDispose>;

// What its tasks run in: HVM guests if it boots a disk image, else guests of the other kind.
[[nodiscard]] XenGuests guests_of(const JobSpec& spec, XenGuests other);

// ErrorKind::unsupported: this backend does not run this kind of program in this kind of guests, or not on
// this machine.
[[nodiscard]] Result<TaskConfig> task_config(libxl_ctx* context, const TaskFileSettings& files,
                                             Memory max_output, const JobSpec& spec, std::uint32_t task,
                                             const VmIdentity& identity, XenGuests guests);

}  // namespace aliquot
