// The private layer of a task above a shared disk image: an empty qcow2 file (QEMU, docs/interop/qcow2.txt)
// with that image as its backing file. The guest's writes go to the layer; the image never changes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "policies/model/error.hpp"

namespace aliquot {

// The shared image, according to its first bytes. An image that names further files (a backing file, an
// external data file) is refused: it could name any file of the nodes.
struct BaseImage {
  bool qcow2 = false;
  std::uint64_t size = 0;  // of the disk the guest sees, in bytes
};
[[nodiscard]] Result<BaseImage> inspect_image(const std::string& path);
// The same of the first bytes, at least 104 if there are as many, and the size of a file.
[[nodiscard]] Result<BaseImage> inspect_image(const std::string& name, std::string_view head,
                                              std::uint64_t size);

// The bytes of an empty layer.
[[nodiscard]] Result<std::string> empty_layer(const std::string& image, const BaseImage& base);

Result<void> write_disk_layer(const std::string& path, const std::string& image);

}  // namespace aliquot
