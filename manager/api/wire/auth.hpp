// Authentication and authorisation. The kernel identifies the process at the other end of a local
// connection (SO_PEERCRED), a key the client of a remote one (key_book.hpp); the settings define the
// permissions of its user, the key may narrow them, and authorize() decides.
//
// The credentials alone do not prove that a message came through the connection for which they were read;
// the ticket (connections.hpp) does.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "config/settings.hpp"
#include "manager/api/wire/request.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

struct Credentials {
  std::uint32_t uid = 0;
  std::int32_t pid = 0;
  std::uint32_t gid = 65534;
  std::vector<std::uint32_t> groups{};  // supplementary
  KeyRole role = KeyRole::local;
  std::string key{};      // its name; empty: a local client
  std::string address{};  // of a remote client, with its port
};

// The credentials with which the connection was made. Fails closed: anything but a local stream socket
// bound to `path`, or a kernel without an answer, is `forbidden`.
[[nodiscard]] Result<Credentials> peer_of(int connection, const std::string& path);

// A user of this machine, with its groups. ErrorKind::invalid_argument: there is none.
[[nodiscard]] Result<Credentials> local_user(const std::string& name);

// User names resolved once, at start and at each reload.
struct Roles {
  std::set<std::uint32_t> operators;
  std::optional<std::set<std::uint32_t>> submitters;  // none: all users that can open the socket
  struct Account {
    std::string name;
    std::set<std::uint32_t> users;
    std::set<std::uint32_t> groups;
    bool everyone = false;
  };
  std::vector<Account> accounts;  // that users may charge; the first one of a user is its default
  std::string privacy = "queue";
  std::uint32_t manager_uid = 0;  // its own: an administrator, as root is
};
// An unknown user or group name is an error that names it.
[[nodiscard]] Result<Roles> resolve_roles(const ApiSettings& settings);

[[nodiscard]] Peer with_roles(Credentials credentials, const Roles& roles);

// May this peer make this request? `owner` is the uid of the job that the request names; none if it names
// no job, or an unknown one. Only operators get not_found for an unknown job; other users get the same
// answer as for a foreign job.
[[nodiscard]] Result<void> authorize(const Request& request, const Peer& peer,
                                     std::optional<std::uint32_t> owner);

// The accounts of this user, its default first. Operators may charge others too.
[[nodiscard]] std::vector<std::string> accounts_of(const Peer& peer, const Roles& roles);
// The account that a job is charged to; `asked` is empty if its user named none. Forbidden for an account
// that is not the user's, whether or not there is such an account.
[[nodiscard]] Result<std::string> account_to_charge(const std::string& asked, const Peer& peer,
                                                    const Roles& roles);

// The job that the request is about, if any.
[[nodiscard]] std::optional<JobId> job_of(const Request& request);

// Does the answer depend on the identity of the client? Then the request needs the ticket of its
// connection.
[[nodiscard]] bool needs_identity(const Request& request);

}  // namespace aliquot
