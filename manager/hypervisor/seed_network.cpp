#include "manager/hypervisor/seed_network.hpp"

#include "manager/hypervisor/guest_commands.hpp"
#include "manager/hypervisor/task_list.hpp"
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

// Names for the tasks in the ranges that $tasks lists; then again whenever the disk of the job lists
// others. Lines of /etc/hosts that name no task stay.
constexpr const char* kHosts = R"sh(
name_tasks() {
  sed '/[[:space:]]task[0-9][0-9]*$/d' /etc/hosts
  for range in $(echo "$tasks" | sed 's/,/ /g'); do
    task=${range%-*}
    while [ "$task" -le "${range#*-}" ]; do
      at=$((network + 1 + task))
      echo "$((at >> 24)).$((at >> 16 & 255)).$((at >> 8 & 255)).$((at & 255)) task$task"
      task=$((task + 1))
    done
  done
}
write_hosts() { name_tasks >/etc/hosts.new && mv /etc/hosts.new /etc/hosts; }
follow_tasks() {
  disk=
  for each in /sys/block/vd*; do
    [ "$(cat "$each/serial" 2>/dev/null)" != "$serial" ] || disk=/dev/${each##*/}
  done
  while [ "$disk" ] && sleep 2; do
    now=$(dd if="$disk" bs=4096 count=1 iflag=direct 2>/dev/null |
      sed -n '1s/^aliquot-tasks 1 \([0-9,-]*\)$/\1/p')
    [ "$now" ] && [ "$now" != "$tasks" ] || continue
    tasks=$now
    write_hosts
  done
}
write_hosts
follow_tasks </dev/null >/dev/null 2>&1 &
)sh";

std::string hosts_script(const TaskNumbers& numbers) {
  return "tasks=" + print_task_ranges(numbers.all) + " serial=" + kTaskListSerial +
         " network=" + std::to_string(numbers.network->addresses.first.raw) + kHosts;
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
         kOwnAddress + hosts_script(seed.numbers) + kSsh;
}

}  // namespace aliquot
