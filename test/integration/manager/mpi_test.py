#!/usr/bin/env python3
"""MPI programs as they are: one built with Debian's MPICH and one with its Open MPI, four tasks each, side
by side on two nodes. Each is paused as a whole for 30 s and resumed, and while both run, one node is
emptied by live migrations. Every number that a process receives is right, and the programs end with
status 0."""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

from deployment import ROOT, deployment, skip, wait_until

SECONDS = 120  # by the clock of its guest, which stands still while it is paused
PAUSE = 30
LAST = re.compile(r"^(\d+) processes, (\d+) steps, (\d+) wrong, longest step ([\d.]+) s$")
STEP = re.compile(r"^step (\d+), (\d+) KiB/s, 0 wrong$")


def build(mpi, into):
    compiler = f"mpicc.{mpi}"
    if not shutil.which(compiler):
        skip(f"{compiler} is not installed: tools/deps check")
    program = pathlib.Path(into) / f"ring.{mpi}"
    source = ROOT / "tools/guest/examples/mpi_ring.c"
    subprocess.run([compiler, "-O2", "-o", program, source], check=True, timeout=120)
    return program


def lines(live, job):
    return live.call("logs", f"{job}.0").out.split("\n")[:-1]


def rates(live, job):
    """What its tasks have passed on in each second that it reported, in KiB/s."""
    return [int(found[2]) for line in lines(live, job) if (found := STEP.match(line))]


def goes_on(live, job, what):
    before = len(rates(live, job))

    def later():
        shown = live.job(job)
        assert not shown["ended_at"], f"job {job} ended {what}: {shown['note']} {lines(live, job)[-5:]}"
        return len(rates(live, job)) > before + 3

    wait_until(f"job {job} goes on {what}", later, 240)


def migrate(live, jobs):
    """Empties the node of task 0 of the first job; which VMs move."""
    before = {job: wait_until("all its tasks run", lambda: live.places(job), 120) for job in jobs}
    node = before[jobs[0]][0]
    live.ask("node", "drain", node, "--mode", "migrate")

    def left():
        at = {job: live.places(job) for job in jobs}
        return at if all(nodes and node not in nodes for nodes in at.values()) else None

    wait_until(f"{node} is empty", left, 400)
    live.ask("node", "resume", node)
    for job in jobs:
        goes_on(live, job, f"after live migrations from {node}; before: {before[job]}")
    return sum(nodes.count(node) for nodes in before.values())


def pause(live, job):
    live.call("hold", job)
    wait_until("all are saved", lambda: {v["state"] for v in live.job(job)["vms"]} == {"saved"}, 240)
    return time.monotonic()


def resume(live, job, paused):
    time.sleep(max(0, paused + PAUSE - time.monotonic()))
    live.call("release", job)
    wait_until("all run again", lambda: live.places(job), 240)
    goes_on(live, job, "after a pause")
    print(f"job {job} was paused for {time.monotonic() - paused:.0f} s and goes on", flush=True)


def ended_right(live, job):
    wait_until(f"job {job} has said its last line", lambda: LAST.match(lines(live, job)[-1]), 400)
    # What was sent to a paused VM is sent again after up to two minutes (Linux: TCP_RTO_MAX).
    wait_until(f"job {job} has ended after its last line", lambda: live.job(job)["ended_at"], 300)
    shown, last = live.job(job), LAST.match(lines(live, job)[-1])
    assert shown["state"] == "completed" and last, f"{shown}\n{lines(live, job)[-8:]}"
    assert int(last[1]) == 4 and int(last[2]) > 10 and int(last[3]) == 0, last[0]
    return last[0]


def main():
    settings = ["network:", "  jobs: on-request"]
    with tempfile.TemporaryDirectory() as folder:
        programs = {mpi: build(mpi, folder) for mpi in ("mpich", "openmpi")}
        with deployment(nodes=2, node_mib=2600, policy="ALIQUOT", more=settings) as live:
            words = ["--tasks", 4, "--cpus", "0.25", "--mpi", "--"]
            jobs = {"mpich": live.submit(*words, programs["mpich"], SECONDS)}
            goes_on(live, jobs["mpich"], "from its start")
            # Its clock stands still until the other one runs, too.
            paused = pause(live, jobs["mpich"])
            jobs["openmpi"] = live.submit(*words, programs["openmpi"], SECONDS)
            goes_on(live, jobs["openmpi"], "from its start")
            resume(live, jobs["mpich"], paused)
            before = {mpi: rates(live, job) for mpi, job in jobs.items()}
            print(migrate(live, list(jobs.values())), "tasks were migrated live", flush=True)
            resume(live, jobs["openmpi"], pause(live, jobs["openmpi"]))
            for mpi, job in jobs.items():
                last, after = ended_right(live, job), rates(live, job)[-4:]
                print(f"{mpi}: {last}; KiB/s before {before[mpi][-4:]}, after {after}", flush=True)
            print("ok: MPICH and Open MPI, moved and paused, and every number right")


if __name__ == "__main__":
    sys.exit(main())
