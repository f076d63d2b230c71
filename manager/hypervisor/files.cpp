#include "manager/hypervisor/files.hpp"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "manager/hypervisor/descriptor.hpp"
#include "monitor/sha256.hpp"

namespace aliquot {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;
// The umask of the manager takes the group's part away, unless QEMU runs as another user
// (spool_access.hpp).
constexpr mode_t kFileMode = 0660;
constexpr mode_t kDirectoryMode = 0710;

tl::unexpected<Error> failed(const char* what, const std::string& path, int reason) {
  const ErrorKind kind = reason == ENOENT ? ErrorKind::not_found : ErrorKind::unavailable;
  return fail(kind, std::string("cannot ") + what + " " + path + ": " + std::strerror(reason) +
                        "; check the spool (space, permissions, mounts)");
}

// Two threads may write the same file at once: each writes its own temporary file, and the last rename
// wins.
std::string name_beside(const std::string& path) {
  static std::atomic<std::uint64_t> count{0};
  return path + ".new-" + std::to_string(::getpid()) + "-" + std::to_string(++count);
}

// Opens a regular file for reading; a pipe or a device would block or never end.
Result<std::size_t> regular_size(int fd, const std::string& path) {
  struct stat found {};
  if (fd < 0 || ::fstat(fd, &found) != 0) return failed("read", path, errno);
  if (!S_ISREG(found.st_mode)) return fail(ErrorKind::refused, path + " is not a regular file");
  return static_cast<std::size_t>(found.st_size);
}

Result<std::string> read_range(const std::string& path, std::size_t at_most, bool from_end) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  const auto size = regular_size(file.get(), path);
  if (!size) return tl::unexpected(size.error());
  std::string out(std::min(*size, at_most), '\0');
  const std::size_t start = from_end ? *size - out.size() : 0;
  std::size_t got = 0;
  while (got < out.size()) {
    const ssize_t n =
        ::pread(file.get(), out.data() + got, out.size() - got, static_cast<off_t>(start + got));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return failed("read", path, errno);
    if (n == 0) break;  // the file became shorter meanwhile
    got += static_cast<std::size_t>(n);
  }
  out.resize(got);
  return out;
}

// One stretch of data, from the same offset to the same offset. The kernel copies where it can.
bool copy_stretch(int from, int to, off_t offset, off_t end) {
  std::string piece;
  while (offset < end) {
    off_t in = offset, out = offset;
    ssize_t n = ::copy_file_range(from, &in, to, &out, static_cast<std::size_t>(end - offset), 0);
    const bool cannot = errno == EXDEV || errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP;
    if (n < 0 && cannot) {
      piece.resize(kPiece);
      n = ::pread(from, piece.data(), std::min<std::size_t>(kPiece, static_cast<std::size_t>(end - offset)),
                  offset);
      if (n > 0) n = ::pwrite(to, piece.data(), static_cast<std::size_t>(n), offset);
    }
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    offset += n;
  }
  return true;
}

bool copy_data(int from, int to, off_t size) {
  if (::ioctl(to, FICLONE, from) == 0) return true;
  if (::ftruncate(to, size) != 0) return false;
  for (off_t at = 0; at < size;) {
    const off_t begin = ::lseek(from, at, SEEK_DATA);
    if (begin < 0) return errno == ENXIO;  // a hole up to the end
    const off_t end = ::lseek(from, begin, SEEK_HOLE);
    if (end < 0 || !copy_stretch(from, to, begin, end)) return false;
    at = end;
  }
  return true;
}

Result<void> write_all(int fd, const std::string& path, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return failed("write", path, errno);
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

}  // namespace

Result<std::string> read_tail(const std::string& path, std::size_t at_most) {
  return read_range(path, at_most, true);
}

Result<std::string> read_head(const std::string& path, std::size_t at_most) {
  return read_range(path, at_most, false);
}

FileChunk read_chunk(const std::string& path, std::uint64_t offset, std::uint32_t at_most) {
  FileChunk chunk;
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return chunk;
  chunk.size = static_cast<std::uint64_t>(file.tellg());
  if (offset >= chunk.size) return chunk;
  chunk.bytes.resize(std::min<std::uint64_t>(at_most, chunk.size - offset));
  file.seekg(static_cast<std::streamoff>(offset));
  file.read(chunk.bytes.data(), static_cast<std::streamsize>(chunk.bytes.size()));
  chunk.bytes.resize(static_cast<std::size_t>(file.gcount()));
  return chunk;
}

Result<void> write_atomically(const std::string& path,
                              const std::function<Result<void>(const Writer&)>& fill) {
  const std::string beside = name_beside(path);
  const Descriptor file(::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kFileMode));
  if (file.get() < 0) return failed("create", beside, errno);
  const Writer writer = [&](std::string_view bytes) { return write_all(file.get(), beside, bytes); };
  if (auto filled = fill(writer); !filled) {
    ::unlink(beside.c_str());
    return filled;
  }
  if (::fsync(file.get()) != 0 || ::rename(beside.c_str(), path.c_str()) != 0) {
    const int reason = errno;
    ::unlink(beside.c_str());
    return failed("write", path, reason);
  }
  return {};
}

