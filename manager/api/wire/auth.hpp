// Who asks, and may they? The kernel says who is at the other end of a local connection (SO_PEERCRED), the
// settings say what that user may do, and one pure function decides.
//
// Not the whole of it: that a message really came through the connection whose credentials were read is
// proved by the ticket of job_server.hpp. Remote users are not known here: there is no socket for them.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "config/settings.hpp"
#include "manager/api/wire/request.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

struct Credentials {
  std::uint32_t uid = 0;
  std::int32_t pid = 0;
};

// The credentials the connection was made with. Fails closed: anything but a local stream socket bound to
// `path`, or a kernel that does not say, is `forbidden`.
[[nodiscard]] Result<Credentials> peer_of(int connection, const std::string& path);

// User names resolved once, at start and at each reload.
struct Roles {
  std::set<std::uint32_t> operators;
  std::optional<std::set<std::uint32_t>> submitters;  // none: whoever can reach the socket
};
// An unknown user name is an error that names it.
[[nodiscard]] Result<Roles> resolve_roles(const ApiSettings& settings);

[[nodiscard]] Peer with_roles(Credentials credentials, const Roles& roles);

// Who may ask what. `owner` is the uid of the job a request names; none where it names no job, or the job
// is not known (then only an operator learns so: others cannot tell a foreign job from none).
[[nodiscard]] Result<void> authorize(const Request& request, const Peer& peer,
                                     std::optional<std::uint32_t> owner);

// Whether the answer depends on who asks: such a request needs its connection's ticket.
[[nodiscard]] bool needs_identity(const Request& request);

}  // namespace aliquot
