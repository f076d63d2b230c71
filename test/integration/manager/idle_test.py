#!/usr/bin/env python3
"""A manager of two idle nodes takes less than a hundredth of a core and less than 40 MB."""

import os
import pathlib
import sys
import time

from deployment import deployment, wait_until

SPAN_S = 20
MOST_CPU = 0.01
MOST_BYTES = 40_000_000


def cpu_seconds(pid):
    """Of all its threads, to the nanosecond: /proc/PID/stat counts in hundredths of a second."""
    threads = pathlib.Path(f"/proc/{pid}/task").iterdir()
    return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads) / 1e9


def resident(pid):
    return int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def main():
    with deployment(nodes=2, node_mib=256) as live:
        wait_until("both nodes are up", lambda: live.ask("status")["nodes"]["up"] == 2)
        time.sleep(2)
        pid, began, before = live.manager.pid, time.monotonic(), cpu_seconds(live.manager.pid)
        time.sleep(SPAN_S)
        share = (cpu_seconds(pid) - before) / (time.monotonic() - began)
        size = resident(pid)
        for i in range(2):
            live.submit("--mem", "96MiB", "--", "true")
        wait_until("both jobs have ended", lambda: not live.ask("list")["jobs"], 180)
        time.sleep(2)
        print(f"after two Linux jobs: {resident(pid) / 1e6:.1f} MB resident")
    print(
        f"idle with 2 nodes: {100 * share:.2f} % of a core over {SPAN_S} s, {size / 1e6:.1f} MB resident"
    )
    assert share < MOST_CPU, f"{100 * share:.2f} % of a core while idle"
    assert size < MOST_BYTES, f"{size} bytes resident while idle"


if __name__ == "__main__":
    sys.exit(main())
