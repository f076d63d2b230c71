#!/usr/bin/env bash
# hypervisor_xen_agents.sh ROOT BUILD [FILTER]: the contract of the hypervisor port over the wire, between
# this machine and the agents of two emulated Xen machines. FILTER: of the test program's cases.
set -euo pipefail
root=$(realpath "$1") build=$(realpath "$2") filter=${3:-*}
for file in guest/{vmlinux,initrd.img,cmdline,hashchain.elf} xen-dom0/dom0.cpio \
  bin/{aliquot-node-xen,hypervisor_libxl_chain}; do
  [[ -e $build/$file ]] || { echo "$build/$file has not been built" && exit 77; }
done
work=$(mktemp -d /var/tmp/aliquot-xen-agents.XXXXXX)
export ALIQUOT_LOCALCLUSTER=$work/cluster
trap '"$root/tools/localcluster" down >/dev/null 2>&1 || true; rm -rf "$work"' EXIT
trap 'exit 143' TERM INT
# A build directory whose guests have the chain program.
mkdir -p "$work/build/guest"
ln -s "$build/bin" "$build/xen-dom0" "$work/build/"
ln -s "$build"/guest/{vmlinux,cmdline,hashchain.elf} "$work/build/guest/"
"$root/test/integration/chain_initrd.sh" "$build" "$work/build/guest/initrd.img"
cd "$root"
guests=${ALIQUOT_TEST_GUESTS:-pv}
tools/localcluster up 0 --xen 2 --guests "$guests" --build "$work/build" >"$work/up" 2>&1 ||
  { tail -n 1 "$work/up" && exit 77; }
"$build/bin/hypervisor_xen_agents_test" --gtest_color=no --gtest_filter="$filter"
