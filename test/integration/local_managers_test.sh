#!/usr/bin/env bash
# local_managers_test.sh ROOT BUILD: tools/localcluster brings up two managers on an etcd of three members;
# the leading one is killed, one of them carries on with the job in a later epoch, the other stands by;
# nothing is left behind.
set -euo pipefail
root=$1 build=$2
tool=$root/tools/localcluster aliquot=$build/bin/aliquot
work=$(mktemp -d)
export ALIQUOT_LOCALCLUSTER=$work/cluster
end() {
  "$tool" down || true
  rm -rf "$work"
}
trap end EXIT

skip() { echo "skipped: $*" && exit 77; }
fail() { echo "FAILED: $*" >&2 && exit 1; }
refused() { # PART COMMAND...: fails with one line that has PART in it
  local part=$1 said
  shift
  if said=$("$@" 2>&1); then fail "not refused: $*"; fi
  [[ $said == *"$part"* && $(wc -l <<<"$said") == 1 ]] || fail "$*: unclear: $said"
}
until_true() { # WHAT COMMAND...
  local what=$1 deadline=$((SECONDS + 120))
  shift
  until "$@"; do
    ((SECONDS < deadline)) || fail "not within 120 s: $what; $("$aliquot" ha status 2>&1)"
    sleep 0.1
  done
}
leader() { timeout 10 "$aliquot" ha status 2>/dev/null | sed -n 's/ leads, epoch .*//p'; }
epoch() { timeout 10 "$aliquot" ha status 2>/dev/null | sed -n 's/.* leads, epoch \([0-9]*\),.*/\1/p'; }
leads_after() { (($(epoch) + 0 > $1)); }
one_stands_by() { timeout 10 "$aliquot" ha status | grep -q "^manager[12]  *standby  *hot  *0 "; }
completed() { timeout 10 "$aliquot" show "$1" -o json | grep -q '"state": *"completed"'; }

((EUID == 0)) || { trap - EXIT && rm -rf "$work" && skip "needs root"; }
for program in libvirtd virsh qemu-system-x86_64 ip unshare etcd; do
  command -v $program >/dev/null || skip "$program is not installed"
done
for file in "$build/bin/"{aliquotd,aliquot} "$build/guest/"{vmlinuz,hashchain.elf}; do
  [[ -e $file ]] || skip "$file has not been built"
done
said=$("$tool" down 2>&1) || skip "$said"

refused "need an etcd" "$tool" up 1 --managers 2 --build "$build"
refused "is for managers" "$tool" up 1 --etcd 3 --build "$build"
"$tool" up 1 --cpus-per-node 1 --memory-per-node 1088 --managers 2 --etcd 3 --build "$build"
ALIQUOT_SERVER=$("$tool" status | sed -n 's/^export ALIQUOT_SERVER=//p')
export ALIQUOT_SERVER
refused "2 managers are up" "$tool" up 1
job=$("$aliquot" submit --parsable --mem 64MiB --hash-chain 60:20000000)
first=$(leader) before=$(epoch)
"$tool" kill-manager "${first#manager}"
# Also the killed one may win: it starts again before its lease has ended.
until_true "a manager leads in an epoch after $before" leads_after "$before"
until_true "the other one stands by" one_stands_by
until_true "job $job completes" completed "$job"
echo "ok: $first killed, $(leader) leads in epoch $(epoch), not $before; the job has completed"

refused "no manager '3'" "$tool" kill-manager 3
"$tool" down
left=$(pgrep -fa "$work/cluster" || true)
[[ ! -e $ALIQUOT_LOCALCLUSTER && -z $left ]] || fail "left behind: $left"
echo "ok: nothing left behind"
