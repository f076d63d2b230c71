#include "manager/hypervisor/task_seed.hpp"

#include <utility>

#include "manager/hypervisor/files.hpp"
#include "manager/hypervisor/guest_commands.hpp"
#include "manager/hypervisor/seed_data.hpp"
#include "manager/hypervisor/seed_network.hpp"
#include "manager/hypervisor/vm_shares.hpp"

namespace aliquot {
namespace {

using Variables = std::vector<std::pair<std::string, std::string>>;

// The same as in the small Linux guest (tools/guest/init).
Variables variables_of(const TaskNumbers& numbers) {
  return {{"ALIQUOT_JOB", std::to_string(numbers.job.raw)},
          {"ALIQUOT_TASK", std::to_string(numbers.task)},
          {"ALIQUOT_TASKS", std::to_string(numbers.tasks)},
          {"ALIQUOT_UNITS", std::to_string(numbers.units)},
          {"ALIQUOT_FIRST_UNIT", std::to_string(numbers.first_unit)},
          {"ALIQUOT_ALL_UNITS", std::to_string(numbers.all_units)}};
}

std::string meta_data(const TaskSeed& seed) {
  const std::string task = std::to_string(seed.numbers.task);
  return "instance-id: aliquot-" + std::to_string(seed.numbers.job.raw) + "." + task + "-" +
         std::to_string(seed.incarnation) + "\nlocal-hostname: task" + task + "\n";
}

// What follows the task's own lines, which set the arguments, the environment and `uid`.
constexpr const char* kAccount = R"(
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
TERM=dumb HOME=/root USER=root
console=/dev/ttyS0 status=/dev/ttyS1

# The lines of this account come first, so that they count.
if [ "$uid" -ne 0 ]; then
  HOME=/home/aliquot USER=aliquot
  sed -i "1i aliquot:*:$uid:$uid::$HOME:/bin/sh" /etc/passwd
  sed -i "1i aliquot:x:$uid:" /etc/group
  mkdir -p -m 755 "$HOME" && chown "$uid:$uid" "$HOME"
fi
LOGNAME=$USER
export PATH TERM HOME USER LOGNAME
)";

// An image names its interfaces as it likes, and its driver may be a module: interface_of MAC prints the
// name when the kernel has it, and nothing after ten seconds.
constexpr const char* kInterfaceOf = R"sh(
interface_of() {
  modprobe -q virtio_net
  for _ in 0 1 2 3 4 5 6 7 8 9; do
    for _ in 0 1 2 3 4 5 6 7 8 9; do
      for each in /sys/class/net/*; do
        [ "$(cat "$each/address")" != "$1" ] || { echo "${each##*/}" && return; }
      done
      sleep 0.1
    done
  done
}
)sh";

// A task that is to leave its job is told by the power button. Where there is a service manager, that takes
// it and ends the machine in its own way. An event of the kernel has 16 bytes of time, then type (1: a
// key), code (116: power) and value (1: pressed).
constexpr const char* kPassNotice = R"sh(
button=
if [ ! -d /run/systemd/system ]; then
  modprobe -q evdev
  modprobe -q button
  for each in /sys/class/input/event*; do
    [ "$(cat "$each/device/name")" != "Power Button" ] || button=/dev/input/${each##*/}
  done
fi
pass_notice() {
  while set -- $(dd bs=24 count=1 <&5 | od -An -tu2 -j16) && [ $# -eq 4 ]; do
    [ "$1 $2 $3" != "1 116 1" ] || kill -TERM "-$(cat /run/aliquot/command)"
  done
}
)sh";

// A serial port is set raw, so that no byte is changed. stty waits until what was written before has left
// the machine: the program's last line arrives before its status, and both before the power is off.
constexpr const char* kRun = R"(
# The console is the task's own from now on.
echo 0 >/proc/sys/kernel/printk
if [ -d /run/systemd/system ]; then
  systemctl stop serial-getty@ttyS0.service serial-getty@ttyS1.service serial-getty@hvc0.service 2>/dev/null
fi
exec 3<>"$console" 4<>"$status"
stty raw -echo clocal 115200 <&3
stty raw -echo clocal 115200 <&4
chown "$uid" "$console"
echo "aliquot-status 1 start" >&4

if [ "$made" ]; then chown -R "$uid:$uid" "$workdir"; fi
cd "$workdir" || cd /
serve_terminal >/dev/null 2>&1 3>&- 4>&- &
mkdir -p /run/aliquot
if [ "$button" ]; then
  exec 5<"$button" # from here on the kernel keeps what is pressed
  pass_notice >/dev/null 2>&1 3>&- 4>&- &
  exec 5<&-
fi
sh -c 'echo $$ >/run/aliquot/command && exec "$@"' sh \
  setsid setpriv --reuid "$uid" --regid "$uid" --clear-groups -- "$@" <"$input" >&3 2>&3 3>&- 4>&-
code=$?
)";

