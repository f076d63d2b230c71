// The memory image that a save leaves in the spool, and whether it is whole. libvirt begins such a file
// with a word of 16 bytes that it changes at the very end, and puts the domain's XML near the front: an
// image counts if it is complete and of this very VM (an earlier incarnation may have left one).
//
// A save writes beside the image in force and takes its place when complete, so that there is a good one at
// every instant. Whoever finds a complete image still beside (the manager died in between) puts it in
// place.
#pragma once

#include <cstdint>
#include <string>

#include "manager/hypervisor/spool.hpp"
#include "manager/hypervisor/vm_identity.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

[[nodiscard]] bool is_complete_image(const std::string& path, const Uuid& vm);

// Is there a complete image of this VM? Puts one that stands beside in place first.
[[nodiscard]] Result<bool> recover_image(const Spool& spool, JobId job, std::uint32_t task, const Uuid& vm);

// Neither an image nor a part of one is left.
Result<void> remove_images(const Spool& spool, JobId job, std::uint32_t task);
// The same for all tasks of a job, however many there were.
void remove_all_images(const Spool& spool, JobId job);

}  // namespace aliquot
