#include "manager/hypervisor/libxl/xen_image.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "manager/hypervisor/files.hpp"

namespace aliquot {
namespace {

std::string header_of(const Uuid& vm) {
  std::string header = "aliquot-xen-image 1 " + to_string(vm) + "\n";
  header.resize(kXenImageHeaderSize, '\0');
  return header;
}

tl::unexpected<Error> system_error(const std::string& what, const std::string& path) {
  return fail(ErrorKind::internal, "cannot " + what + " " + path + ": " + std::strerror(errno));
}

}  // namespace

Result<Descriptor> begin_image(const std::string& path, const Uuid& vm) {
  constexpr mode_t kOwnerOnly = 0600;
  Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, kOwnerOnly));
  const std::string header = header_of(vm);
  if (!file.is_open() ||
      ::write(file.get(), header.data(), header.size()) != static_cast<ssize_t>(header.size()))
    return system_error("write", path);
  return file;
}

Result<void> complete_image(const Spool& spool, JobId job, std::uint32_t task, const Descriptor& image) {
  const std::string part = spool.image_part(job, task);
  if (::fsync(image.get()) != 0) return system_error("flush", part);
  if (auto renamed = rename_file(part, spool.image(job, task)); !renamed) return renamed;
  return flush_directory(spool.directory(job));
}

bool is_image_of(const std::string& path, const Uuid& vm) {
  const auto head = read_head(path, kXenImageHeaderSize);
  return head && *head == header_of(vm);
}

Result<Descriptor> open_image(const std::string& path, const Uuid& vm) {
  if (!is_image_of(path, vm))
    return fail(ErrorKind::not_found, path + " is no image of VM " + to_string(vm) + "; inspect the VM");
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open() || ::lseek(file.get(), kXenImageHeaderSize, SEEK_SET) < 0)
    return system_error("read", path);
  return file;
}

}  // namespace aliquot
