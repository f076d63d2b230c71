#include "manager/spool_access.hpp"

#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
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
  return {};
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
  if (auto closed = close_directory(settings.spool_dir, *group, *group ? 02710 : 0700); !closed)
    return closed;
  for (const char* name : {"/aliquot.db", "/aliquot.db-wal", "/aliquot.db-shm"}) {
    const std::string path = settings.state_dir + name;
    if (::chmod(path.c_str(), 0600) != 0 && errno != ENOENT) return cannot_close(path);
  }
  return {};
}

}  // namespace aliquot
