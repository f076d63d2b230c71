// The memory image that a save writes to the spool, and the test whether it is complete. libvirt starts
// such a file with a magic word of 16 bytes that it changes when the file is complete, and stores the
// domain's XML near the front. An image is usable if it is complete and its XML has the UUID of this VM: an
// earlier incarnation may have left an image too.
//
// A save writes to a second file, which replaces the image when it is complete, so a usable image exists at
// every instant. If the manager dies between the two steps, the next look at the image completes the
// replacement.
//
// A node with local saves (local_saves.hpp) writes to its own disk instead. The image of a VM on its way to
// another node is in the spool all the same.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "manager/hypervisor/spool.hpp"
#include "manager/hypervisor/task_files.hpp"
#include "manager/hypervisor/vm_identity.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

[[nodiscard]] bool is_complete_image(const std::string& path, const Uuid& vm);

// Whose complete image it is, by the metadata in its XML; no value: there is no complete image, or none of
// ours.
[[nodiscard]] std::optional<VmIdentity> identity_in_image(const std::string& path);

// Is there a usable image of this VM? Completes an interrupted replacement first.
[[nodiscard]] Result<bool> recover_image(const Spool& spool, JobId job, std::uint32_t task, const Uuid& vm);

// The usable image of this VM that this node can read: of its local saves if they keep the VM, of the spool
// if no node does. None: there is none.
[[nodiscard]] Result<std::optional<std::string>> find_image(const Spool& spool, const VmIdentity& vm);

// The VMs of this cluster with a usable image in the local saves of this node.
[[nodiscard]] std::vector<VmIdentity> locally_saved(const Spool& spool, const std::string& cluster);

}  // namespace aliquot
