#!/usr/bin/env python3
"""A Linux guest that writes files all the time is moved to and fro from its boot to its end, and loses
nothing: DYNMCB8 packs the larger job on the first node, so a larger job that comes and goes moves it."""

import sys
import time

from deployment import deployment, wait_until
from workload import UNIT

COUNT = 50
MOVES = 4
PROGRAM = (
    f"i=0; while [ $i -lt {COUNT} ]; do i=$((i + 1)); "
    'dd if=/dev/zero of=/tmp/x bs=64k count=100 2>/dev/null; sh -c "echo $i"; sleep 0.2; done'
)
LARGER = ["--mem", "256MiB", "--hash-chain", f"100000:{UNIT}"]


def place(live, job):
    """The node its VM runs on, or nothing while it is on its way."""
    shown = live.job(job)
    if shown["ended_at"]:
        return "ended"
    vm = shown["vms"][0]
    return vm["node"] if vm["state"] == "running" and vm["doing"] is None else None


def runs_on(live, job, node):
    """Waits until the job runs there, or has ended: then false."""
    at = wait_until(
        f"the job is on {node}", lambda: (p := place(live, job)) in (node, "ended") and p, 180
    )
    return at == node


def drive_away(live, job):
    """One way and back; False once the job has ended."""
    larger = live.submit(*LARGER)
    away = runs_on(live, job, "node2")
    live.call("cancel", larger)
    wait_until("the larger job has gone", lambda: live.job(larger)["ended_at"], 60)
    return runs_on(live, job, "node1") and away


def main():
    with deployment(nodes=2, node_mib=512, policy="DYNMCB8") as live:
        job = live.submit("--mem", "128MiB", "--", "sh", "-c", PROGRAM)
        wait_until("the job runs", lambda: place(live, job) == "node1")
        time.sleep(1)
        while drive_away(live, job):
            pass
        ended = live.job(job)
        actions = [e["event"].get("action") for e in live.events(job)]
        moves = actions.count("migrate")
        print(f"moved {moves} times, saved {actions.count('save')} times", flush=True)
        end = (ended["state"], ended["exit_code"], ended["note"])
        assert end == ("completed", 0, ""), f"the moved guest did not survive: {end}"
        said = live.call("logs", job).out.split()
        assert said == [str(i) for i in range(1, COUNT + 1)], f"its console is not whole: {said}"
        assert moves >= MOVES, f"only {moves} moves: nothing was tested"
        print(f"ok: {COUNT} lines, none lost or repeated")


if __name__ == "__main__":
    sys.exit(main())
