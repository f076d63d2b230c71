// The disk images of the image store (manager/intake/image_store.hpp): what they are called, and what is
// known of each. A job names the image that its tasks boot; it can name no file.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "policies/model/units.hpp"

namespace aliquot {

// 1 to 63 of a-z 0-9 . _ -, the first a letter or a digit: a file name as well, and never a path.
struct ImageName {
  std::string text;
  friend auto operator<=>(const ImageName&, const ImageName&) = default;
};
[[nodiscard]] bool is_image_name(std::string_view text);

// The default name of an image: that of its file without the extension, which may be no image name.
[[nodiscard]] std::string image_name_of_file(std::string_view path);

enum class ImageFormat : std::uint8_t { raw, qcow2 };
[[nodiscard]] constexpr std::string_view word(ImageFormat format) {
  return format == ImageFormat::raw ? "raw" : "qcow2";
}

struct StoredImage {
  ImageName name;
  std::string sha256;  // of the file; its content stands in the spool under this
  ImageFormat format = ImageFormat::raw;
  Memory size;              // of the file
  Memory disk;              // that a guest sees
  std::uint32_t owner = 0;  // the user who added it
  std::int64_t added_unix_us = 0;
  bool uefi = false;  // it boots by UEFI, not by a BIOS
  friend bool operator==(const StoredImage&, const StoredImage&) = default;
};

}  // namespace aliquot
