#!/usr/bin/env bash
# Runs docs/first-cluster.md as it stands, on systems that boot as containers: first_cluster.sh [ROOT].
#
# In the page `<!-- run -->` is before commands for head, `<!-- until: COMMAND -->` waits until the command
# succeeds, and `<!-- do: FUNCTION WORD -->` calls a function of this script, for what no operator does.
# ALIQUOT_TEST_NODES is the number of nodes, if it is not the page's.
set -euo pipefail
ROOT=$(readlink -f "${1:-$(dirname "$0")/../..}")
cd "$ROOT"

# shellcheck source=test/image/fresh_debian.sh
source test/image/fresh_debian.sh
# shellcheck source=test/image/booted_debian.sh
source test/image/booted_debian.sh

network=aliquot-cluster-$$ # a namespace with a bridge
# shellcheck disable=SC2034 # by booted_debian.sh
launch=(nsenter "--net=/run/netns/$network")
page=docs/first-cluster.md
many=${ALIQUOT_TEST_NODES:-20}

check_for_containers
enter_namespaces "$ROOT/test/image/${0##*/}" "$ROOT"
make_work_folder aliquot-cluster
system=$work/base
mapfile -t machines < <(echo head && seq -f n%02g 1 "$many")

# Each systemd watches a dozen things, and all containers together may watch so many.
watches_file=/proc/sys/fs/inotify/max_user_instances
watches=$(cat "$watches_file")
((watches >= 4096)) || echo 4096 >"$watches_file" || skip "$watches_file is $watches, and 4096 is needed"

leave() {
  power_off "${machines[@]}"
  ip netns delete "$network" 2>/dev/null || true
  echo "$watches" >"$watches_file"
  remove_work_folder
}
trap leave EXIT

