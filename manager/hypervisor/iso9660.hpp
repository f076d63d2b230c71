// Writes small volumes of the file system ISO 9660 (ECMA-119), with the Rock Ridge extension (IEEE P1282)
// for names as they are given. Not a reader and not a general writer: the root and one level of
// directories, each of at most one sector; files owned by root and without times, so equal input gives
// equal bytes.
#pragma once

#include <string>
#include <vector>

#include "policies/model/error.hpp"

namespace aliquot {

struct VolumeFile {
  std::string path;  // "NAME" or "DIRECTORY/NAME"
  std::string content;
};

// The bytes of the volume. `label`: 1 to 32 of A-Z 0-9 _. An error if a directory has too many files, or a
// path is empty, has two slashes or stands there twice.
[[nodiscard]] Result<std::string> iso9660_volume(const std::string& label,
                                                 const std::vector<VolumeFile>& files);

}  // namespace aliquot
