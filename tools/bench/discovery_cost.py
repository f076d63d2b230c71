"""What it costs to discover the CPU needs of jobs: what reading the counters of their VMs each second adds
to what the manager and libvirtd do without it, on a node of the manager's own machine (docs/needs.md).

For tools/bench/budgets."""

import json
import pathlib
import time

VMS = 24
NODE_MIB = 128 * VMS
ENDLESS = ["--cpus", "0.02", "--mem", "32MiB", "--hash-chain", "1000000:1000000"]
WARM_UP_S, SPAN_S, WINDOWS, TURNS = 12, 6, 6, 2
PATIENCE_S = 300


def scheduled_seconds(pid):
    """Of all its threads, to the nanosecond."""
    threads = pathlib.Path(f"/proc/{pid}/task").iterdir()
    return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads) / 1e9


def libvirtd_of(cluster):
    """The pid, as this machine counts, of the libvirtd of the first node."""
    mark = f"{cluster}/n1/libvirtd.conf"
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (entry / "cmdline").read_bytes().decode().split("\0")
        except OSError:
            continue
        if mark in words and words[0].endswith("libvirtd"):
            return int(entry.name)
    raise RuntimeError(f"no libvirtd of {cluster}")


def wait_until_running(ask, count):
    """Until so many jobs are there, and all of them run."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        states = [job["state"] for job in json.loads(ask("list", "-o", "json"))["jobs"]]
        if states == ["running"] * count:
            return
        if time.monotonic() > deadline:
            raise RuntimeError(f"{count} jobs are to run, and these are there: {states}")
        time.sleep(0.5)


def rates(ask, pids, needs):
    """CPU seconds a second while the VMs run, in each of some windows."""
    for _ in range(VMS):
        ask("submit", "--needs", needs, *ENDLESS)
    wait_until_running(ask, VMS)
    time.sleep(WARM_UP_S)  # what has just started is busy
    found = []
    for _ in range(WINDOWS):
        began, before = time.monotonic(), sum(map(scheduled_seconds, pids))
        time.sleep(SPAN_S)
        found.append((sum(map(scheduled_seconds, pids)) - before) / (time.monotonic() - began))
    ask("cancel", "--all")
    wait_until_running(ask, 0)
    return found


def per_hundred_vms(ask, pids):
    """CPU seconds a second. Both are measured in turns, since a machine is slower for minutes at times. Of
    each the window with the least counts: the manager and libvirtd have other work at times."""
    found = {"declared": [], "learned": []}
    for _ in range(TURNS):
        for needs, windows in found.items():
            windows += rates(ask, pids, needs)
    return max(0.0, min(found["learned"]) - min(found["declared"])) * 100 / VMS
