#include "manager/hypervisor/disk_layer.hpp"

#include <cstddef>
#include <filesystem>
#include <system_error>

#include "manager/hypervisor/files.hpp"

namespace aliquot {
namespace {

constexpr std::string_view kMagic = "QFI\xfb";
constexpr std::uint32_t kClusterBits = 16;
constexpr std::uint64_t kCluster = std::uint64_t{1} << kClusterBits;
constexpr std::uint64_t kBytesPerL1Entry = kCluster * (kCluster / 8);
constexpr std::uint64_t kLargestDisk = kBytesPerL1Entry * (kCluster / 8);  // the L1 table fits one cluster
constexpr std::uint32_t kBackingFormat = 0xE2792ACA;
constexpr std::size_t kLongestName = 1023;
constexpr std::size_t kHeaderLength = 104;

template <class Number>
void put(std::string& out, std::size_t at, Number value) {
  for (std::size_t i = 0; i < sizeof value; ++i) {
    out[at + i] = static_cast<char>((value >> (8 * (sizeof value - 1 - i))) & 0xFF);
  }
}

std::uint64_t get64(std::string_view in, std::size_t at) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < 8; ++i) value = (value << 8) | static_cast<std::uint8_t>(in[at + i]);
  return value;
}

}  // namespace

Result<BaseImage> inspect_image(const std::string& name, std::string_view head, std::uint64_t size) {
  BaseImage base;
  if (head.starts_with(kMagic)) {
    if (head.size() < 72) return fail(ErrorKind::invalid_argument, name + " is a truncated qcow2 image");
    const bool version3 = head[7] >= 3 && head.size() >= 80;
    constexpr std::uint64_t kExternalData = 4;
    if (get64(head, 8) != 0 || (version3 && (get64(head, 72) & kExternalData) != 0)) {
      return fail(ErrorKind::refused, name + " names further files; flatten it with `qemu-img convert`");
    }
    base = {true, get64(head, 24)};
  } else {
    base = {false, (size + 511) / 512 * 512};
  }
  if (base.size == 0 || base.size > kLargestDisk) {
    return fail(ErrorKind::invalid_argument, name + " holds a disk of " + std::to_string(base.size) +
                                                 " bytes; from 1 byte to 4 TiB will do");
  }
  return base;
}

Result<BaseImage> inspect_image(const std::string& path) {
  const auto head = read_head(path, kHeaderLength);
  if (!head) return tl::unexpected(head.error());
  std::error_code fault;
  const auto size = std::filesystem::file_size(path, fault);
  if (fault) return fail(ErrorKind::unavailable, "cannot measure " + path + ": " + fault.message());
  return inspect_image(path, *head, size);
}

Result<std::string> empty_layer(const std::string& image, const BaseImage& base) {
  if (image.size() > kLongestName) {
    return fail(ErrorKind::invalid_argument, "the path of a disk image has at most 1023 characters");
  }
  // One cluster each: header, refcount table, its only block, first-level table (all zeros: nothing here).
  enum : std::uint64_t { header, refcount_table, refcount_block, level1, used };
  std::string out(used * kCluster, '\0');
  const std::string format = base.qcow2 ? "qcow2" : "raw";
  const std::size_t name_at = kHeaderLength + 8 + 8 + 8;  // after the extension and the end of extensions
  out.replace(0, kMagic.size(), kMagic);
  put(out, 4, std::uint32_t{3});
  put(out, 8, static_cast<std::uint64_t>(name_at));
  put(out, 16, static_cast<std::uint32_t>(image.size()));
  put(out, 20, kClusterBits);
  put(out, 24, base.size);
  put(out, 36, static_cast<std::uint32_t>((base.size + kBytesPerL1Entry - 1) / kBytesPerL1Entry));
  put(out, 40, level1 * kCluster);
  put(out, 48, refcount_table * kCluster);
  put(out, 56, std::uint32_t{1});
  put(out, 96, std::uint32_t{4});  // refcounts of 16 bits
  put(out, 100, static_cast<std::uint32_t>(kHeaderLength));
  put(out, kHeaderLength, kBackingFormat);
  put(out, kHeaderLength + 4, static_cast<std::uint32_t>(format.size()));
  out.replace(kHeaderLength + 8, format.size(), format);
  out.replace(name_at, image.size(), image);
  put(out, refcount_table * kCluster, refcount_block * kCluster);
  for (std::uint64_t i = 0; i < used; ++i) put(out, refcount_block * kCluster + 2 * i, std::uint16_t{1});
  return out;
}

Result<void> write_disk_layer(const std::string& path, const std::string& image) {
  const auto base = inspect_image(image);
  if (!base) return tl::unexpected(base.error());
  const auto layer = empty_layer(image, *base);
  if (!layer) return tl::unexpected(layer.error());
  return write_atomically(path, [&](const Writer& out) { return out(*layer); });
}

}  // namespace aliquot
