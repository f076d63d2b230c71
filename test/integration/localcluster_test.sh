#!/usr/bin/env bash
# localcluster_test.sh ROOT: tools/localcluster brings up real nodes, twice side by side, survives being
# killed, and leaves nothing behind.
set -euo pipefail
root=$1
tool=$root/tools/localcluster
work=$(mktemp -d)
first=$work/first second=$work/second
trap 'ALIQUOT_LOCALCLUSTER=$first "$tool" down; ALIQUOT_LOCALCLUSTER=$second "$tool" down; rm -rf "$work"' EXIT

skip() { echo "skipped: $*" && exit 77; }
fail() { echo "FAILED: $*" >&2 && exit 1; }
on() { ALIQUOT_LOCALCLUSTER=$work/$1 timeout 120 "$tool" "${@:2}"; }
refused_us() {
  on first exec 1 sh -c 'if [ -e /sys/fs/cgroup/cpuacct ]; then
    echo $(($(cat /sys/fs/cgroup/cpuacct/cpuacct.usage) / 1000))
  else sed -n "s/usage_usec //p" /sys/fs/cgroup/cpu.stat; fi'
}
before=$(used_us)
on first exec 1 sh -c 'for loop in 1 2; do timeout 4 sh -c "while :; do :; done" & done; wait'
share=$((($(used_us) - before) / (4 * 10000)))
((share > 0 && share <= 108)) || fail "a node of one core used $share % of a core"
echo "ok: a node capped at one core used $share % of one"

init=$(on first exec 1 cat /run/libvirt/libvirtd.pid)
on first exec 1 kill -9 "$init"
for ((attempt = 0; attempt < 100; ++attempt)); do
  if on first virsh 1 uri >/dev/null 2>&1; then break; fi
  sleep 0.1
done
on first virsh 1 uri >/dev/null || fail "libvirtd was not started again"
on first up 2 >/dev/null || fail "up of what is up is an error"
refused "2 nodes are up" on first up 3
refused "wants a number" on first up none
refused "no node '3'" on first virsh 3 list
refused "positive whole number" on first up 2 --cpus-per-node 0
echo "ok: libvirtd restarts, up is idempotent, mistakes are one line each"

on second down
[[ $(on first exec 2 hostname) == node2 ]] || fail "one cluster's end hurts the other"
rm -f "$first/nodes.yaml" # as a run that was killed before it was complete
on first up 2 >/dev/null || fail "up after a killed run"
mkdir -p "$work/mine" && touch "$work/mine/file"
refused "not a cluster's" on mine up 1
on first down
on first down || fail "down of what is down is an error"
[[ -z $(leftovers) ]] || fail "left behind: $(leftovers)"
[[ $(ip -o link | wc -l) == "$links" ]] || fail "network interfaces left behind"
[[ ! -e $first && ! -e $second ]] || fail "state left behind"
echo "ok: nothing left behind"
