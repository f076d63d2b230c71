#!/usr/bin/env python3
"""service_test.py ROOT: the units of systemd that are shipped fit the settings and the options, and the
runbooks name no other unit of ours. systemd itself reads it where systemd-analyze is installed."""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(sys.argv[1])
OF_OTHERS = {"prometheus", "libvirtd", "chronyd", "systemd-timesyncd"}  # which the runbooks may name


def check(holds, what):
    if not holds:
        sys.exit(f"service_test: {what}")


def named_units():
    for page in (ROOT / "docs").rglob("*.md"):
        text = page.read_text()
        for call in re.findall(r"(?:systemctl \w+|journalctl)((?: -?[\w.-]+)*)", text):
            words = call.split()
            units = [words[i + 1] for i, word in enumerate(words) if word == "-u"]
            units += words[:1] if words and not words[0].startswith("-") else []
            for unit in units:
                yield page, unit


def check_agent(unit):
    """Its options are those of the program; it is started again whatever has ended it."""
    command = re.search(r"^ExecStart=/usr/local/bin/aliquot-node serve (.*)$", unit, re.M).group(1)
    known = (ROOT / "manager/hypervisor/agent/main.cpp").read_text()
    for option in re.findall(r"--[\w-]+", command):
        check(f'"{option}"' in known, f"aliquot-node.service: aliquot-node has no {option}")
    check("\nRestart=always\n" in unit, "aliquot-node.service: an agent that ends stays down")


def read_by_systemd(name):
    """Its own reading, with a program that exists in place of ours."""
    unit = (ROOT / "config" / f"{name}.service").read_text()
    if not shutil.which("systemd-analyze"):
        return "systemd-analyze is not installed"
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / f"{name}.service"
        copy.write_text(unit.replace(f"/usr/local/bin/{name}", "/bin/true"))
        done = subprocess.run(
            ["systemd-analyze", "verify", "--man=no", str(copy)], capture_output=True, text=True, timeout=60
        )
    ours = [line for line in done.stderr.splitlines() if name in line]
    check(not ours, "\n".join(ours))
    return "systemd reads it without a complaint"


def main():
    unit = (ROOT / "config/aliquotd.service").read_text()
    values = dict(re.findall(r"^(\w+)=(.*)$", unit, re.M))
    settings = (ROOT / "config/settings.hpp").read_text()
    default = re.search(r'std::string socket = "([^"]+)"', settings).group(1)
    check(default.startswith("/run/" + values["RuntimeDirectory"]), f"sockets are elsewhere: {default}")
    # systemd would take the spool from QEMU's group at each start and reload.
    check("StateDirectory" not in values, "StateDirectory gives the whole state and spool to root")
    bounds = values["CapabilityBoundingSet"].split()
    check("CAP_FSETID" in bounds, "the spool needs the set-group-ID bit: CAP_FSETID")
    check("RestrictSUIDSGID" not in values, "the spool needs the set-group-ID bit")
    check(values["Type"] == "notify" and "WatchdogSec" in values, "a loop that stands still is not noticed")
    check(values["ExecReload"].endswith("-HUP $MAINPID"), "it does not reload")
    check_agent((ROOT / "config/aliquot-node.service").read_text())
    units = list(named_units())
    check(any(name == "aliquotd" for _, name in units), "no runbook names the unit any more")
    for page, name in units:
        ours_or_known = OF_OTHERS | {"aliquotd", "aliquot-node"}
        check(name in ours_or_known, f"{page.relative_to(ROOT)} names the unit {name}")
    said = {read_by_systemd(name) for name in ["aliquotd", "aliquot-node"]}
    print(f"{len(units)} times a unit is named; {'; '.join(said)}")


if __name__ == "__main__":
    main()
