// The key with which a user of another machine speaks to a manager: a file of a few lines that only its
// user can read, made by `aliquot key new` (docs/remote.md). It has what the client needs to know: where
// the manager is, and by which key it is known.
#pragma once

#include <string>

#include "manager/keys/curve_keys.hpp"

namespace aliquot::ctl {

struct RemoteKey {
  std::string name;
  std::string at;  // tcp://HOST:PORT
  CurveKey server{};
  CurveKeys own{};
  std::string file{};  // where it stands
};

// Refused if another user could read the file.
[[nodiscard]] Result<RemoteKey> read_remote_key(const std::string& file);
// Creates the file, readable by its user only. ErrorKind::conflict: there is a file already.
[[nodiscard]] Result<void> write_remote_key(const std::string& file, const RemoteKey& key);

// tcp://HOST:PORT, with a name or an address and a port other than 0.
[[nodiscard]] Result<void> check_tcp_address(const std::string& text);

}  // namespace aliquot::ctl
