#!/usr/bin/env python3
"""One VM at a time, capped between a tenth and nine tenths of a core: in windows of four seconds in
which the CPU was to be had, its vCPU gets its cap within one point, and its guest's progress is
proportional to the cap within 5 %."""

import statistics
import sys
import time

from deployment import deployment, skip, wait_until
from vcpu import Vcpu, measure

CAPS = [0.1, 0.25, 0.5, 0.75, 0.9]
WINDOW_S = 4
WINDOWS = 8  # at most, for each cap
ENOUGH = 4  # valid ones, for each cap
VALID = 10  # in all
UNIT = 2_000_000  # hash-chain steps per line: a few thousandths of a second of a core


def windows_at(live, cap):
    job = live.submit("--cpus", cap, "--mem", "32MiB", "--hash-chain", f"1000000:{UNIT}")
    wait_until("it runs", lambda: live.job(job)["state"] == "running")
    given = live.job(job)["vms"][0]["cap"] * live.job(job)["cpus"]
    assert abs(given - cap) < 1e-6, f"the manager gave {given}, not {cap}"
    vcpu = Vcpu(live, 1, job)
    vcpu.come_first()
    wait_until("its first lines", lambda: vcpu.read().lines > 3)
    time.sleep(1)
    found = []
    while len(found) < WINDOWS and sum(w.valid for w in found) < ENOUGH:
        window = measure(vcpu, WINDOW_S)
        found.append(window)
        print(
            f"  cap {cap:.2f}: {window.share:.4f} of a core, {window.lines:7.1f} lines/s, "
            f"lacked {window.lacked:.4f}, "
            f"{'quota used up in every period, ' if window.saturated else ''}"
            f"{'valid' if window.valid else 'not valid'}",
            flush=True,
        )
    live.call("cancel", job)
    wait_until("it has gone", lambda: live.job(job)["ended_at"])
    return [window for window in found if window.valid]


def main():
    with deployment(nodes=1, node_mib=256, policy="DYNMCB8") as live:
        valid = {cap: windows_at(live, cap) for cap in CAPS}
    count = sum(map(len, valid.values()))
    if count < VALID or not all(valid.values()):
        skip(
            f"this machine is too busy: only {count} of the windows were valid, "
            f"{VALID} wanted, one at least per cap"
        )
    worst = max(abs(w.share - cap) for cap, windows in valid.items() for w in windows)
    print(f"{count} valid windows; share against cap: at most {100 * worst:.2f} points off")
    assert worst <= 0.01, "a vCPU did not get its cap within one point"
    # The best window of each cap: the processors' other users only ever make one slower.
    progress = {cap: max(w.lines for w in windows) / cap for cap, windows in valid.items()}
    middle = statistics.median(progress.values())
    off = {cap: rate / middle - 1 for cap, rate in progress.items()}
    print(
        "lines per second and core: "
        + ", ".join(f"{cap}: {rate:.0f}" for cap, rate in progress.items())
    )
    print(f"progress against cap: at most {100 * max(map(abs, off.values())):.1f} % off")
    per_cpu = [w.lines / w.share for windows in valid.values() for w in windows]
    uneven = max(per_cpu) / min(per_cpu) - 1
    if max(map(abs, off.values())) > 0.05 and uneven > 0.05:
        skip(
            f"the processors themselves were up to {100 * uneven:.0f} % slower at times "
            f"(their other users): "
            "a guest's progress per second of CPU says nothing about its cap here"
        )
    assert (
        max(map(abs, off.values())) <= 0.05
    ), "the guest's progress is not proportional to its cap"
    print("ok")


if __name__ == "__main__":
    sys.exit(main())
