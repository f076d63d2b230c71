#!/usr/bin/env python3
"""A node's libvirtd is stopped dead (SIGSTOP): it becomes suspect, jobs that fit the other node are
decided upon, placed and completed meanwhile, and after SIGCONT the silent node's own jobs complete,
each task once."""

import os
import signal
import statistics
import sys
import time

from deployment import deployment, wait_until
from workload import Work, nothing_left, prove

SPREAD = [Work("left", mib=96, lasts=8), Work("right", mib=96, lasts=8)]
MEANWHILE = [Work(f"meanwhile{i}", cpus=0.25, mib=64, links=10) for i in range(3)]


def node_state(live, name):
    return live.node(name)["state"]


def instants(live, job):
    """(submitted, create issued, ended) in seconds of the manager's own clock."""
    events = live.events(job)
    submitted = next(e["at_s"] for e in events if e["event"].get("event") == "submitted")
    created = next(e["at_s"] for e in events if e["event"].get("action") == "create")
    return submitted, created, events[-1]["at_s"]


def submit_meanwhile(live, ids, loud):
    """Submits while one node is silent; every job must stand on the loud one and complete."""
    answers = []
    for work in MEANWHILE:
        began = time.monotonic()
        ids[work.name] = live.submit(*work.words())
        answers.append(1000 * (time.monotonic() - began))
        created = wait_until("a node is chosen", lambda w=work: live.job(ids[w.name])["nodes"], 60)
        assert [n["node"] for n in created] == [loud], f"{work.name} stands on {created}"
    for work in MEANWHILE:
        wait_until(f"{work.name} completes", lambda w=work: live.job(ids[w.name])["ended_at"], 180)
    print(
        f"submit to acknowledgement, as the user sees it: median {statistics.median(answers):.1f} ms, "
        f"most {max(answers):.1f} ms"
    )


def main():
    with deployment(nodes=2, node_mib=512, policy="DYNMCB8-ASAP-PER-5+match") as live:
        ids = {work.name: live.submit(*work.words()) for work in SPREAD}
        for work in SPREAD:
            wait_until(
                f"{work.name} runs", lambda w=work: live.job(ids[w.name])["state"] == "running"
            )
        places = {live.job(number)["nodes"][0]["node"] for number in ids.values()}
        assert places == {"node1", "node2"}, f"not one job a node: {places}"
        before = len(live.events())
        pid = live.libvirtd(2)
        os.kill(pid, signal.SIGSTOP)
        try:
            silent_since = time.monotonic()
            wait_until("node2 is suspect", lambda: node_state(live, "node2") == "suspect", 90)
            print(f"node2 suspect {time.monotonic() - silent_since:.1f} s after SIGSTOP")
            submit_meanwhile(live, ids, "node1")
            assert node_state(live, "node2") == "suspect", "the silent node is taken for a good one"
        finally:
            os.kill(pid, signal.SIGCONT)
        wait_until("node2 is up", lambda: node_state(live, "node2") == "up", 120)
        for number in ids.values():
            wait_until("all jobs end", lambda n=number: live.job(n)["ended_at"], 240)
        for work in MEANWHILE:
            submitted, created, ended = instants(live, ids[work.name])
            assert (
                created == submitted
            ), f"{work.name} was not decided upon when it came, but {created - submitted} s later"
            print(
                f"{work.name}: create issued {1000 * (created - submitted):.1f} ms after the submission "
            f"was taken, "
                f"ended after {ended - submitted:.1f} s"
            )
        spent = [
            e["event"]["nanoseconds"] / 1e6
            for e in live.events()[before:]
            if "nanoseconds" in e["event"]
        ]
        print(
            f"{len(spent)} decisions since SIGSTOP: median {statistics.median(spent):.3f} ms, "
            f"most {max(spent):.3f} ms"
        )
        print("ok:", prove(live, ids, SPREAD + MEANWHILE))
        nothing_left(live)


if __name__ == "__main__":
    sys.exit(main())
