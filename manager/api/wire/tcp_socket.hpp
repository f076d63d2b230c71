// Sockets for clients of other machines.
#pragma once

#include <string>

#include "policies/model/error.hpp"

namespace aliquot {

// A socket that listens at tcp://ADDRESS:PORT; * is all addresses, and port 0 a free one. The errors say
// what is in the way.
[[nodiscard]] Result<int> listen_on_tcp(const std::string& endpoint);
// Where a socket listens, or its peer is: "192.168.1.10:7447".
[[nodiscard]] std::string own_address(int fd);
[[nodiscard]] std::string peer_address(int fd);
// What is written goes at once, and a machine that is gone is noticed within a minute.
void watch_peer(int fd);

}  // namespace aliquot
