#!/usr/bin/env bash
# guest_test.sh ROOT BUILD: both guests on two real nodes, through virsh alone. A hash chain stays whole
# across save, restore and live migration (a Linux guest: hypervisor_libvirt_guests.cpp); a real dynamic
# program runs; every way to end is told on the status channel.
set -euo pipefail
root=$1 build=$2
guest=$build/guest
work=$(mktemp -d)
export ALIQUOT_LOCALCLUSTER=$work/cluster
spool=$ALIQUOT_LOCALCLUSTER/spool
# shellcheck source=test/integration/guest_domain.sh
source "$root/test/integration/guest_domain.sh"
trap '"$root/tools/localcluster" down; rm -rf "$work"' EXIT

((EUID == 0)) || { trap - EXIT && rm -rf "$work" && skip "needs root"; }
for program in libvirtd virsh qemu-system-x86_64 ip unshare; do
  command -v $program >/dev/null || skip "$program is not installed"
done
for file in vmlinux initrd.img hashchain.elf cmdline; do
  [[ -e $guest/$file ]] || skip "no guests in $guest: tools/guest/build $guest"
done
# One file for both loaders: QEMU's finds the multiboot header, as the chains below prove, Xen's its note.
note=$(readelf --notes --segments --wide "$guest/hashchain.elf")
[[ $note =~ NOTE.*Xen\ +0x00000004.*0x00000012 ]] || fail "the hash chain has no entry for Xen: $note"

said=$("$root/tools/localcluster" down 2>&1) || skip "$said"
"$root/tools/localcluster" up 2 >/dev/null

# The hash chain, saved, restored and moved while it counts.
blocks=60 unit=50000000
chain_domain chain 16 $blocks $unit >"$work/chain.xml"
on 1 create "$work/chain.xml"
wait_for "$spool/chain.log" 'n=5 ' 60
save_and_restore 1 chain
wait_for "$spool/chain.log" 'n=20 ' 60
grep -q 'MICRO done' "$spool/chain.log" && fail "the chain ended before it could be moved"
move 1 2 chain
wait_for "$spool/chain.status" '^aliquot-status 1 exit 0$' 90
"$build/bin/aliquot-chain" "$spool/chain.log" $unit $blocks || fail "the chain is not whole"
expect_status chain 0
on 2 domstate chain 2>/dev/null && fail "the chain guest did not power off"
echo "ok: a hash chain saved, restored and moved is whole"

# A real dynamic program, and every ending, all at once on both nodes.
begin=$(date +%s%N)
linux_task 1 primes 16777216 "$build/bin/examples/primes" 200000
wait_for "$spool/primes.log" '^primes task=' 60
echo "first line of a Linux guest $((($(date +%s%N) - begin) / 1000000)) ms after create was asked for"
linux_task 2 killed 16777216 sh -c 'kill -9 $$'
linux_task 1 cut 1000 sh -c 'i=0; while [ $i -lt 5000 ]; do echo line $i; i=$((i + 1)); done; exit 4'
linux_task 2 background 16777216 sh -c 'sleep 1000 & echo on standard error >&2; exit 3'
# A program that is not there at all: the argument list alone, no archive.
cp "$guest/initrd.img" "$spool/missing.initrd"
(mkdir -p "$work/aliquot" && cd "$work" && printf 'no-such-program\0x\0' >aliquot/argv &&
  printf '%s\n' aliquot aliquot/argv | cpio --create --format=newc --quiet) >>"$spool/missing.initrd"
linux_domain missing 16777216 >"$work/missing.xml"
on 1 create "$work/missing.xml"
expect_status primes 0
ALIQUOT_TASK=1 ALIQUOT_TASKS=4 "$build/bin/examples/primes" 200000 | cmp - "$spool/primes.log" ||
  fail "primes says something else in a guest"
expect_status killed 137
expect_status cut 4
seq -f 'line %.0f' 0 4999 >"$work/uncut"
{ head -c 1000 "$work/uncut" && printf '\naliquot: output cut after 1000 bytes\n'; } |
  cmp - "$spool/cut.log" || fail "the output is not cut where it should be"
expect_status background 3
[[ $(<"$spool/background.log") == "on standard error" ]] || fail "background: $(<"$spool/background.log")"
expect_status missing 127
grep -q 'cannot start no-such-program' "$spool/missing.log" || fail "missing: $(<"$spool/missing.log")"
echo "ok: a real program's output, and the ends 0, 3, 4, 127 and 137 come back"

# The switch is pressed while QEMU's own thread gets no time, as on a busy machine: until it acts, the guest
# waits without a word, for its console is the task's output.
linux_task 2 slow 16777216 sh -c 'echo all I say; i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done'
wait_for "$spool/slow.log" '^all I say$' 60
python3 -B "$root/test/integration/stop_thread.py" "$(pgrep -f "guest=slow.*$spool")" 5
expect_status slow 0
wait_for_end 2 slow
[[ $(<"$spool/slow.log") == "all I say" ]] || fail "slow: $(<"$spool/slow.log")"
echo "ok: a guest whose machine is slow to switch off says nothing of its own"
