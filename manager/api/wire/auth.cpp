#include "manager/api/wire/auth.hpp"

#include <pwd.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <type_traits>
#include <vector>

#include "manager/api/wire/message_text.hpp"
#include "manager/api/wire/protocol.hpp"

namespace aliquot {

namespace {

enum class Rule { anyone, submitter, owner, operator_only };

Rule rule_of(const Request& request) {
  return std::visit(
      [](const auto& r) {
        using R = std::decay_t<decltype(r)>;
        if constexpr (std::is_same_v<R, Submit>) {
          return Rule::submitter;
        } else if constexpr (std::is_same_v<R, Cancel> || std::is_same_v<R, Hold> ||
                             std::is_same_v<R, ReleaseJob> || std::is_same_v<R, Logs>) {
          return Rule::owner;
        } else if constexpr (std::is_same_v<R, PolicySet> || std::is_same_v<R, PeriodSet> ||
                             std::is_same_v<R, ModeSet> || std::is_same_v<R, NodeProbe>) {
          return Rule::operator_only;
        } else {
          return Rule::anyone;
        }
      },
      request);
}

tl::unexpected<Error> refuse(const Request& request, const Peer& peer, const std::string& who) {
  return fail(ErrorKind::forbidden, "user id " + std::to_string(peer.uid) + " may not ask `" +
                                        method_name(request) + "`; " + who);
}

Result<std::uint32_t> uid_of(const std::string& user) {
  std::vector<char> room(1 << 14);
  passwd entry{};
  passwd* found = nullptr;
  const int code = getpwnam_r(user.c_str(), &entry, room.data(), room.size(), &found);
  if (found != nullptr) return found->pw_uid;
  return fail(ErrorKind::invalid_argument,
              "there is no user " + wire::in_quotes(user) + " on this machine" +
                  (code != 0 ? std::string(" (") + std::strerror(code) + ")" : std::string()) +
                  "; correct api.operators or api.submitters");
}

}  // namespace

Result<Credentials> peer_of(int connection, const std::string& path) {
  const auto unknown = [](const char* why) {
    return fail(ErrorKind::forbidden, std::string("the kernel does not say who is asking: ") + why +
                                          "; connect again, through the local socket");
  };
  sockaddr_un name{};
  socklen_t length = sizeof name;
  if (getsockname(connection, reinterpret_cast<sockaddr*>(&name), &length) != 0)
    return unknown("the connection is gone");
  const bool ours = name.sun_family == AF_UNIX && length > offsetof(sockaddr_un, sun_path) &&
                    path == std::string(name.sun_path, strnlen(name.sun_path, sizeof name.sun_path));
  if (!ours) return unknown("the connection is not one of the local socket's");
  ucred peer{};
  length = sizeof peer;
  if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0 || length != sizeof peer)
    return unknown("SO_PEERCRED failed");
  if (peer.pid <= 0) return unknown("the process is not in our pid namespace");
  return Credentials{peer.uid, peer.pid};
}

Result<Roles> resolve_roles(const ApiSettings& settings) {
  Roles roles;
  for (const std::string& user : settings.operators) {
    const auto uid = uid_of(user);
    if (!uid) return tl::unexpected<Error>(uid.error());
    roles.operators.insert(*uid);
  }
  if (settings.submitters.empty()) return roles;
  roles.submitters.emplace();
  for (const std::string& user : settings.submitters) {
    const auto uid = uid_of(user);
    if (!uid) return tl::unexpected<Error>(uid.error());
    roles.submitters->insert(*uid);
  }
  return roles;
}

Peer with_roles(Credentials credentials, const Roles& roles) {
  Peer peer{credentials.uid, credentials.pid, false, roles.operators.contains(credentials.uid)};
  peer.may_submit = peer.is_operator || !roles.submitters || roles.submitters->contains(credentials.uid);
  return peer;
}

Result<void> authorize(const Request& request, const Peer& peer, std::optional<std::uint32_t> owner) {
  switch (rule_of(request)) {
    case Rule::anyone:
      return {};
    case Rule::submitter:
      if (peer.may_submit) return {};
      return refuse(request, peer, "an operator adds users to api.submitters");
    case Rule::owner:
      if (peer.is_operator || (owner && *owner == peer.uid)) return {};
      return refuse(request, peer, "only the job's owner or an operator may");
    case Rule::operator_only:
      if (peer.is_operator) return {};
      return refuse(request, peer, "only an operator (api.operators) may");
  }
  return fail(ErrorKind::forbidden, "no rule allows this request");
}

bool needs_identity(const Request& request) { return rule_of(request) != Rule::anyone; }

}  // namespace aliquot
