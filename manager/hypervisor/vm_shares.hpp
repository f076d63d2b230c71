// What the VM of a task is told of the NFS shares of its job: its node by an element of its definition, its
// guest by a list of what to mount. Pure.
#pragma once

#include <string>
#include <vector>

#include "manager/hypervisor/share_access.hpp"
#include "manager/hypervisor/vm_interface.hpp"
#include "policies/model/nfs_share.hpp"

namespace aliquot {

// Each server once, in the order of the shares: the port of the n-th is kFirstSharePort + n.
[[nodiscard]] std::vector<std::string> servers_of(const std::vector<NfsShare>& shares);

// One XML element for the definition of the VM: what the hook on the node needs (tools/share/hook).
[[nodiscard]] std::string shares_element(JobId job, const VmInterface& interface, const AuthSys& user,
                                         const std::vector<NfsShare>& shares);

// A mount of the guest.
struct ShareMount {
  std::uint16_t port = 0;  // of the node's end of the interface
  std::string source;      // SERVER:/DIRECTORY
  std::string path;
  bool read_only = false;
};

// In an order in which one that stands below another comes after it.
[[nodiscard]] std::vector<ShareMount> mounts_of(const std::vector<NfsShare>& shares);

// The list of the Linux task guest (`aliquot/shares`): port, "ro" or "rw", source and path of each mount,
// each ended by a NUL.
[[nodiscard]] std::string mount_list(const std::vector<NfsShare>& shares);

// Lines of user-data, for root: an image mounts the shares. `mac`: of the interface that leads to them.
[[nodiscard]] std::string shares_script(const std::vector<NfsShare>& shares, const std::string& mac);

}  // namespace aliquot
