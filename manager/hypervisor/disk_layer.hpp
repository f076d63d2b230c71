// The private layer of one task above a disk image: an empty qcow2 file (QEMU, docs/interop/qcow2.txt) that
// names the image below it. What the guest writes goes to the layer; the image is never changed.
#pragma once

#include <cstdint>
#include <string>

#include "policies/model/error.hpp"

namespace aliquot {

// The image below, as its first bytes tell. An image that names further files (a backing file, an external
// data file) is refused: it could name any file of the nodes.
struct BaseImage {
  bool qcow2 = false;
  std::uint64_t size = 0;  // of the disk the guest sees, in bytes
};
[[nodiscard]] Result<BaseImage> inspect_image(const std::string& path);

// The bytes of an empty layer.
[[nodiscard]] Result<std::string> empty_layer(const std::string& image, const BaseImage& base);

Result<void> write_disk_layer(const std::string& path, const std::string& image);

}  // namespace aliquot