Result<void> create_with(const std::string& path, std::string_view content) {
  const std::string beside = name_beside(path);
  auto written = write_atomically(beside, [&](const Writer& out) { return out(content); });
  if (!written) return written;
  const bool linked = ::link(beside.c_str(), path.c_str()) == 0 || errno == EEXIST;
  const int reason = errno;
  ::unlink(beside.c_str());
  if (!linked) return failed("create", path, reason);
  return {};
}

Result<void> overwrite(const std::string& path, std::string_view content) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.get() < 0) return failed("write", path, errno);
  // In one call, so that a reader sees the old content or the new.
  const ssize_t n = ::pwrite(file.get(), content.data(), content.size(), 0);
  if (n != static_cast<ssize_t>(content.size()) || ::fsync(file.get()) != 0)
    return failed("write", path, errno);
  return {};
}

Result<std::size_t> copy_file_to(const std::string& path, std::size_t at_most, const Writer& to) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  const auto size = regular_size(file.get(), path);
  if (!size) return tl::unexpected(size.error());
  if (*size > at_most) {
    return fail(ErrorKind::too_large, path + " has " + std::to_string(*size) + " bytes; at most " +
                                          std::to_string(at_most) + " are taken: make it smaller");
  }
  std::string piece(kPiece, '\0');
  std::size_t copied = 0;
  while (copied < *size) {
    const ssize_t n = ::read(file.get(), piece.data(), std::min(piece.size(), *size - copied));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return failed("read", path, errno);
    if (n == 0) return fail(ErrorKind::conflict, path + " became shorter while it was read; try again");
    copied += static_cast<std::size_t>(n);
    if (auto taken = to(std::string_view(piece.data(), static_cast<std::size_t>(n))); !taken) {
      return tl::unexpected(taken.error());
    }
  }
  return copied;
}

Result<void> copy_file(const std::string& from, const std::string& to) {
  const Descriptor source(::open(from.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  const auto size = regular_size(source.get(), from);
  if (!size) return tl::unexpected(size.error());
  const std::string beside = to + ".new";
  const Descriptor copy(::open(beside.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, kFileMode));
  if (copy.get() < 0) return failed("create", beside, errno);
  if (!copy_data(source.get(), copy.get(), static_cast<off_t>(*size)) || ::fsync(copy.get()) != 0 ||
      ::rename(beside.c_str(), to.c_str()) != 0) {
    const int reason = errno;
    ::unlink(beside.c_str());
    return failed("write", to, reason);
  }
  return {};
}

Result<std::string> hash_on_disk(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  const auto size = regular_size(file.get(), path);
  if (!size) return tl::unexpected(size.error());
  if (::fsync(file.get()) != 0) return failed("write", path, errno);
  Sha256 hash;
  std::string piece(kPiece, '\0');
  for (;;) {
    const ssize_t n = ::read(file.get(), piece.data(), piece.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return failed("read", path, errno);
    if (n == 0) return hash.finish();
    hash.update(reinterpret_cast<const unsigned char*>(piece.data()), static_cast<std::size_t>(n));
  }
}

Result<void> cut_file(const std::string& path, std::uint64_t length) {
  const Descriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK));
  const auto size = regular_size(file.get(), path);
  if (!size) return tl::unexpected(size.error());
  if (*size < length)
    return fail(ErrorKind::refused, path + " has " + std::to_string(*size) + " bytes, fewer than the " +
                                        std::to_string(length) + " that were written to it");
  if (::ftruncate(file.get(), static_cast<off_t>(length)) != 0 || ::fsync(file.get()) != 0)
    return failed("cut", path, errno);
  return {};
}

Result<void> flush_directory(const std::string& path) {
  const Descriptor directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.get() < 0 || ::fsync(directory.get()) != 0) return failed("write", path, errno);
  return {};
}

Result<void> make_directories(const std::string& path) {
  if (::mkdir(path.c_str(), kDirectoryMode) == 0) return {};
  std::error_code fault;
  if (errno == EEXIST && std::filesystem::is_directory(path, fault)) return {};
  const std::string parent = std::filesystem::path(path).parent_path();
  if (errno != ENOENT || parent.empty() || parent == path) return failed("create", path, errno);
  if (auto made = make_directories(parent); !made) return made;
  if (::mkdir(path.c_str(), kDirectoryMode) == 0 || errno == EEXIST) return {};
  return failed("create", path, errno);
}

Result<void> create_empty(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, kFileMode));
  if (file.get() < 0) return failed("create", path, errno);
  return {};
}

Result<void> remove_file(const std::string& path) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) return failed("remove", path, errno);
  return {};
}

Result<void> rename_file(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) return failed("rename", from, errno);
  return {};
}

bool file_exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

}  // namespace aliquot
