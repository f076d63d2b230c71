// Tells from its content whether a file can be booted, so that a wrong one is refused when it is submitted
// and not when its VM starts.
#pragma once

#include <string>

#include "policies/model/error.hpp"

namespace aliquot {

enum class BootFile { kernel, initrd, image };

// Error: an empty file, a kernel that is neither a Linux kernel (bzImage) nor an ELF program nor compressed
// with gzip, a damaged qcow2 image or one that names further files. `name` is for the message.
[[nodiscard]] Result<void> check_boot_file(BootFile kind, int file, const std::string& name);

}  // namespace aliquot
