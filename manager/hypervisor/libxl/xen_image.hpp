// The memory image of a VM that a save writes to the spool: a line of our own, padded to kHeaderSize bytes,
// then libxl's migration stream. The line names the VM, because an earlier incarnation may have left an
// image too.
//
// A save writes to a second file (Spool::image_part), which is renamed when it is complete and on disk: the
// image itself is complete whenever it is there.
#pragma once

#include <cstddef>
#include <string>

#include "manager/hypervisor/descriptor.hpp"
#include "manager/hypervisor/spool.hpp"
#include "manager/hypervisor/vm_identity.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

inline constexpr std::size_t kXenImageHeaderSize = 512;

// A new, empty image of this VM, open for libxl to append its stream.
[[nodiscard]] Result<Descriptor> begin_image(const std::string& path, const Uuid& vm);
// The stream is complete: it is flushed to disk and takes the place of the image before it.
Result<void> complete_image(const Spool& spool, JobId job, std::uint32_t task, const Descriptor& image);

[[nodiscard]] bool is_image_of(const std::string& path, const Uuid& vm);
// The image of this VM, open where its stream begins. ErrorKind::not_found: there is none.
[[nodiscard]] Result<Descriptor> open_image(const std::string& path, const Uuid& vm);

}  // namespace aliquot
