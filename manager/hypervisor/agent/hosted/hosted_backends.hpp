// The backends that an agent can host, each as what opens it for a session (agent_server.hpp).
#pragma once

#include <string>

#include "config/settings.hpp"
#include "manager/hypervisor/agent/agent_server.hpp"
#include "manager/hypervisor/libxl/xen_guests.hpp"
#include "manager/hypervisor/spool.hpp"

namespace aliquot::agent {

struct HostOptions {
  HypervisorSettings hypervisor;  // guests, deadlines; for libvirt acceleration and caps
  std::string spool_dir;  // the cluster's spool, where this machine mounts it: the same path everywhere
  LocalSaves saves;       // none: VMs are saved to the spool
  Memory reserve = SpoolSettings{}.reserve;  // free space that saves leave, in the spool and in local saves
  std::string libvirt_uri = "qemu:///system";
  XenGuests xen_guests = XenGuests::pv;
  std::string console_log_dir = "/var/log/xen/console";  // of xenconsoled
};

// Each is null in a program that does without it.
[[nodiscard]] OpenBackend libvirt_backend(HostOptions options);
[[nodiscard]] OpenBackend libxl_backend(HostOptions options);

}  // namespace aliquot::agent
