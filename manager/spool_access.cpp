#include "manager/spool_access.hpp"

#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <vector>

#include "manager/hypervisor/files.hpp"

namespace aliquot {
namespace {

tl::unexpected<Error> cannot_close(const std::string& path) {
  return fail(ErrorKind::unavailable, "cannot close " + path + " to other users: " + std::strerror(errno) +
                                          "; make the manager's user its owner");
}

// As Debian and Red Hat call it.
constexpr const char* kQemuGroups[] = {"libvirt-qemu", "qemu"};

std::optional<gid_t> find_group(const std::string& name) {
  std::vector<char> room(1 << 16);
  group entry{};
  group* found = nullptr;
  getgrnam_r(name.c_str(), &entry, room.data(), room.size(), &found);
  return found != nullptr ? std::optional<gid_t>(found->gr_gid) : std::nullopt;
}

Result<std::optional<gid_t>> group_of(const std::string& name) {
  if (name.empty()) return std::optional<gid_t>{};
  if (name == "auto") {
    for (const char* usual : kQemuGroups)
      if (const auto group = find_group(usual)) return group;
    return std::optional<gid_t>{};
  }
  if (const auto group = find_group(name)) return group;
  return fail(ErrorKind::invalid_argument, "there is no group " + name + "; correct hypervisor.qemu_group");
}

Result<void> close_directory(const std::string& path, std::optional<gid_t> group, mode_t mode) {
  if (auto made = make_directories(path); !made) return made;
  if (group && ::chown(path.c_str(), static_cast<uid_t>(-1), *group) != 0) return cannot_close(path);
  if (::chmod(path.c_str(), mode) != 0) return cannot_close(path);
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return cannot_close(path);
  // Without CAP_FSETID the kernel leaves the bit out and says nothing; then QEMU could not read any file.
  if ((found.st_mode & S_ISGID) != (mode & S_ISGID))
    return fail(ErrorKind::unavailable, "the set-group-ID bit of " + path +
                                            " cannot be set: the manager lacks the capability CAP_FSETID; "
                                            "its unit must not take it away");
  return {};
}

// What stands below the spool from before has the group that the spool had: of another setting, or of a
// service manager that has given the whole tree to root. Links are not followed.
Result<void> give_all_to_group(const std::string& spool, gid_t group) {
  std::error_code failed;
  for (std::filesystem::recursive_directory_iterator at(spool, failed), end; !failed && at != end;
       at.increment(failed)) {
    struct stat before {};
    if (::lstat(at->path().c_str(), &before) != 0 || before.st_gid == group) continue;
    if (::lchown(at->path().c_str(), static_cast<uid_t>(-1), group) != 0) return cannot_close(at->path());
    // A change of the group clears the bit that lets new files inherit it.
    if (S_ISDIR(before.st_mode) && ::chmod(at->path().c_str(), before.st_mode | S_ISGID) != 0)
      return cannot_close(at->path());
  }
  if (failed) return fail(ErrorKind::unavailable, "cannot read " + spool + ": " + failed.message());
  return {};
}

bool has_other_group(const std::string& path, gid_t group) {
  struct stat found {};
  return ::stat(path.c_str(), &found) == 0 && found.st_gid != group;
}

}  // namespace

Result<void> close_to_others(const Settings& settings) {
  const auto group = group_of(settings.hypervisor.qemu_group);
  if (!group) return tl::unexpected<Error>(group.error());
  ::umask(*group ? 0007 : 0077);
  // The default spool stands in the directory of the store: QEMU's group must be able to pass through it.
  const bool passes = *group && settings.spool_dir.starts_with(settings.state_dir + "/");
  if (auto closed =
          close_directory(settings.state_dir, passes ? *group : std::nullopt, passes ? 0710 : 0700);
      !closed)
    return closed;
  // What is made below the root inherits its group.
  const bool moves = *group && has_other_group(settings.spool_dir, **group);
  if (auto closed = close_directory(settings.spool_dir, *group, *group ? 02710 : 0700); !closed)
    return closed;
  if (moves)
    if (auto given = give_all_to_group(settings.spool_dir, **group); !given) return given;
  for (const char* name : {"/aliquot.db", "/aliquot.db-wal", "/aliquot.db-shm"}) {
    const std::string path = settings.state_dir + name;
    if (::chmod(path.c_str(), 0600) != 0 && errno != ENOENT) return cannot_close(path);
  }
  return {};
}

}  // namespace aliquot
