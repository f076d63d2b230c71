// aliquot-share DEVICE UID GID GROUPS SERVER...: the way of one VM to its NFS shares (docs/shares.md).
//
// Started by the hook of libvirt on the node (tools/share/hook), as root. Returns when it listens; a
// process in the background then relays, without any right but that to reserved ports, and another one
// starts it again if it dies. Both end when the device is gone.
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <net/if.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>

#include <charconv>
#include <cstring>
#include <iostream>
#include <optional>
#include <sstream>

#include "manager/hypervisor/share_access.hpp"
#include "tools/share/relay.hpp"

namespace {

using namespace aliquot;
using namespace aliquot::share;

constexpr int kExitFailed = 1, kExitUsage = 2;
constexpr std::uint32_t kNobody = 65534;
constexpr rlim_t kMostFiles = 256;

std::optional<std::uint32_t> number_of(const std::string& text) {
  std::uint32_t number = 0;
  const auto [stop, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return number;
}

// UID GID "G1 G2 ...".
std::optional<AuthSys> user_of(const std::string& uid, const std::string& gid, const std::string& groups) {
  const auto user = number_of(uid), group = number_of(gid);
  if (!user || !group) return std::nullopt;
  AuthSys ids{*user, *group, {}};
  std::istringstream words(groups);
  for (std::string word; words >> word;) {
    const auto number = number_of(word);
    if (!number) return std::nullopt;
    ids.groups.push_back(*number);
  }
  if (ids.groups.size() > kMostGroups) return std::nullopt;
  return ids;
}

// What it reads comes from guests.
bool give_up_rights() {
  const rlimit files{kMostFiles, kMostFiles};
  __user_cap_header_struct head{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> rights{};
  rights[0].effective = rights[0].permitted = 1U << CAP_NET_BIND_SERVICE;
  return setrlimit(RLIMIT_NOFILE, &files) == 0 && prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) == 0 &&
         setgroups(0, nullptr) == 0 && setresgid(kNobody, kNobody, kNobody) == 0 &&
         setresuid(kNobody, kNobody, kNobody) == 0 && syscall(SYS_capset, &head, rights.data()) == 0 &&
         prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}

// libvirt waits until nothing holds the output of its hook any more.
bool go_into_background() {
  const pid_t child = fork();
  if (child < 0) return false;
  if (child > 0) _exit(0);
  const int nowhere = open("/dev/null", O_RDWR);
  for (int fd = 0; fd <= STDERR_FILENO; ++fd) dup2(nowhere, fd);
  if (nowhere > STDERR_FILENO) close(nowhere);
  return setsid() >= 0 && chdir("/") == 0;
}

// The listening sockets stay open, so the next process takes the connections that the last one did not.
int supervise(const std::string& device, const std::vector<Listener>& listeners, const AuthSys& user) {
  const unsigned index = if_nametoindex(device.c_str());
  while (index != 0 && if_nametoindex(device.c_str()) == index) {
    const pid_t child = fork();
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      relay(device, listeners, user);
      _exit(0);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
      syslog(LOG_ERR, "the relay of %s has ended; starting it again", device.c_str());
      sleep(1);
    }
  }
  return 0;
}

int refused(const std::string& why) {
  std::cerr << "aliquot-share: " << why << '\n';
  return kExitFailed;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const auto user = words.size() > 4 ? user_of(words[1], words[2], words[3]) : std::nullopt;
  if (!user || words.size() - 4 > kMostShareServers) {
    std::cerr
        << "usage: aliquot-share DEVICE UID GID \"GROUP...\" SERVER...\n"
           "Relays the VM behind DEVICE to port 2049 of the servers, in the name of one user. At most "
        << kMostGroups << " groups, and " << kMostShareServers << " servers.\n";
    return kExitUsage;
  }
  const auto listeners = listen_on(words[0], {words.begin() + 4, words.end()});
  if (!listeners) return refused(listeners.error().message);
  if (!give_up_rights())
    return refused(std::string("its rights are not given up: ") + std::strerror(errno));
  openlog("aliquot-share", LOG_PID, LOG_DAEMON);
  if (!go_into_background()) return kExitFailed;
  return supervise(words[0], *listeners, *user);
}
