#!/usr/bin/env bash
# chain_initrd.sh BUILD FILE: writes the initrd of the Linux task guest with the program that the contract's
# tasks run, /bin/chain, to FILE.
set -euo pipefail
build=$(realpath "$1") out=$(realpath -m "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
cp "$build/bin/hypervisor_libxl_chain" "$work/bin/chain"
cd "$work"
find . -mindepth 1 | sort | cpio --create --format=newc --owner=0:0 --quiet |
  cat "$build/guest/initrd.img" - >"$out"
