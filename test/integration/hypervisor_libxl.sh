#!/usr/bin/env bash
# hypervisor_libxl.sh ROOT BUILD [FILTER]: the contract of the hypervisor port on a real Xen in an emulated
# dom0. The guests' initrd gets the chain program. FILTER: of the test program's cases.
set -euo pipefail
root=$(realpath "$1") build=$(realpath "$2") filter=${3:-*}
dom0=$build/xen-dom0
guest=$build/guest
for file in vmlinux initrd.img cmdline hashchain.elf; do
  [[ -e $guest/$file ]] || { echo "no guests in $guest: build the target guest first" && exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/spool"
"$root/test/integration/chain_initrd.sh" "$build" "$work/initrd.img"
cd "$root"
# With QEMU the dom0 boots later; without it the tests of disks are skipped.
[[ $filter != '*' && $filter != Xen/LibxlDisks* ]] || with_disks=--qemu
# The spool is shared storage, as it is of a real node.
tools/xen/run "$dom0" --seconds 1700 ${with_disks:+"$with_disks"} --share "$work/spool" \
  --program "$build/bin/hypervisor_libxl_test" \
  --file "$guest/vmlinux=/guest/vmlinuz" --file "$work/initrd.img=/guest/initrd.img" \
  --file "$guest/cmdline=/guest/cmdline" --file "$guest/hashchain.elf=/guest/hashchain.elf" \
  -- "export ALIQUOT_TEST_GUESTS=${ALIQUOT_TEST_GUESTS:-pv} ALIQUOT_TEST_SPOOL=$work/spool
  hypervisor_libxl_test --gtest_color=no --gtest_filter='$filter'"
