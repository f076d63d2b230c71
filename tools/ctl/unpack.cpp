#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "manager/hypervisor/descriptor.hpp"
#include "tools/ctl/results.hpp"

namespace aliquot {
namespace {

constexpr int kEnter = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

tl::unexpected<Error> failed(const std::string& path, int reason) {
  ErrorKind kind = ErrorKind::unavailable;
  if (reason == EACCES || reason == EPERM) kind = ErrorKind::forbidden;
  if (reason == ELOOP || reason == ENOTDIR || reason == EISDIR) kind = ErrorKind::refused;
  return fail(kind, "cannot write " + path + ": " + std::strerror(reason));
}

// The directory of an entry below `top`, made where it is missing. No link is followed on the way.
Result<Descriptor> directory_of(int top, const std::filesystem::path& path, const std::string& shown) {
  Descriptor at(::fcntl(top, F_DUPFD_CLOEXEC, 0));
  for (const auto& part : path) {
    if (::mkdirat(at.get(), part.c_str(), 0777) != 0 && errno != EEXIST) return failed(shown, errno);
    Descriptor next(::openat(at.get(), part.c_str(), kEnter));
    if (!next.is_open()) return failed(shown, errno);
    at = std::move(next);
  }
  return at;
}

Result<void> write_all(int file, std::string_view bytes, const std::string& shown) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(file, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return failed(shown, errno);
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

Result<void> write_entry(int top, const ResultEntry& entry, const std::string& shown, bool replace) {
  const std::filesystem::path path = entry.path;
  if (S_ISDIR(entry.mode)) {
    const auto made = directory_of(top, path, shown);
    return made ? Result<void>() : tl::unexpected(made.error());
  }
  const auto parent = directory_of(top, path.parent_path(), shown);
  if (!parent) return tl::unexpected(parent.error());
  const std::string name = path.filename();
  if (replace && ::unlinkat(parent->get(), name.c_str(), 0) != 0 && errno != ENOENT)
    return failed(shown, errno);
  if (S_ISLNK(entry.mode)) {
    const bool made = ::symlinkat(std::string(entry.content).c_str(), parent->get(), name.c_str()) == 0;
    return made ? Result<void>() : failed(shown, errno);
  }
  const Descriptor file(::openat(parent->get(), name.c_str(),
                                 O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, entry.mode & 0777));
  if (!file.is_open()) return failed(shown, errno);
  return write_all(file.get(), entry.content, shown);
}

}  // namespace

Result<void> unpack(const std::vector<ResultEntry>& entries, const std::string& directory, bool replace) {
  const std::filesystem::path root = directory;
  std::error_code fault;
  std::filesystem::create_directories(root, fault);
  const Descriptor top(::open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!top.is_open()) return failed(directory, errno);
  for (const ResultEntry& entry : entries) {
    struct stat found {};
    const bool is_there = ::fstatat(top.get(), entry.path.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0;
    const bool both_directories = S_ISDIR(entry.mode) && S_ISDIR(found.st_mode);
    if (is_there && !both_directories && !replace)
      return fail(ErrorKind::conflict, (root / entry.path).string() +
                                           " is there already, and nothing was unpacked; give --force to "
                                           "replace files, or another directory with --to");
  }
  // Links last: nothing is written through them.
  for (const bool links : {false, true})
    for (const ResultEntry& entry : entries)
      if (S_ISLNK(entry.mode) == links)
        if (auto done = write_entry(top.get(), entry, (root / entry.path).string(), replace); !done)
          return done;
  return {};
}

}  // namespace aliquot
