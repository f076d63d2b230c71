#!/usr/bin/env python3
"""The live run behind tools/validity: measures what work costs with guests that run alone, submits the
workload by its clock, watches what every guest gets, and writes down the work of each job.

Talks to the manager only through the command line; reads the kernel's counters and the consoles."""

import argparse
import json
import pathlib
import subprocess
import sys
import time

from usage import Usage
from workload import workload

UNIT = 5_000_000  # hash-chain steps of a link: about a hundredth of a second of an emulated core
FOREVER = 1_000_000  # links, which is as good
ALONE_S = 12.0  # how long the calibrating guests run
LOOK_EVERY_S = 1.0
LINE_EVERY_S = 15.0
REST_S = 5.0  # of the empty nodes, before the next wave
PATIENCE = 8.0  # times the work of the workload, spread over the nodes


class Manager:
    """The command line as a function."""

    def __init__(self, binaries):
        self.program = pathlib.Path(binaries) / "aliquot"

    def call(self, *words):
        done = subprocess.run(
            [self.program, *map(str, words)], capture_output=True, text=True, timeout=60
        )
        if done.returncode not in (0, 1):
            sys.exit(f"validity: aliquot {' '.join(map(str, words))}: {done.stderr.strip()}")
        return done.stdout

    def submit(self, name, tasks, cpus, mib, links):
        what = ["--tasks", tasks, "--cpus", cpus, "--mem", f"{mib}MiB", "--name", name]
        return int(self.call("submit", "--parsable", *what, "--hash-chain", f"{links}:{UNIT}"))

    def jobs(self, *words):
        return json.loads(self.call("list", *words, "-o", "json"))["jobs"]


def calibrate(manager, given):
    """What a link and a start cost guests that have the nodes to themselves."""
    usage = Usage(given.group, given.spool)
    jobs = [manager.submit(f"alone{i}", 1, given.capacity, 16, FOREVER) for i in range(given.nodes)]
    end = time.monotonic() + ALONE_S
    while time.monotonic() < end:
        usage.look()
        time.sleep(LOOK_EVERY_S / 2)
    for job in jobs:
        manager.call("cancel", job)
    while manager.jobs():
        time.sleep(0.2)
    if not any(p.links > 0 for p in usage.tasks.values()):
        sys.exit("validity: no guest that ran alone came to its first line: see the manager's log")
    return usage


def say(seconds, jobs, left, usage):
    states = [job["state"] for job in jobs]
    shares = [job["yield"] for job in jobs if job["yield"]]
    print(
        f"  {seconds:5.0f} s  {states.count('running')} run"
        + (f" at yield {min(shares):.2f} to {max(shares):.2f}" if shares else "")
        + f", {states.count('paused')} paused, {states.count('pending')} wait, {left} to come;"
        f" caps missed in {100 * usage.lacking():.1f} % of periods",
        flush=True,
    )


class Clock:
    """When a job is to come: each wave has its own clock, which begins a little after the one before has
    ended."""

    def __init__(self, jobs):
        self.coming, self.wave, self.began = list(jobs), 0, 0.0

    def due(self, seconds):
        """The job whose time has come, if any."""
        job = self.coming[0] if self.coming else None
        if job is None or job.wave > self.wave or seconds < self.began + job.at:
            return None
        return self.coming.pop(0)

    def between_waves(self):
        return not self.coming or self.coming[0].wave > self.wave

    def rest(self, seconds):
        """The nodes are empty: the next wave comes soon."""
        self.wave, self.began = self.wave + 1, seconds + REST_S

    def next(self):
        return self.began + self.coming[0].at if not self.between_waves() else float("inf")


def run(manager, given, jobs, links):
    """Submits each job at its time and watches until all have ended: the numbers the manager gave them."""
    usage, numbers, start = Usage(given.group, given.spool), {}, time.monotonic()
    work = sum(job.work * job.tasks for job in jobs)
    patience = 120 + PATIENCE * work / (given.nodes * given.capacity)
    clock, next_line, next_look = Clock(jobs), 0.0, 0.0
    while True:
        seconds = time.monotonic() - start
        if job := clock.due(seconds):
            numbers[job] = manager.submit(job.name, job.tasks, job.cpus, job.mib, links[job])
            continue
        if seconds >= next_look:
            usage.look()
            next_look = seconds + LOOK_EVERY_S
        if seconds >= next_line or clock.between_waves():
            there = manager.jobs()
            if seconds >= next_line:
                say(seconds, there, len(clock.coming), usage)
                next_line = seconds + LINE_EVERY_S
            if clock.between_waves() and not there:
                if not clock.coming:
                    return usage, numbers
                clock.rest(seconds)
        if seconds > patience:
            sys.exit(f"validity: not done after {patience:.0f} s; see {given.state}/aliquotd.log")
        wait = min(next_look, next_line, clock.next())
        time.sleep(max(0.0, wait - (time.monotonic() - start)))


def work_csv(numbers, links, usage, alone):
    """A job's work is that of its slowest task."""
    lines = ["job,measured,expected"]
    for job, number in numbers.items():
        measured = max(usage.work((number, task), links[job]) for task in range(job.tasks))
        expected = alone.boot_s() + links[job] * alone.link_s()
        lines.append(f"{number},{measured:.6f},{expected:.6f}")
    return "\n".join(lines) + "\n"


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--bin", required=True)
    options.add_argument("--state", required=True, help="where the manager's log is")
    options.add_argument("--spool", required=True)
    options.add_argument("--group", required=True, help="the cluster's control group")
    options.add_argument("--work-out", required=True)
    options.add_argument("--nodes", type=int, required=True)
    options.add_argument(
        "--capacity", type=float, required=True, help="cores of each node to share"
    )
    options.add_argument("--jobs", type=int, required=True)
    options.add_argument("--seed", type=int, required=True)
    given = options.parse_args()
    manager, jobs = Manager(given.bin), workload(given.jobs, given.seed)
    alone = calibrate(manager, given)
    print(
        f"  alone: {1000 * alone.link_s():.2f} ms of CPU a link, {1000 * alone.boot_s():.0f} ms to start;"
        f" caps missed in {100 * alone.lacking():.1f} % of periods",
        flush=True,
    )
    links = {job: max(1, round((job.work - alone.boot_s()) / alone.link_s())) for job in jobs}
    usage, numbers = run(manager, given, jobs, links)
    bad = [job["name"] for job in manager.jobs("--all") if job["state"] == "failed"]
    if bad:
        sys.exit(f"validity: failed: {', '.join(bad)}")
    print(
        f"  in the run: {1000 * usage.link_s():.2f} ms of CPU a link,"
        f" {1000 * usage.boot_s():.0f} ms to start; caps missed in {100 * usage.lacking():.1f} % of periods"
    )
    pathlib.Path(given.work_out).write_text(work_csv(numbers, links, usage, alone))
    return 0


if __name__ == "__main__":
    sys.exit(main())
