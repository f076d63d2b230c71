#include "manager/api/wire/auth.hpp"

#include <grp.h>
#include <pwd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <type_traits>
#include <vector>

#include "manager/api/wire/message_text.hpp"
#include "manager/api/wire/protocol.hpp"

namespace aliquot {

namespace {

enum class Rule { anyone, known, submitter, owner, operator_only, administrator };

Rule rule_of(const Request& request) {
  if (const auto* plan = std::get_if<PlanShow>(&request))
    return plan->what_if.empty() && !plan->save ? Rule::anyone : Rule::operator_only;
  return std::visit(
      [](const auto& r) {
        using R = std::decay_t<decltype(r)>;
        if constexpr (std::is_same_v<R, Submit> || std::is_same_v<R, SubmitMany> ||
                      std::is_same_v<R, ImageAdd> || std::is_same_v<R, ImageRemove>) {
          return Rule::submitter;
        } else if constexpr (std::is_same_v<R, Cancel> || std::is_same_v<R, Hold> ||
                             std::is_same_v<R, ReleaseJob> || std::is_same_v<R, Requeue> ||
                             std::is_same_v<R, SetNeed> || std::is_same_v<R, Evolve> ||
                             std::is_same_v<R, Logs> || std::is_same_v<R, Attach>) {
          return Rule::owner;
        } else if constexpr (requires { r.terminal; }) {
          return Rule::known;
        } else if constexpr (std::is_same_v<R, PolicySet> || std::is_same_v<R, PeriodSet> ||
                             std::is_same_v<R, ModeSet> || std::is_same_v<R, PolicyReset> ||
                             std::is_same_v<R, ModeReset> || std::is_same_v<R, NodeProbe> ||
                             std::is_same_v<R, NodeAdd> || std::is_same_v<R, NodeRemove> ||
                             std::is_same_v<R, NodeRename> || std::is_same_v<R, NodeAcceptHost> ||
                             std::is_same_v<R, NodeConfirmDown> || std::is_same_v<R, NodeDrain> ||
                             std::is_same_v<R, NodeResume> || std::is_same_v<R, NodeReclaim> ||
                             std::is_same_v<R, MaintenanceAdd> || std::is_same_v<R, MaintenanceRemove> ||
                             std::is_same_v<R, MotdSet> || std::is_same_v<R, MotdClear> ||
                             std::is_same_v<R, HaStepDown> || std::is_same_v<R, PlanApply> ||
                             std::is_same_v<R, KnowledgeImport> || std::is_same_v<R, KnowledgeForget> ||
                             std::is_same_v<R, RunTimesList> || std::is_same_v<R, RunTimesExport> ||
                             std::is_same_v<R, RunTimesImport> || std::is_same_v<R, RunTimesForget> ||
                             std::is_same_v<R, AccountSet> || std::is_same_v<R, AccountReset>) {
          return Rule::operator_only;
        } else if constexpr (std::is_same_v<R, KeyAdd> || std::is_same_v<R, KeyList> ||
                             std::is_same_v<R, KeyRevoke>) {
          return Rule::administrator;
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

struct UserEntry {
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
};
Result<UserEntry> entry_of(const std::string& user, const char* remedy) {
  std::vector<char> texts(1 << 14);
  passwd entry{};
  passwd* found = nullptr;
  const int code = getpwnam_r(user.c_str(), &entry, texts.data(), texts.size(), &found);
  if (found != nullptr) return UserEntry{found->pw_uid, found->pw_gid};
  return fail(ErrorKind::invalid_argument,
              "there is no user " + wire::in_quotes(user) + " on this machine" +
                  (code != 0 ? std::string(" (") + std::strerror(code) + ")" : std::string()) + "; " +
                  remedy);
}

Result<std::uint32_t> uid_of(const std::string& user) {
  return entry_of(user, "correct api.operators, api.submitters or api.accounts")
      .map([](const UserEntry& entry) { return entry.uid; });
}

Result<std::uint32_t> gid_of(const std::string& name) {
  std::vector<char> room(1 << 16);
  group entry{};
  group* found = nullptr;
  getgrnam_r(name.c_str(), &entry, room.data(), room.size(), &found);
  if (found != nullptr) return found->gr_gid;
  return fail(ErrorKind::invalid_argument,
              "there is no group " + wire::in_quotes(name) + " on this machine; correct api.accounts");
}

Result<Roles::Account> resolve_account(const AccountGrant& grant) {
  Roles::Account account{grant.account, {}, {}, grant.everyone};
  for (const std::string& user : grant.users) {
    const auto uid = uid_of(user);
    if (!uid) return tl::unexpected<Error>(uid.error());
    account.users.insert(*uid);
  }
  for (const std::string& group : grant.groups) {
    const auto gid = gid_of(group);
    if (!gid) return tl::unexpected<Error>(gid.error());
    account.groups.insert(*gid);
  }
  return account;
}

bool may_charge(const Peer& peer, const Roles::Account& account) {
  const auto is_member = [&](std::uint32_t gid) { return account.groups.contains(gid); };
  return account.everyone || account.users.contains(peer.uid) || is_member(peer.gid) ||
         std::ranges::any_of(peer.groups, is_member);
}

// The supplementary groups of the client. A kernel that does not tell them gives it no right by them.
std::vector<std::uint32_t> groups_of(int connection) {
  std::vector<std::uint32_t> groups(64);
  for (;;) {
    socklen_t length = static_cast<socklen_t>(groups.size() * sizeof groups[0]);
    const int code = getsockopt(connection, SOL_SOCKET, SO_PEERGROUPS, groups.data(), &length);
    if (code != 0 && (errno != ERANGE || length <= groups.size() * sizeof groups[0])) return {};
    groups.resize(length / sizeof groups[0]);
    if (code == 0) return groups;
  }
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
  return Credentials{peer.uid, peer.pid, peer.gid, groups_of(connection)};
}

Result<Credentials> local_user(const std::string& name) {
  const auto entry = entry_of(name, "name a user of the manager's machine");
  if (!entry) return tl::unexpected<Error>(entry.error());
  std::vector<gid_t> groups(64);
  for (;;) {
    int count = static_cast<int>(groups.size());
    const bool fits = getgrouplist(name.c_str(), entry->gid, groups.data(), &count) >= 0;
    groups.resize(static_cast<std::size_t>(count));
    if (fits) break;
  }
  Credentials user;
  user.uid = entry->uid;
  user.gid = entry->gid;
  user.groups.assign(groups.begin(), groups.end());
  return user;
}

Result<Roles> resolve_roles(const ApiSettings& settings) {
  Roles roles;
  roles.manager_uid = geteuid();
  for (const std::string& user : settings.operators) {
    const auto uid = uid_of(user);
    if (!uid) return tl::unexpected<Error>(uid.error());
    roles.operators.insert(*uid);
  }
  roles.privacy = settings.privacy;
  for (const AccountGrant& grant : settings.accounts) {
    auto account = resolve_account(grant);
    if (!account) return tl::unexpected<Error>(account.error());
    roles.accounts.push_back(std::move(*account));
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
  const KeyRole role = credentials.role;
  const bool is_local = role == KeyRole::local;
  Peer peer{credentials.uid, credentials.pid, false, roles.operators.contains(credentials.uid)};
  if (role == KeyRole::viewer || role == KeyRole::user) peer.is_operator = false;
  peer.gid = credentials.gid;
  peer.groups = std::move(credentials.groups);
  peer.may_submit = role != KeyRole::viewer &&
                    (peer.is_operator || !roles.submitters || roles.submitters->contains(credentials.uid));
  peer.role = role;
  peer.is_administrator = is_local ? credentials.uid == 0 || credentials.uid == roles.manager_uid
                                   : role == KeyRole::admin && peer.is_operator;
  peer.key = std::move(credentials.key);
  peer.address = std::move(credentials.address);
  return peer;
}

Result<void> authorize(const Request& request, const Peer& peer, std::optional<std::uint32_t> owner) {
  const Rule rule = rule_of(request);
  if (peer.role == KeyRole::viewer && rule != Rule::anyone && !std::holds_alternative<Logs>(request))
    return fail(ErrorKind::forbidden, "the key " + wire::in_quotes(peer.key) + " is a viewer's, and `" +
                                          method_name(request) +
                                          "` is not for looking; ask for a key of the role user");
  switch (rule) {
    case Rule::anyone:
    case Rule::known:
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
    case Rule::administrator:
      if (peer.is_administrator &&
          (peer.role == KeyRole::local || !std::holds_alternative<KeyAdd>(request)))
        return {};
      return refuse(request, peer, "only root and the manager's own user may, on the manager's machine");
  }
  return fail(ErrorKind::forbidden, "no rule allows this request");
}

std::vector<std::string> accounts_of(const Peer& peer, const Roles& roles) {
  std::vector<std::string> names;
  for (const Roles::Account& account : roles.accounts)
    if (may_charge(peer, account)) names.push_back(account.name);
  return names;
}

Result<std::string> account_to_charge(const std::string& asked, const Peer& peer, const Roles& roles) {
  if (peer.is_operator || (asked.empty() && roles.accounts.empty())) return asked;
  const std::vector<std::string> own = accounts_of(peer, roles);
  if (asked.empty() && !own.empty()) return own.front();
  if (std::ranges::find(own, asked) != own.end()) return asked;
  std::string all;
  for (const std::string& name : own) all += (all.empty() ? "" : ", ") + name;
  return fail(ErrorKind::forbidden,
              "user id " + std::to_string(peer.uid) + " may not charge " +
                  (asked.empty() ? "any account" : "the account " + wire::in_quotes(asked)) +
                  (all.empty() ? "" : "; it may charge " + all) +
                  "; an operator adds users to api.accounts");
}

std::optional<JobId> job_of(const Request& request) {
  return std::visit(
      [](const auto& r) -> std::optional<JobId> {
        if constexpr (requires { r.job; })
          return r.job;
        else
          return std::nullopt;
      },
      request);
}

bool needs_identity(const Request& request) { return rule_of(request) != Rule::anyone; }

}  // namespace aliquot
