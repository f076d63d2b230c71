#include "manager/intake/user_files.hpp"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/openat2.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <thread>

namespace aliquot {
namespace {

constexpr int kRead = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;  // a pipe must not block
constexpr int kPlace = O_PATH | O_CLOEXEC | O_NOFOLLOW;
constexpr int kAttempts = 8;  // while directories are renamed

Error why_not(const std::string& path, int reason) {
  switch (reason) {
    case ENOENT:
    case ENOTDIR:
      return {ErrorKind::not_found, "there is no file " + path + "; correct the path"};
    case EACCES:
    case EPERM:
      return {ErrorKind::forbidden, "you may not read " + path + "; ask its owner for the right to"};
    case EXDEV:
    case ELOOP:
      return {
          ErrorKind::refused,
          path + " leads out of the directory in files.roots, by a link or a mount; name the file itself"};
    case ENOSYS:
      return {ErrorKind::unsupported,
              "cannot open " + path + " safely: the kernel is older than Linux 5.6"};
    default:
      return {ErrorKind::unavailable, "cannot open " + path + ": " + std::strerror(reason)};
  }
}

// The path below the root; none if the file is elsewhere.
std::optional<std::string> below(const std::string& root, const std::string& path) {
  const std::string folder = root.ends_with('/') ? root : root + "/";
  if (!path.starts_with(folder) || path.size() == folder.size()) return std::nullopt;
  return path.substr(folder.size());
}

// --- ids of a thread. The system calls themselves change one thread; the C library's functions would
// --- change all threads of the process.

bool thread_becomes(const UserIds& user) {
  if (::syscall(SYS_setgroups, user.groups.size(), user.groups.data()) != 0) return false;
  ::syscall(SYS_setfsgid, user.gid);
  ::syscall(SYS_setfsuid, user.uid);
  // They return the id before the call; -1 changes nothing.
  const bool taken = static_cast<std::uint32_t>(::syscall(SYS_setfsgid, -1)) == user.gid &&
                     static_cast<std::uint32_t>(::syscall(SYS_setfsuid, -1)) == user.uid;
  if (!taken || user.uid == 0) return taken;
  // A manager that is not root may have capabilities that override permissions.
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> none{};
  return ::syscall(SYS_capset, &header, none.data()) == 0;
}

Result<Descriptor> open_beneath(const std::string& root, const std::string& rest) {
  // As the user too: it must be able to reach the root.
  const Descriptor directory(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  const std::string path = root + "/" + rest;
  if (!directory.is_open()) return tl::unexpected<Error>(why_not(path, errno));
  open_how how{};
  how.flags = kRead;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV;
  for (int attempt = 1;; ++attempt) {
    Descriptor file(
        static_cast<int>(::syscall(SYS_openat2, directory.get(), rest.c_str(), &how, sizeof how)));
    if (file.is_open()) return file;
    if (errno != EAGAIN || attempt == kAttempts) return tl::unexpected<Error>(why_not(path, errno));
  }
}

Result<Descriptor> regular(Result<Descriptor> file, const std::string& path) {
  if (!file) return file;
  struct stat found {};
  if (::fstat(file->get(), &found) != 0) return tl::unexpected<Error>(why_not(path, errno));
  if (!S_ISREG(found.st_mode)) return fail(ErrorKind::refused, path + " is not a regular file");
  return file;
}

// No user is denied this access: neither by the mode nor by an access control list.
bool is_open_to_all(int place, mode_t owner_right) {
  struct stat found {};
  const mode_t all = owner_right | owner_right >> 3 | owner_right >> 6;
  if (::fstat(place, &found) != 0 || (found.st_mode & all) != all) return false;
  const std::string itself = "/proc/self/fd/" + std::to_string(place);
  return ::getxattr(itself.c_str(), "system.posix_acl_access", nullptr, 0) < 0;
}

// The innermost root above the path; null if it is below none.
const std::string* root_of(const std::string& path, const std::vector<std::string>& roots) {
  const std::string* found = nullptr;
  for (const std::string& root : roots)
    if (below(root, path) && (found == nullptr || root.size() > found->size())) found = &root;
  return found;
}

tl::unexpected<Error> outside(const std::string& path, const std::vector<std::string>& roots) {
  std::string allowed;
  for (const std::string& root : roots) allowed += (allowed.empty() ? "" : ", ") + root;
  return fail(ErrorKind::refused, path + " is below none of the directories in files.roots (" +
                                      (allowed.empty() ? "it is empty" : allowed) +
                                      "); copy it there, or ask an operator to add its directory");
}

// In a thread that ends afterwards.
Result<Descriptor> open_here(const UserIds& user, const std::string& root, const std::string& rest) {
  const bool own = ::geteuid() != 0 && ::geteuid() == user.uid;
  if (own || thread_becomes(user)) return open_beneath(root, rest);
  std::error_code fault;
  const auto real = std::filesystem::canonical(root, fault);
  if (fault) return tl::unexpected<Error>(why_not(root, fault.value()));
  return open_public(real / rest);
}

}  // namespace

Result<Descriptor> open_public(const std::string& path) {
  Descriptor place(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  for (const std::filesystem::path& part : std::filesystem::path(path).relative_path()) {
    if (!is_open_to_all(place.get(), S_IXUSR)) return tl::unexpected<Error>(why_not(path, EACCES));
    Descriptor next(::openat(place.get(), part.c_str(), kPlace));
    if (!next.is_open()) return tl::unexpected<Error>(why_not(path, errno));
    place = std::move(next);
  }
  if (!is_open_to_all(place.get(), S_IRUSR)) return tl::unexpected<Error>(why_not(path, EACCES));
  const auto found = regular(std::move(place), path);
  if (!found) return tl::unexpected<Error>(found.error());
  // What O_PATH has opened cannot be read; this opens the same file again, not the same name.
  Descriptor file(::open(("/proc/self/fd/" + std::to_string(found->get())).c_str(), kRead));
  if (!file.is_open()) return tl::unexpected<Error>(why_not(path, errno));
  return file;
}

Result<Descriptor> open_for(const UserIds& user, const std::string& path,
                            const std::vector<std::string>& roots) {
  const std::string* root = root_of(path, roots);
  if (root == nullptr) return outside(path, roots);
  // The kernel takes a process with another user's thread for one that must not leave a core dump.
  const int dumpable = ::prctl(PR_GET_DUMPABLE);
  Result<Descriptor> opened = fail(ErrorKind::internal, "");
  std::thread([&] { opened = open_here(user, *root, *below(*root, path)); }).join();
  ::prctl(PR_SET_DUMPABLE, dumpable);
  return regular(std::move(opened), path);
}

}  // namespace aliquot
