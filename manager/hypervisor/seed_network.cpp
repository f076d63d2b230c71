#include "manager/hypervisor/seed_network.hpp"

#include "manager/hypervisor/guest_commands.hpp"
#include "manager/hypervisor/vm_interface.hpp"

namespace aliquot {
namespace {

// A task without the network that it was promised does not start.
constexpr const char* kInterface = R"sh(
device=$(interface_of "$mac")
[ -n "$device" ] ||
  set -- sh -c 'echo "aliquot: the network of the task: no interface $0; has this image its driver?"
    exit 127' "$mac"
)sh";

constexpr const char* kOwnAddress = R"sh(
if [ -n "$device" ]; then
  ip address flush dev "$device"
  ip link set "$device" down
  [ "$device" = eth0 ] || ip link set "$device" name eth0
  ip link set eth0 mtu "$mtu" up
  ip address add "$address" dev eth0
fi
)sh";

// The image may have one already, from cloud-init.
constexpr const char* kAddressOfSite = R"sh(
has_address() { ip -4 address show dev "$device" | grep -q inet; }
if [ -n "$device" ] && ! has_address; then
  ip link set "$device" up
  if command -v udhcpc >/dev/null; then
    udhcpc -n -t 15 -T 2 -i "$device"
  else
    dhclient -1 "$device"
  fi >/dev/null 2>&1
  has_address ||
    set -- sh -c 'echo "aliquot: the network of the task: no address; has this image a DHCP client?"
      exit 127'
fi
)sh";

// One key for all: whatever has it is a VM of this job.
constexpr const char* kSsh = R"sh(
keys=/run/aliquot/ssh
if sshd=$(command -v sshd) && command -v ssh-keygen >/dev/null; then
  systemctl stop ssh.service sshd.service ssh.socket 2>/dev/null
  mkdir -p -m 755 "$keys" /run/sshd && mkdir -p -m 700 "$HOME/.ssh"
  (umask 077 && printf '%s\n' "$key" >"$keys/host" && cp "$keys/host" "$keys/user")
  public=$(ssh-keygen -y -f "$keys/host")
  echo "$public" >"$keys/authorized"
  echo "task* $public" >"$keys/known"
  cat >"$keys/sshd" <<END
HostKey $keys/host
AuthorizedKeysFile $keys/authorized
PermitRootLogin prohibit-password
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
UseDNS no
PidFile none
SetEnv $(env | sed -n '/^ALIQUOT_/p' | tr '\n' ' ')
END
  cat >"$HOME/.ssh/config" <<END
Host task*
  IdentityFile $keys/user
  UserKnownHostsFile $keys/known
  ConnectionAttempts 120
  LogLevel ERROR
END
  chown -R "$uid:$uid" "$HOME/.ssh" "$keys/user"
  "$sshd" -f "$keys/sshd"
fi
)sh";

std::string hosts(const TaskNumbers& numbers) {
  std::string lines;
  for (std::uint32_t task = 0; task < numbers.tasks; ++task)
    lines += print_ipv4(interface_of(numbers.job, task, *numbers.network).address) + " task" +
             std::to_string(task) + "\n";
  return lines;
}

std::string address_of(const TaskNumbers& numbers, const VmInterface& interface) {
  return print_ipv4(interface.address) + "/" + std::to_string(numbers.network->addresses.prefix);
}

std::string file_from(const std::string& redirection, const std::string& content) {
  return "cat " + redirection + " <<'END OF ALIQUOT'\n" + content + "END OF ALIQUOT\n";
}

}  // namespace

std::string network_config(const TaskNumbers& numbers) {
  if (!numbers.network) return "version: 2\nethernets: {}\n";
  const VmInterface own = interface_of(numbers.job, numbers.task, *numbers.network);
  const std::string interface =
      "version: 2\nethernets:\n  job:\n    match: {macaddress: '" + own.mac + "'}\n";
  if (own.is_site) return interface + "    dhcp4: true\n";
  return interface + "    addresses: ['" + address_of(numbers, own) +
         "']\n    mtu: " + std::to_string(own.mtu) + "\n";
}

std::string install_script(const std::string& name, const char* content) {
  const std::string file = "/usr/local/bin/" + name;
  return "mkdir -p /usr/local/bin\n" + file_from(">" + file, content) + "chmod 755 " + file + "\n";
}

std::string network_script(const TaskSeed& seed) {
  const std::string mpi = install_script("aliquot-mpi", kAliquotMpi);
  if (!seed.numbers.network) return mpi;
  const VmInterface own = interface_of(seed.numbers.job, seed.numbers.task, *seed.numbers.network);
  if (own.is_site) return mpi + "mac=" + own.mac + kInterface + kAddressOfSite;
  return mpi + "mac=" + own.mac + " mtu=" + std::to_string(own.mtu) +
         " address=" + address_of(seed.numbers, own) + "\nkey=" + shell_quoted(seed.ssh_key) + kInterface +
         kOwnAddress + file_from(">>/etc/hosts", hosts(seed.numbers)) + kSsh;
}

}  // namespace aliquot
