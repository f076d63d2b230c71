// The file of a local socket: its directory, the removal of a stale file, its permissions. Independent of
// ZeroMQ.
#pragma once

#include <cstdint>
#include <string>

#include "policies/model/error.hpp"

namespace aliquot {

// Prepares `path` for a socket: creates its directory (0755) if necessary, and removes a socket file
// without a listener. A socket that answers (`conflict`: another manager runs) and a file that is no socket
// are left unchanged and are errors.
[[nodiscard]] Result<void> prepare_socket_path(const std::string& path);

// Sets group and mode of the bound socket; an empty group leaves the group unchanged. An unknown group is
// an error.
[[nodiscard]] Result<void> give_socket_to(const std::string& path, std::uint32_t mode,
                                          const std::string& group);

// During its lifetime, new files are accessible to their owner only, so that no client can connect between
// the bind of a socket and give_socket_to. It sets the umask of the whole process: bind before other
// threads create files.
class OwnerOnlyFiles {
 public:
  OwnerOnlyFiles();
  OwnerOnlyFiles(const OwnerOnlyFiles&) = delete;
  OwnerOnlyFiles& operator=(const OwnerOnlyFiles&) = delete;
  ~OwnerOnlyFiles();

 private:
  std::uint32_t before_;
};

}  // namespace aliquot
