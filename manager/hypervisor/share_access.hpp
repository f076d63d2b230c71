// How a VM reaches the NFS shares of its job (docs/shares.md): by an interface of its own that leads to
// nothing but the node's end of it, where aliquot-share (tools/share) relays to the servers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace aliquot {

inline constexpr char kShareAddress[] = "fe80::1";       // of the node, on the interface of each VM
inline constexpr std::uint16_t kNfsPort = 2049;          // of the servers
inline constexpr std::uint16_t kFirstSharePort = 20490;  // of the node, for the first server of a job
inline constexpr std::size_t kMostShareServers = 16;
inline constexpr std::size_t kMostGroups = 16;  // that AUTH_SYS carries

// The user on whose behalf an NFS server is asked: a credential of the flavor AUTH_SYS (RFC 5531).
struct AuthSys {
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::vector<std::uint32_t> groups{};  // supplementary; at most kMostGroups
  friend bool operator==(const AuthSys&, const AuthSys&) = default;
};

}  // namespace aliquot