# One tree that all machines have below their own. What the page installs is there as packages already: the
# containers have no way to a mirror.
make_base() {
  local with=systemd,systemd-sysv,dbus,procps,iproute2,openssh-server,openssh-client,cron,curl,adduser
  repositories | sed 's/^/deb /' |
    mmdebstrap --quiet --mode=root --variant=apt --include="$with" bookworm "$system" - \
      >"$work/log" 2>&1 || { tail -n 5 "$work/log" >&2 && fail "mmdebstrap failed"; }
  take_proxy "$system"
  cp -L /etc/resolv.conf "$system/etc/resolv.conf" 2>/dev/null || true
  make_packages "$system/root/packages"
  local fetch='apt-get install -q=2 -y --download-only -o APT::Keep-Downloaded-Packages=true'
  DEBIAN_FRONTEND=noninteractive chroot "$system" /bin/sh -ec "
    apt-get update -q=2
    $fetch --no-install-recommends libvirt-daemon-system libvirt-daemon-driver-qemu qemu-system-x86
    $fetch --no-install-recommends prometheus
    $fetch /root/packages/*.deb gnutls-bin
    ssh-keygen -q -t ed25519 -N '' -f /root/.ssh/id_ed25519
    cp /root/.ssh/id_ed25519.pub /root/.ssh/authorized_keys
    sed 's/^/* /; s/ [^ ]*$//' /etc/ssh/ssh_host_ed25519_key.pub >/root/.ssh/known_hosts
  " </dev/null >"$work/log" 2>&1 || { tail -n 15 "$work/log" >&2 && fail "the base is not made"; }
}

# Its own tree above the base, with the spool that all share, and its address.
make_machine() { # name number
  local tree=$work/$1/tree
  mkdir -p "$tree" "$work/$1/own" "$work/$1/changes"
  mount -t overlay -o "lowerdir=$system,upperdir=$work/$1/own,workdir=$work/$1/changes" overlay "$tree"
  echo "$1" >"$tree/etc/hostname"
  printf '127.0.0.1 localhost\n' >"$tree/etc/hosts"
  local k
  for ((k = 0; k < ${#machines[@]}; ++k)); do
    echo "10.20.0.$((10 + k)) ${machines[k]}"
  done >>"$tree/etc/hosts"
  rm -f "$tree/etc/machine-id"
  mkdir -p "$tree/etc/systemd/network" "$tree/etc/libvirt" "$tree/etc/aliquot/conf.d"
  printf '%s\n' '[Match]' 'Name=host0' '[Network]' "Address=10.20.0.$2/24" 'LinkLocalAddressing=no' \
    >"$tree/etc/systemd/network/10-host0.network"
  chroot "$tree" systemctl --quiet enable systemd-networkd ssh
  # What a site's machines have and a container has not: a UUID of its firmware, and KVM.
  mkdir -p "$tree/etc/systemd/system/libvirtd.service.d"
  printf '%s\n' '[Service]' 'ExecStartPre=/usr/local/sbin/give-uuid' \
    >"$tree/etc/systemd/system/libvirtd.service.d/container.conf"
  printf '%s\n' '#!/bin/sh' 'grep -q ^host_uuid /etc/libvirt/libvirtd.conf ||' \
    "  echo 'host_uuid = \"$(cat /proc/sys/kernel/random/uuid)\"' >>/etc/libvirt/libvirtd.conf" \
    >"$tree/usr/local/sbin/give-uuid"
  chmod 755 "$tree/usr/local/sbin/give-uuid"
  printf '%s\n' 'hypervisor:' '  acceleration: emulation' >"$tree/etc/aliquot/conf.d/container.yaml"
}

boot_machine() { # name
  boot "$1" "$work/$1/tree" --network-bridge=sites --bind="$work/spool:/var/lib/aliquot/spool"
}

node_dies() { # name
  kill_machine "$1"
  echo "$1 has lost its power"
}
node_returns() { # name
  boot_machine "$1"
}
head_is_lost() {
  on head "systemctl stop aliquotd && mv /var/lib/aliquot/aliquot.db* /root/"
  echo "the store is gone"
}

# "KIND\tWHAT" for each step of the page; the lines of commands are joined by \x01.
steps() {
  awk -v OFS='\t' '
    function done() { if (block != "") print "run", block; block = ""; reading = 0 }
    reading && /^    / { block = block substr($0, 5) "\001"; next }
    reading && /^$/ { if (block != "") done(); next }
    /^<!-- run -->$/ { reading = 1; next }
    match($0, /^<!-- (until|do): .* -->$/) {
      line = substr($0, 6, length($0) - 9); kind = substr(line, 1, index(line, ":") - 1)
      print kind, substr(line, index(line, ":") + 2)
    }
    END { done() }' "$page"
}

run_step() { # kind what
  local began=$SECONDS commands
  case $1 in
    do)
      # shellcheck disable=SC2086 # words of the page
      $2
      return
      ;;
    until) wait_on head 600 "$2" "nodes='${machines[*]:1}'; $2" ;;
    run)
      commands=${2//$'\001'/$'\n'}
      printf '%s\n' "nodes='${machines[*]:1}'" 'set -e' "$commands" >"$work/head/tree/root/step.sh"
      on head "bash /root/step.sh" >"$work/log" 2>&1 || {
        tail -n 25 "$work/log" >&2
        on head "journalctl -u aliquotd --no-pager | tail -n 15" >&2 || true
        fail "of $page: $commands"
      }
      ;;
  esac
  printf '== %d s: %s\n' $((SECONDS - began)) "${2%%$'\001'*}"
  [[ $1 == until ]] || tail -n 4 "$work/log"
}

make_base
mkdir -p "$work/spool"
ip netns add "$network"
ip -n "$network" link add sites type bridge
ip -n "$network" link set sites up
number=10
for name in "${machines[@]}"; do
  make_machine "$name" $((number++))
  boot_machine "$name"
done
echo "${#machines[@]} machines have booted ($SECONDS s)"
while IFS=$'\t' read -r kind what; do run_step "$kind" "$what"; done < <(steps)
[[ $(on head "aliquot list --all" | grep -c ' completed ') -ge 3 ]] ||
  fail "the first three jobs are not completed"
echo "all commands of $page ran on $many nodes ($SECONDS s)"
