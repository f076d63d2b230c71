#!/usr/bin/env bash
# Proves the units under the systemd of a fresh Debian 12 with libvirt, booted in a container:
# systemd_boot.sh [ROOT].
#
# The packages of an older version are installed, and the manager is started as an operator does. Three jobs
# run in emulated VMs. The manager's loop is stopped: the watchdog starts the manager anew. The packages are
# upgraded: the manager is another one, the VMs are the same processes, and each job ends with its whole
# output.
set -euo pipefail
ROOT=$(readlink -f "${1:-$(dirname "$0")/../..}")
cd "$ROOT"

# shellcheck source=test/image/fresh_debian.sh
source test/image/fresh_debian.sh
# shellcheck source=test/image/booted_debian.sh
source test/image/booted_debian.sh

check_for_containers
enter_namespaces "$ROOT/test/image/${0##*/}" "$ROOT"
make_work_folder aliquot-systemd
system=$work/system
lines=240 # of a job, two each second

inside() { # command line, by the shell of the fresh system
  if [[ -n ${leader[site]:-} ]]; then
    on site "$1"
  else
    DEBIAN_FRONTEND=noninteractive chroot "$system" /bin/sh -c "$1" </dev/null
  fi
}

wait_for() { wait_on site "$@"; } # seconds, what, command line

make_system() {
  local with=systemd,systemd-sysv,dbus,procps
  with+=,libvirt-daemon-system,libvirt-daemon-driver-qemu,qemu-system-x86
  repositories | sed 's/^/deb /' |
    mmdebstrap --quiet --mode=root --variant=apt --include="$with" bookworm "$system" - \
      >"$work/log" 2>&1 || { tail -n 5 "$work/log" >&2 && fail "mmdebstrap failed"; }
  take_proxy "$system"
  # A container has no firmware that knows a UUID of the machine.
  echo "host_uuid = \"$(cat /proc/sys/kernel/random/uuid)\"" >>"$system/etc/libvirt/libvirtd.conf"
  mount -t proc proc "$system/proc"
  cp -L /etc/resolv.conf "$system/etc/resolv.conf" 2>/dev/null || true
  must "apt-get update -q=2"
  install_packages "$work/old"
  umount "$system/proc"
}

leave() {
  power_off site
  remove_work_folder
}
trap leave EXIT

# Each VM's vCPU is in a control group of its own that gives it half a core, as its job asks. Systemd looks
# after all groups, and must leave these alone when units are loaded anew.
must_be_capped() {
  local process cap
  for process in $(virtual_machines); do
    cap=$(inside "for task in /proc/$process/task/*; do
      ! grep -q '^CPU ' \$task/comm || sed -n 's/^[0-9]*:\\(cpu\\|cpu,cpuacct\\|\\)://p' \$task/cgroup
    done | { read -r group && cd /sys/fs/cgroup && cat \".\$group/cpu.max\" 2>/dev/null ||
      paste -d ' ' \"cpu\$group/cpu.cfs_quota_us\" \"cpu\$group/cpu.cfs_period_us\"; }") ||
      fail "the vCPU of process $process has no control group with a cap"
    [[ $cap =~ ^[0-9]+\ [0-9]+$ && $((2 * ${cap% *})) == "${cap#* }" ]] ||
      fail "the VM of process $process should have half a core, and has (quota, period): $cap"
  done
  echo "each VM has half a core (quota, period): $cap"
}

virtual_machines() { inside "pgrep qemu-system | sort" | tr '\n' ' '; }
main_pid() { inside "systemctl show -P MainPID aliquotd"; }
output() { # job
  inside "aliquot logs $1" | grep '^line '
}

make_packages "$work/old" 0.0.9
make_packages "$work/new"
make_system
cat >"$system/etc/aliquot/aliquot.yaml" <<'SETTINGS'
cluster: site
hypervisor:
  acceleration: emulation
nodes:
  - name: n1
    uri: qemu:///system
SETTINGS
boot site "$system" --private-network
must "systemctl --version | head -n 1"
must "systemd-analyze verify aliquotd.service aliquot-node.service"
for unit in aliquotd aliquot-node; do
  must "systemd-analyze security --no-pager $unit.service | tail -n 1"
done
must "systemd-analyze security --no-pager --threshold=40 aliquotd.service >/dev/null"
must "systemctl enable --now aliquotd && systemctl is-active aliquotd"
wait_for 60 "the node is up" "systemctl status aliquotd | grep '1 of 1 nodes are up'"
must "systemctl reload aliquotd && systemctl is-active aliquotd"
# The loop has nice -20 if systemd could raise the limit (40); in this container it may not be allowed to.
nice="\$(grep -q 'nice priority *40' limits && echo -20 || echo 0)"
must "cd /proc/$(main_pid) && test \$(cut -d' ' -f19 stat) = $nice && grep nice limits"

count="for i in \$(seq $lines); do echo line \$i; sleep 0.5; done"
for job in 1 2 3; do must "aliquot submit --cpus 0.5 --mem 256M -- /bin/sh -c '$count'"; done
for job in 1 2 3; do wait_for 240 "job $job writes" "aliquot logs $job | grep -x 'line 3'"; done
machines=$(virtual_machines)
[[ $(wc -w <<<"$machines") == 3 ]] || fail "three VMs are expected: $machines"
must_be_capped

drop_in=/etc/systemd/system/aliquotd.service.d
must "mkdir -p $drop_in && printf '[Service]\nWatchdogSec=5\nTimeoutStopSec=2\n' >$drop_in/patience.conf
  systemctl daemon-reload && systemctl restart aliquotd && systemctl is-active aliquotd"
before=$(main_pid)
must "kill -STOP $before && sleep 1 && echo the loop of process $before stands still"
wait_for 120 "the watchdog has started another manager" \
  "test \$(systemctl show -P MainPID aliquotd) != $before && aliquot status"
must "journalctl -u aliquotd --no-pager | grep -i watchdog | tail -n 1"
must "rm -r $drop_in && systemctl daemon-reload && systemctl restart aliquotd && aliquot list"

before=$(main_pid)
install_packages "$work/new"
must "dpkg-query -W -f '\${Version}' aliquotd"
expect "$(sed -n 's/^project(aliquot VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)-1"
[[ $(main_pid) != "$before" ]] || fail "the upgrade has not restarted the manager"
wait_for 60 "the node is up" "systemctl status aliquotd | grep '1 of 1 nodes are up'"
[[ $(virtual_machines) == "$machines" ]] || fail "the VMs were $machines, and are $(virtual_machines)"
must_be_capped
must "aliquot show 1 | grep -E '[0-9]s throttled'"
echo "the upgraded manager, process $(main_pid) after $before, has the VMs of processes $machines"
for job in 1 2 3; do
  wait_for 400 "job $job ends" "aliquot show $job -o json | grep '\"state\": *\"completed\"'"
  cmp <(seq -f 'line %g' "$lines") <(output "$job") || fail "the output of job $job is not whole"
done
[[ -z $(inside "journalctl -u aliquotd --no-pager | grep level=error" | tee "$work/log") ]] ||
  fail "the manager's log has errors: $(cat "$work/log")"
echo "three jobs outlived the watchdog and the upgrade, their output is whole ($SECONDS s)"
