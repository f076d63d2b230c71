#!/usr/bin/env python3
"""The manager is killed (SIGKILL) at six points of a workload, and once a node's libvirtd: every job ends
as it would without any of that, with exit status 0, every hash chain whole (recomputed here), every task
once, and nothing is left on the nodes."""

import os
import random
import signal
import sys
import time

from deployment import deployment, wait_until
from workload import Work, nothing_left, prove

WIDE = Work("wide", tasks=2, mib=160, lasts=14)
PRIMES = Work("primes", tasks=2, mib=128, primes=2_000_000)
BIG = Work("big", mib=300, links=40)
LATE = Work("late", cpus=0.5, mib=64, links=30)
STAY = Work("stay", mib=96, lasts=8)


class Run:
    """The workload, and the points at which the manager dies in it."""

    def __init__(self, live):
        self.live, self.ids, self.works = live, {}, []
        self.random = random.Random(7)
        self.struck = []

    def submit(self, work):
        self.ids[work.name] = self.live.submit(*work.words())
        self.works.append(work)

    def acted(self, action, since, jobs):
        """Has the manager's log said, beyond this many bytes, that it set about this action on one
        of the jobs?"""
        lines = self.live.log.read_bytes()[since:].decode(errors="replace").splitlines()
        return any(
            f"action={action} " in line and f"job={self.ids[job]} " in line
            for job in jobs
            for line in lines
        )

    def log_size(self):
        return self.live.log.stat().st_size

    def upon(self, action, since, *jobs):
        """Waits until the action is under way; a point to strike at."""
        wait_until(f"a {action} of {jobs}", lambda: self.acted(action, since, jobs), every=0.005)
        self.strike(action)

    def strike(self, point):
        self.live.kill()
        away = self.random.uniform(0.5, 1.5)
        time.sleep(away)
        self.live.start()
        self.struck.append(f"{point} (away {away:.1f} s)")
        print(f"  killed the manager: {self.struck[-1]}", flush=True)

    def wait_for(self, name, *states, seconds=180):
        def reached():
            job = self.live.job(self.ids[name])
            assert job["state"] in states or not job["ended_at"], (
                f"{name} ended ({job['state']}) before it was {' or '.join(states)}: too little work in it"
            )
            return job["state"] in states

        return wait_until(f"{name} is {' or '.join(states)}", reached, seconds)

    def tell(self, verb, name):
        """hold or release; a job that has ended meanwhile refuses."""
        answer = self.live.call(verb, self.ids[name])
        assert answer.code == 0, f"{verb} {name}: {answer.code} {answer.err.strip()}"

    def kill_libvirtd(self, node):
        pid = self.live.libvirtd(node)
        os.kill(pid, signal.SIGKILL)
        # What a request that is just being written to it would bring; it is rarely hit by chance.
        self.live.manager.send_signal(signal.SIGPIPE)
        wait_until(
            "libvirtd is started again", lambda: self.live.libvirtd(node) not in (None, pid), 30
        )
        self.struck.append(f"libvirtd of node{node}")
        print(f"  killed the {self.struck[-1]}", flush=True)

    def finish(self):
        wait_until(
            "every job has ended",
            lambda: all(self.live.job(n)["ended_at"] for n in self.ids.values()),
            300,
        )


def play(run):
    """Creates, then memory pressure, a save and its restore, a live migration of two VMs that
    change places."""
    mark = run.log_size()
    run.submit(WIDE)
    run.upon("create", mark, "wide")
    run.submit(PRIMES)
    run.strike("acknowledged")
    run.wait_for("wide", "running")
    run.strike("running")
    run.submit(BIG)
    run.submit(LATE)
    mark = run.log_size()
    run.tell("hold", "wide")
    run.upon("save", mark, "wide")
    run.wait_for("wide", "paused", "held")
    mark = run.log_size()
    run.tell("release", "wide")
    run.upon("restore", mark, "wide")
    run.finish()
    swap(run)
    run.finish()


def swap(run):
    """DYNMCB8 without +match puts the larger task on the first node, wherever it is: two VMs
    change places."""
    run.submit(STAY)
    run.wait_for("stay", "running")
    first = run.live.job(run.ids["stay"])["nodes"][0]["node"] == "node1"
    other = Work("other", mib=192 if first else 32, lasts=8)
    run.submit(other)
    run.wait_for("other", "running")
    mark = run.log_size()
    run.live.call("policy", "set", "DYNMCB8")
    run.upon("migrate", mark, "stay", "other")
    run.kill_libvirtd(1)


def counted(run):
    """How often each action was begun, by the event log."""
    actions = [e["event"].get("action") for e in run.live.events()]
    return ", ".join(
        f"{word} {actions.count(word)}" for word in ["create", "save", "restore", "migrate"]
    )


def one_run():
    with deployment(nodes=2, node_mib=576) as live:
        run = Run(live)
        began = time.monotonic()
        play(run)
        line = prove(live, run.ids, run.works)
        live.wait_until_empty(1, 2)
        nothing_left(live)
        print(
            f"{line}; {time.monotonic() - began:.0f} s; {counted(run)}; "
            f"manager started {live.starts} times",
            flush=True,
        )
        return [
            (work.name, live.job(run.ids[work.name])["exit_code"]) for work in run.works
        ], run.struck


def main():
    ended, blows = one_run()
    assert len(blows) == 7, f"not every blow fell: {blows}"
    assert all(code == 0 for _, code in ended), f"not as without a blow: {ended}"
    print(f"ok: {len(blows)} blows, every job ended as without any: {ended}")


if __name__ == "__main__":
    sys.exit(main())
