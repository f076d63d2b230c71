// The memory of paused VMs on a disk of their node (`aliquot-node serve --saves DIRECTORY`) instead of the
// spool: DIRECTORY/JOB/TASK.save. Such a VM can be restored only on that node.
//
// A mark in the spool (Spool::kept_mark) says in which directory the memory of a VM is. It is written
// before the VM is saved, and removed as soon as the VM has been restored, goes back to a checkpoint, is
// created anew or is destroyed, on whatever node. An image without its mark is therefore of an earlier
// time: it is never read, and is removed when the agent next begins a session. And a VM with a mark is not
// lost even if its node is off: no other node takes it for absent.
//
// Each directory has an id of its own in the file `saves.id`: a mark is right under whatever name, number
// or agent the node comes back. Without that file the disk counts as not mounted, and nothing is done.
// Errors: unavailable, the disk or the spool does not answer.
#pragma once

#include <cstdint>
#include <string>

#include "manager/hypervisor/spool.hpp"
#include "manager/hypervisor/vm_identity.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

// Gives the directory an id if it has none. Refused: it is not absolute, does not exist, or is inside of
// the spool.
[[nodiscard]] Result<LocalSaves> open_local_saves(const std::string& directory,
                                                  const std::string& spool_dir);

enum class Keeper : std::uint8_t {
  none,        // it has no mark
  here,        // the local saves of this node
  other_node,  // those of another, or local saves that this node does not use any more
};
// Which node keeps the memory of this VM. A mark of another incarnation is none.
[[nodiscard]] Result<Keeper> keeper_of(const Spool& spool, const VmIdentity& vm);

// This VM is about to be saved here. Makes the directory of its job.
Result<void> mark_kept(const Spool& spool, const VmIdentity& vm);
Result<void> remove_kept_mark(const Spool& spool, JobId job, std::uint32_t task);
// This node has neither the VM nor a usable image of it. Beside a mark that says so the manager would wait
// for the node that keeps it.
void give_up_kept(const Spool& spool, const VmIdentity& vm);

// The directory of an ended job.
void remove_local_saves(const Spool& spool, JobId job);
// Those without a mark. Does nothing if the spool is not this cluster's: it may not be mounted.
void remove_outdated_saves(const Spool& spool, const std::string& cluster);

}  // namespace aliquot
