#!/usr/bin/env bash
# localcluster_test.sh ROOT: tools/localcluster brings up real nodes, twice side by side, survives being
# killed, and leaves nothing behind.
set -euo pipefail
root=$1
tool=$root/tools/localcluster
work=$(mktemp -d)
first=$work/first second=$work/second
end() {
  ALIQUOT_LOCALCLUSTER=$first "$tool" down || true
  ALIQUOT_LOCALCLUSTER=$second "$tool" down || true
  rm -rf "$work"
}
trap end EXIT

skip() { echo "skipped: $*" && exit 77; }
fail() { echo "FAILED: $*" >&2 && exit 1; }
on() { ALIQUOT_LOCALCLUSTER=$work/$1 timeout 120 "$tool" "${@:2}"; }
refused() { # PART COMMAND...: fails with one line that has PART in it
  local part=$1 said
  shift
  if said=$("$@" 2>&1); then fail "not refused: $*"; fi
  [[ $said == *"$part"* && $(wc -l <<<"$said") == 1 ]] || fail "$*: unclear: $said"
}
leftovers() { # of the clusters of this test, by their directories and control groups
  pgrep -fa "$work" | grep -v -e "$0" -e pgrep || true
  grep "$work" /proc/mounts || true
  for directory in "$first" "$second"; do
    find /sys/fs/cgroup -maxdepth 3 -name "aliquot-$(cksum <<<"$directory" | cut -d' ' -f1)" 2>/dev/null
  done
}

((EUID == 0)) || { trap - EXIT && rm -rf "$work" && skip "needs root"; }
for program in libvirtd virsh qemu-system-x86_64 ip unshare; do
  command -v $program >/dev/null || skip "$program is not installed"
done
said=$(on first down 2>&1) || skip "$said"

links=$(ip -o link | wc -l)
on first up 2 --cpus-per-node 1 --memory-per-node 700
on second up 1
for node in 1 2; do
  [[ $(on first exec $node hostname) == node$node ]] || fail "exec reaches another node than $node"
  [[ $(on first virsh $node hostname | head -n 1) == node$node ]] || fail "virsh reaches not node $node"
done
[[ $(on first exec 1 timeout 10 virsh -c qemu+tcp://10.77.0.12/system hostname | head -n 1) == node2 ]] ||
  fail "node1 does not reach node2"
on first exec 2 sh -c "echo shared > $first/spool/file"
[[ $(<"$first/spool/file") == shared ]] || fail "the spool is not shared"
[[ $(on first nodes | grep -c 'cores: 1') == 2 ]] || fail "cores are not advertised"
[[ $(on first nodes | grep -c 'memory: 700MiB') == 2 ]] || fail "memory is not advertised"
echo "ok: up, two clusters at once, both nodes answer, one spool"

# One core for the whole node, whoever uses it: two busy loops get one core together.
quota=$(on first exec 1 sh -c 'cd /sys/fs/cgroup && cat cpu/cpu.cfs_quota_us 2>/dev/null || cat cpu.max')
[[ $quota == 100000 || $quota == "100000 100000" ]] || fail "the node's quota is $quota, not one core"
used_us() {
  on first exec 1 sh -c 'if [ -e /sys/fs/cgroup/cpuacct ]; then
    echo $(($(cat /sys/fs/cgroup/cpuacct/cpuacct.usage) / 1000))
  else sed -n "s/usage_usec //p" /sys/fs/cgroup/cpu.stat; fi'
}
before=$(used_us)
on first exec 1 sh -c 'for loop in 1 2; do timeout 4 sh -c "while :; do :; done" & done; wait'
share=$((($(used_us) - before) / (4 * 10000)))
((share > 0 && share <= 108)) || fail "a node of one core used $share % of a core"
echo "ok: a node capped at one core used $share % of one"

daemon=$(on first exec 1 cat /run/libvirt/libvirtd.pid)
on first exec 1 kill -9 "$daemon"
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
on first down
ALIQUOT_LOCALCLUSTER=$first "$tool" up 2 >/dev/null 2>&1 &
sleep 0.3
kill -9 $! && wait $! 2>/dev/null || true
on first up 2 >/dev/null || fail "up after an up that was killed"
[[ $(on first exec 2 hostname) == node2 ]] || fail "node2 does not answer after an up that was killed"
mkdir -p "$work/mine" && touch "$work/mine/file"
refused "not a cluster's" on mine up 1
on first down
on first down || fail "down of what is down is an error"
[[ -z $(leftovers) ]] || fail "left behind: $(leftovers)"
[[ $(ip -o link | wc -l) == "$links" ]] || fail "network interfaces left behind"
[[ ! -e $first && ! -e $second ]] || fail "state left behind"
echo "ok: nothing left behind"
