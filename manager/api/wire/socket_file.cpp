#include "manager/api/wire/socket_file.hpp"

#include <grp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <vector>

namespace aliquot {

namespace {

std::string because(int code) { return std::string(": ") + std::strerror(code); }

// Does a process accept connections at `path`?
Result<bool> answers(const std::string& path) {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return fail(ErrorKind::internal, "no socket to be had" + because(errno));
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  path.copy(name.sun_path, sizeof name.sun_path - 1);
  const int code = connect(fd, reinterpret_cast<sockaddr*>(&name), sizeof name) == 0 ? 0 : errno;
  close(fd);
  if (code == ECONNREFUSED || code == ENOENT) return false;
  if (code == 0 || code == EAGAIN) return true;  // EAGAIN: a listener that is busy
  return fail(ErrorKind::unavailable, "cannot tell whether somebody listens at " + path + because(code));
}

}  // namespace

Result<void> prepare_socket_path(const std::string& path) {
  if (path.empty() || path[0] != '/')
    return fail(ErrorKind::invalid_argument, "the socket path `" + path + "` must be absolute");
  if (path.size() >= sizeof(sockaddr_un::sun_path))
    return fail(ErrorKind::invalid_argument,
                "the socket path " + path + " has " + std::to_string(path.size()) + " bytes; at most " +
                    std::to_string(sizeof(sockaddr_un::sun_path) - 1) + " are possible");
  const auto directory = std::filesystem::path(path).parent_path();
  std::error_code failure;
  if (std::filesystem::create_directories(directory, failure)) {
    using enum std::filesystem::perms;
    std::filesystem::permissions(directory, owner_all | group_read | group_exec | others_read | others_exec,
                                 failure);
  }
  if (failure)
    return fail(ErrorKind::unavailable, "cannot create the directory " + directory.string() + ": " +
                                            failure.message() + "; create it, or change api.socket");

  struct stat found {};
  if (lstat(path.c_str(), &found) != 0) {
    if (errno == ENOENT) return {};
    return fail(ErrorKind::unavailable, "cannot look at " + path + because(errno));
  }
  if (!S_ISSOCK(found.st_mode))
    return fail(ErrorKind::conflict, path + " exists and is no socket; move it away or change the path");
  const auto alive = answers(path);
  if (!alive) return tl::unexpected<Error>(alive.error());
  if (*alive)
    return fail(ErrorKind::conflict,
                "somebody listens at " + path + ": another manager runs; stop it first");
  if (unlink(path.c_str()) != 0 && errno != ENOENT)
    return fail(ErrorKind::unavailable, "cannot remove the stale socket " + path + because(errno));
  return {};
}

Result<void> give_socket_to(const std::string& path, std::uint32_t mode, const std::string& group) {
  if (!group.empty()) {
    std::vector<char> room(1 << 16);
    struct group entry {};
    struct group* found = nullptr;
    getgrnam_r(group.c_str(), &entry, room.data(), room.size(), &found);
    if (found == nullptr)
      return fail(ErrorKind::invalid_argument,
                  "there is no group `" + group + "`; create it or correct api.socket_group");
    if (chown(path.c_str(), static_cast<uid_t>(-1), found->gr_gid) != 0)
      return fail(ErrorKind::unavailable, "cannot give " + path + " to group " + group + because(errno));
  }
  if (chmod(path.c_str(), mode & 0777) != 0)
    return fail(ErrorKind::unavailable, "cannot set the mode of " + path + because(errno));
  return {};
}

OwnerOnlyFiles::OwnerOnlyFiles() : before_(umask(0177)) {}
OwnerOnlyFiles::~OwnerOnlyFiles() { umask(before_); }

}  // namespace aliquot
