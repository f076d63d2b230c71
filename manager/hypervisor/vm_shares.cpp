#include "manager/hypervisor/vm_shares.hpp"

#include <algorithm>

#include "manager/hypervisor/xml_text.hpp"

namespace aliquot {
namespace {

// A task without a share that it was promised does not start. All guests have the same name, and a server
// knows a client by this name or by the id that the module has.
constexpr const char* kInterface = R"sh(
share_device=$(interface_of "$share_mac")
if [ -n "$share_device" ]; then
  ip link set "$share_device" up
  ip address add fe80::2/64 dev "$share_device" nodad
fi
modprobe -q nfs "nfs4_unique_id=aliquot-$(cat /proc/sys/kernel/random/uuid)"
modprobe -q nfsv4
mount_share() { # PORT ro|rw SOURCE PATH
  mkdir -p "$4"
  options="$2,nosuid,nodev,vers=4.1,proto=tcp6,addr=fe80::1%$share_device,clientaddr=::,port=$1"
  mount -i -t nfs4 -o "$options,sec=sys,hard,rsize=1048576,wsize=1048576" "$3" "$4" 2>/run/aliquot-mount
}
)sh";

}  // namespace

std::vector<std::string> servers_of(const std::vector<NfsShare>& shares) {
  std::vector<std::string> servers;
  for (const NfsShare& share : shares)
    if (std::ranges::find(servers, share.server) == servers.end()) servers.push_back(share.server);
  return servers;
}

std::string shares_element(JobId job, const VmInterface& interface, const AuthSys& user,
                           const std::vector<NfsShare>& shares) {
  const auto attribute = [](const char* name, const std::string& value) {
    return std::string(" ") + name + "=\"" + xml_escaped(value) + "\"";
  };
  const auto joined = [](const auto& words, auto text) {
    std::string all;
    for (const auto& word : words) all += (all.empty() ? "" : " ") + text(word);
    return all;
  };
  return "<aliquot:shares xmlns:aliquot=\"urn:aliquot:shares:1\"" +
         attribute("job", std::to_string(job.raw)) + attribute("tap", interface.tap) +
         attribute("uid", std::to_string(user.uid)) + attribute("gid", std::to_string(user.gid)) +
         attribute("groups",
                   joined(user.groups, [](std::uint32_t group) { return std::to_string(group); })) +
         attribute("servers", joined(servers_of(shares), [](const std::string& name) { return name; })) +
         "/>";
}

std::vector<ShareMount> mounts_of(const std::vector<NfsShare>& shares) {
  const auto servers = servers_of(shares);
  std::vector<ShareMount> mounts;
  for (const NfsShare& share : shares) {
    const auto number = std::ranges::find(servers, share.server) - servers.begin();
    mounts.push_back({static_cast<std::uint16_t>(kFirstSharePort + number),
                      share.server + ":" + share.directory, share.path, share.read_only});
  }
  std::ranges::sort(mounts, {}, &ShareMount::path);
  return mounts;
}

std::string mount_list(const std::vector<NfsShare>& shares) {
  std::string list;
  for (const ShareMount& mount : mounts_of(shares))
    for (const std::string& word :
         {std::to_string(mount.port), std::string(mount.read_only ? "ro" : "rw"), mount.source, mount.path})
      list.append(word).push_back('\0');
  return list;
}

// The configuration admits no character of names and paths that means something to a shell.
std::string shares_script(const std::vector<NfsShare>& shares, const std::string& mac) {
  if (shares.empty()) return "";
  std::string script = "share_mac=" + mac + kInterface;
  for (const ShareMount& mount : mounts_of(shares))
    script += "mount_share " + std::to_string(mount.port) + (mount.read_only ? " ro '" : " rw '") +
              mount.source + "' '" + mount.path + "' ||\n  set -- sh -c 'echo \"aliquot: the share at " +
              mount.path + " is not mounted: $(cat /run/aliquot-mount)\"; exit 127'\n";
  return script;
}

}  // namespace aliquot