constexpr const char* kEnd = R"(
killed=$(sed -n 's/^oom_kill //p' /proc/vmstat)
if [ "${killed:-0}" -gt 0 ]; then
  printf '\naliquot: out of memory: the kernel ended %d processes\n' "$killed" >&3
  echo "aliquot-status 1 out_of_memory $killed" >&4
fi
stty raw -echo <&3
echo "aliquot-status 1 exit $code" >&4
stty raw -echo <&4
poweroff 2>/dev/null # the image's init does it, where it has not started a service manager
)";

// The variables of the job are the command's only, and a terminal's: this script is root's.
std::string env_command(const JobData& data) {
  std::string out = "env";
  for (const std::string& variable : data.env) out += " " + shell_quoted(variable);
  return out;
}

std::string with_variables(const JobData& data) {
  return data.env.empty() ? "" : "set -- " + env_command(data) + " \"$@\"\n";
}

// Shells for `aliquot attach`, which are the same as the command: its user, variables and directory.
std::string terminal_script(const JobData& data) {
  return install_script("aliquot-terminal", kAliquotTerminal) +
         "serve_terminal() {\n  modprobe -q virtio_balloon\n  modprobe -q virtio_console\n  exec "
         "/usr/local/bin/aliquot-terminal setpriv "
         "--reuid \"$uid\" --regid \"$uid\" --clear-groups -- " +
         env_command(data) + "\n}\n";
}

// A directory that is made for the job belongs to its user, with all that is unpacked there.
std::string directory_and_input(const JobData& data) {
  const std::string workdir = data.workdir.empty() ? "$HOME" : shell_quoted(data.workdir);
  return "workdir=" + workdir + " made= input=" + (data.stdin_file ? "/aliquot/stdin" : "/dev/null") +
         "\n[ -d \"$workdir\" ] || { made=1 && mkdir -p \"$workdir\"; }\n";
}

}  // namespace

std::string shell_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'')
      out += R"('\'')";
    else
      out.push_back(c);
  }
  return out + "'";
}

std::string user_data(const TaskSeed& seed) {
  std::string out = "#!/bin/sh\n# A task of Aliquot; run as root, once (docs/guest-contract.md).\nset --";
  for (const std::string& argument : seed.argv) out += " " + shell_quoted(argument);
  out += "\n";
  for (const auto& [name, value] : variables_of(seed.numbers))
    out += "export " + name + "=" + shell_quoted(value) + "\n";
  return out + "uid=" + std::to_string(seed.uid) + "\n" + kAccount + kInterfaceOf + network_script(seed) +
         shares_script(seed.shares, share_interface_of(seed.numbers.job, seed.numbers.task).mac) +
         terminal_script(seed.data) + directory_and_input(seed.data) +
         (seed.has_files ? inputs_script() : "") + with_variables(seed.data) + kPassNotice + kRun +
         results_script(seed.data) + kEnd;
}

std::vector<VolumeFile> seed_files(const TaskSeed& seed) {
  std::string argv;
  for (const std::string& argument : seed.argv) argv.append(argument).push_back('\0');
  std::string environment;
  for (const auto& [name, value] : variables_of(seed.numbers))
    environment.append(name).append("=").append(value).push_back('\0');
  for (const std::string& variable : seed.data.env) environment.append(variable).push_back('\0');
  std::vector<VolumeFile> files{
      {"meta-data", meta_data(seed)}, {"network-config", network_config(seed.numbers)},
      {"user-data", user_data(seed)}, {"aliquot/argv", argv},
      {"aliquot/env", environment},   {"aliquot/uid", std::to_string(seed.uid) + "\n"}};
  return files;
}

Result<void> write_task_seed(const std::string& path, const TaskSeed& seed) {
  for (const std::string& argument : seed.argv)
    if (argument.find('\0') != std::string::npos)
      return fail(ErrorKind::invalid_argument, "an argument of the command holds a NUL character");
  const auto volume = iso9660_volume("CIDATA", seed_files(seed));
  if (!volume) return tl::unexpected<Error>(volume.error());
  return write_atomically(path, [&](const Writer& out) { return out(*volume); });
}

}  // namespace aliquot
