#include "manager/hypervisor/auth_sys.hpp"

#include <grp.h>
#include <pwd.h>

#include <algorithm>
#include <string>

namespace aliquot {
namespace {

constexpr std::size_t kLongestEntry = std::size_t{64} << 10;
constexpr int kMostMemberships = 65'536;  // of Linux

}  // namespace

Result<AuthSys> auth_sys_of(std::uint32_t uid) {
  std::string text(kLongestEntry, '\0');
  passwd entry{};
  passwd* found = nullptr;
  const int failed = getpwuid_r(uid, &entry, text.data(), text.size(), &found);
  if (failed != 0 || found == nullptr)
    return fail(failed != 0 ? ErrorKind::unavailable : ErrorKind::refused,
                "the user id " + std::to_string(uid) + " is not known on the machine that makes the VM, " +
                    "which needs its groups for the job's shares; add the user there");
  std::vector<gid_t> groups(64);
  int count = static_cast<int>(groups.size());
  if (getgrouplist(found->pw_name, found->pw_gid, groups.data(), &count) < 0) {
    groups.resize(static_cast<std::size_t>(std::clamp(count, 0, kMostMemberships)));
    count = static_cast<int>(groups.size());
    if (getgrouplist(found->pw_name, found->pw_gid, groups.data(), &count) < 0)
      return fail(ErrorKind::unavailable, "the groups of the user id " + std::to_string(uid) +
                                              " change while they are read; they are read again later");
  }
  groups.resize(static_cast<std::size_t>(count));
  std::erase(groups, found->pw_gid);
  if (groups.size() > kMostGroups) groups.resize(kMostGroups);
  return AuthSys{uid, found->pw_gid, {groups.begin(), groups.end()}};
}

}  // namespace aliquot
