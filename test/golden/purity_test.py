#!/usr/bin/env python3
"""The link line proves the purity: the simulator needs neither libvirt, ZeroMQ nor HTTP. libcrypto
computes the SHA-256 of its input."""

import re
import shutil
import subprocess
import sys

ALLOWED = re.compile(
    r"lib(stdc\+\+|yaml-cpp|gcc_s|m|c|z|crypto|mimalloc|pthread|asan|ubsan)\.so(\.\d+)+"
    r"|ld-linux[\w-]*\.so\.\d+"
)


def main(program):
    if shutil.which("readelf") is None:
        print("skipped: readelf (binutils) is not here")
        sys.exit(77)
    dynamic = subprocess.run(
        ["readelf", "-d", program], check=True, capture_output=True, text=True, timeout=60
    ).stdout
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)
    unexpected = [library for library in needed if not ALLOWED.fullmatch(library)]
    print("needs " + " ".join(needed))
    if not needed or unexpected:
        sys.exit(f"should not need: {' '.join(unexpected) or 'nothing at all'}")


main(*sys.argv[1:])
