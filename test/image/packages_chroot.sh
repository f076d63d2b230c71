#!/usr/bin/env bash
# Proves the Debian packages in a fresh, minimal Debian 12 under chroot: packages_chroot.sh [ROOT].
#
# They install with apt and what it fetches by itself, start nothing, and accept the settings they bring.
# A manager of an older version takes a job; an upgrade keeps that job and the settings an operator has
# changed; the new manager goes on with both. Removed and purged, the packages leave the jobs there.
# No systemd and no hypervisor runs here: the job waits for a node, and the test restarts the manager.
set -euo pipefail
ROOT=$(readlink -f "${1:-$(dirname "$0")/../..}")
cd "$ROOT"

# shellcheck source=test/image/fresh_debian.sh
source test/image/fresh_debian.sh

command -v mmdebstrap >/dev/null || skip "mmdebstrap is not installed: tools/deps image"
command -v lintian >/dev/null || skip "lintian is not installed: tools/deps package"
enter_namespaces "$ROOT/test/image/${0##*/}" "$ROOT"
make_work_folder aliquot-packages
system=$work/system

environment=(PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive)

inside() { # command line, by the shell of the fresh system
  env -i "${environment[@]}" chroot "$system" /bin/sh -c "$1" </dev/null
}

make_system() {
  local began=$SECONDS
  repositories | sed 's/^/deb /' |
    mmdebstrap --quiet --mode=root --variant=apt bookworm "$system" - >"$work/log" 2>&1 ||
    { tail -n 5 "$work/log" >&2 && fail "mmdebstrap failed"; }
  take_proxy "$system"
  mount -t proc proc "$system/proc"
  mount --rbind /dev "$system/dev"
  cp -L /etc/resolv.conf "$system/etc/resolv.conf" 2>/dev/null || true
  must "apt-get update -q=2" # mmdebstrap leaves no lists behind
  echo "a fresh Debian 12: $(inside "dpkg-query -f '.\n' -W | wc -l") packages, $((SECONDS - began)) s"
}

manager=''
start_manager() {
  local tries
  inside "mkdir -p /run/aliquot"
  env -i "${environment[@]}" chroot "$system" aliquotd >"$work/manager.log" 2>&1 </dev/null &
  manager=$!
  for ((tries = 0; tries < 600; ++tries)); do
    if inside "aliquot status" >/dev/null 2>&1; then return 0; fi
    kill -0 "$manager" 2>/dev/null || break
    sleep 0.2
  done
  tail -n 15 "$work/manager.log" >&2
  fail "the manager does not answer"
}

stop_manager() {
  kill -TERM "$manager"
  wait "$manager" || fail "the manager ended with $?: $(tail -n 3 "$work/manager.log")"
}

make_packages "$work/old" 0.0.9
make_packages "$work/new"
grep -c '^W: ' "$work/log" | sed 's/^/warnings of lintian: /' || true
make_system

install_packages "$work/old"
expect "name the nodes in /etc/aliquot/aliquot.yaml"
[[ -z $(inside "ls /var/lib/aliquot 2>/dev/null") ]] || fail "the installation has started something"
must "aliquotd --check-config"
must "aliquotd --version && aliquot version && aliquot-node --version && aliquot-sim policies"
must "aliquot-db --help"
must "python3 -c 'import aliquot; print(aliquot.command([\"true\"], memory=\"96M\"))'"
examples=/usr/share/doc/aliquot-sim/examples
must "aliquot-sim run --workload $examples/small.csv --nodes 16 --policy ALIQUOT"
must "apt-get install -q=2 -y --no-install-recommends man-db"
pages="aliquot aliquotd aliquot-node aliquot-db aliquot-share aliquot-sim aliquot.yaml"
must "! man --warnings $pages 2>&1 >/dev/null | grep ."
must "test -s /usr/share/aliquot/guest/vmlinuz -a -s /usr/share/aliquot/guest/initrd.img"

inside "sed -i 's/^cluster: .*/cluster: changed/' /etc/aliquot/aliquot.yaml"
start_manager
must "aliquot submit --name kept -- /bin/true"
job=$(grep -o '[0-9]\+' "$work/log" | head -n 1)
install_packages "$work/new"
stop_manager
must "dpkg-query -W -f '\${Version}' aliquotd"
expect "$(sed -n 's/^project(aliquot VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)-1"
must "grep '^cluster: ' /etc/aliquot/aliquot.yaml"
expect "cluster: changed"
start_manager
must "aliquot show $job"
expect "kept"
must "aliquot why $job"
stop_manager

must "apt-get remove -q=2 -y aliquotd aliquot aliquot-node aliquot-guest aliquot-sim python3-aliquot"
must "test -e /etc/aliquot/aliquot.yaml && test ! -e /usr/bin/aliquotd && echo the settings are still there"
must "apt-get purge -q=2 -y aliquotd"
expect "/var/lib/aliquot keeps the jobs and their results"
must "test ! -e /etc/aliquot/aliquot.yaml && ls -d /var/lib/aliquot/*"
echo "the packages install, upgrade with a job and go, in a Debian 12 of their own ($SECONDS s)"
