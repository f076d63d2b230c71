#include "manager/intake/boot_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "manager/hypervisor/disk_layer.hpp"

namespace aliquot {
namespace {

constexpr std::size_t kHead = 4096;
constexpr std::size_t kLinuxMagicAt = 0x202;  // Documentation/arch/x86/boot.rst

bool is_kernel(std::string_view head) {
  const bool linux_image = head.size() > kLinuxMagicAt && head.substr(kLinuxMagicAt).starts_with("HdrS");
  return linux_image ||
         head.starts_with(
             "\x7f"
             "ELF") ||
         head.starts_with("\x1f\x8b");
}

}  // namespace

Result<void> check_boot_file(BootFile kind, int file, const std::string& name) {
  struct stat found {};
  std::string head(kHead, '\0');
  const ssize_t read = ::fstat(file, &found) == 0 ? ::pread(file, head.data(), head.size(), 0) : -1;
  if (read < 0) return fail(ErrorKind::unavailable, "cannot read " + name + ": " + std::strerror(errno));
  head.resize(static_cast<std::size_t>(read));
  if (head.empty()) return fail(ErrorKind::invalid_argument, name + " is empty; name another file");
  if (kind == BootFile::kernel && !is_kernel(head))
    return fail(ErrorKind::invalid_argument,
                name + " is not a kernel (bzImage, ELF or gzip); name the kernel of your guest");
  if (kind != BootFile::image) return {};
  const auto base = inspect_image(name, head, static_cast<std::uint64_t>(found.st_size));
  if (!base) return tl::unexpected<Error>(base.error());
  return {};
}

}  // namespace aliquot
