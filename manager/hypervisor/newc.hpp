// Writes cpio archives in the "newc" format, which Linux unpacks as its initial file system (kernel
// document initramfs-buffer-format). An initrd may contain several archives; a later file replaces an
// earlier one of the same path. Not a reader and not a general archiver: it writes regular files,
// directories and links, owned by root and without times, so equal input gives equal bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace aliquot {

struct NewcEntry {
  std::string path;        // without a leading slash
  std::uint32_t mode = 0;  // file type and permissions, as in stat(2)
  std::string content;     // of a file; the target of a symbolic link; empty for a directory
};

// The archive with its trailer, padded to 512 bytes. Parents of a path are added as directories (0755)
// where no entry names them.
[[nodiscard]] std::string newc_archive(const std::vector<NewcEntry>& entries);

}  // namespace aliquot
