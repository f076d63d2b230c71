// The file of a local socket: its directory, a stale one's removal, its permissions. Knows no ZeroMQ.
#pragma once

#include <cstdint>
#include <string>

#include "policies/model/error.hpp"

namespace aliquot {

// Makes room for a socket at `path`: creates its directory (0755) if there is none, and removes a socket
// that nobody listens on any more. A socket that answers (`conflict`: another manager runs), and anything
// that is no socket, is left alone and is an error.
[[nodiscard]] Result<void> make_room_for_socket(const std::string& path);

// Group and mode of the bound socket; an empty group leaves it. An unknown group is an error.
[[nodiscard]] Result<void> give_socket_to(const std::string& path, std::uint32_t mode,
                                          const std::string& group);

// While it lives, files are created accessible to their owner alone, so that no one slips in between the
// bind of a socket and give_socket_to. For the whole process: bind before threads that create files start.
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
