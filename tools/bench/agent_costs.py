#!/usr/bin/env python3
"""What an agent costs: caps, saves and samples with and without one on real libvirt nodes, and the CPU
time and memory of an agent whose node idles under a manager.

    tools/bench/agent_costs.py [--rounds 30] [--idle 120]

Needs root, and a release build with the target hypervisor_agent_test."""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test/integration/manager"))

from agents import Agents  # noqa: E402
from deployment import BIN, deployment  # noqa: E402

LINE = re.compile(r"^(direct|agent) +(\w+) +least +([\d.]+) ms, median +([\d.]+) ms")


def actions(rounds):
    """Milliseconds by way and what: (least, median)."""
    done = subprocess.run(
        [BIN / "hypervisor_agent_test", "--gtest_filter=Figures/*", "--gtest_color=no"],
        env=dict(os.environ, ALIQUOT_TEST_ROUNDS=str(rounds)),
        capture_output=True,
        text=True,
        timeout=60 + 20 * rounds,
    )
    if done.returncode != 0:
        sys.exit(f"agent_costs: hypervisor_agent_test failed:\n{done.stdout}{done.stderr}")
    found = (LINE.match(line) for line in done.stdout.splitlines())
    return {(m[1], m[2]): (float(m[3]), float(m[4])) for m in found if m}


def print_actions(took):
    print(f"{'milliseconds':<14}{'direct':>10}{'agent':>10}{'more':>8}   (least; median)")
    for what in ["cap", "sample", "save"]:
        for which, name in enumerate([what, ""]):
            direct, agent = took["direct", what][which], took["agent", what][which]
            print(f"{name:<14}{direct:>10.2f}{agent:>10.2f}{agent - direct:>8.2f}")


def cpu_seconds(process):
    after_name = pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(after_name[11]) + int(after_name[12])) / os.sysconf("SC_CLK_TCK")


def memory_mib(process):
    """Resident; and the part of it that no other process can share, without the files of libraries."""
    text = pathlib.Path(f"/proc/{process}/status").read_text()
    kib = {m[1]: int(m[2]) for m in re.finditer(r"(VmRSS|RssAnon):\s+(\d+) kB", text)}
    return kib["VmRSS"] / 1024, kib["RssAnon"] / 1024


def print_idle(span):
    agents = Agents()
    try:
        with deployment(nodes=1, reach=agents.reach):
            time.sleep(5)  # what a new session asks for
            process = agents["node1"].process.pid
            before, begin = cpu_seconds(process), time.monotonic()
            time.sleep(span)
            used = 100 * (cpu_seconds(process) - before) / (time.monotonic() - begin)
            resident, own = memory_mib(process)
            print(f"idle: {used:.2f} % of a core over {span} s,", end=" ")
            print(f"{resident:.1f} MiB resident, {own:.1f} of it its own")
    finally:
        agents.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=30, help="saves with either way; five caps for each")
    parser.add_argument("--idle", type=int, default=120, help="seconds")
    asked = parser.parse_args()
    print_actions(actions(asked.rounds))
    print_idle(asked.idle)


if __name__ == "__main__":
    sys.exit(main())
