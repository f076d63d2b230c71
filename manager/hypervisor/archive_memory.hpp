// The memory that a Linux task guest needs for its archive.
#pragma once

#include "policies/model/units.hpp"

namespace aliquot {

// What the guest of a job with NFS shares unpacks beside the archive: its kernel's modules for them.
inline constexpr Memory kShareModules = mebibytes(6);

// The largest archive that a guest is given in its memory.
inline constexpr Memory kLargestArchive = mebibytes(1024);

// A guest that unpacks an archive of this size and starts: a multiple of 8 MiB. Measured. The guest has the
// archive twice while it unpacks it, and its file system takes at most half of the memory that neither the
// kernel nor the archive itself occupies: with less, the guest ends before its first line.
[[nodiscard]] inline Memory memory_for_archive(Memory archive) {
  constexpr Memory kKernel = mebibytes(64), kStep = mebibytes(8);
  const Memory needed = kKernel + archive * 3;
  return {(needed.raw + kStep.raw - 1) / kStep.raw * kStep.raw};
}

}  // namespace aliquot
