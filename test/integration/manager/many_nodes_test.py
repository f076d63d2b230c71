#!/usr/bin/env python3
"""64 nodes, each a libvirtd of its own with real VMs: many_nodes_test.py [--nodes 64].

One job has a task on every node, others share the nodes with it. While all these VMs are made, the manager
answers. It is killed while they run; the next one finds each VM where it was, and makes no other. All jobs
end with their whole output, each task once."""

import argparse
import re
import sys
import threading
import time

from deployment import deployment, wait_until
from workload import Work, nothing_left, prove

WIDE_MIB, SMALL_MIB, NODE_MIB = 128, 64, 320  # a node has memory for one of each, and for no two wide ones
PATIENCE_S = 1800  # so many emulated machines on a few processors


class Answers(threading.Thread):
    """Asks a small question twice a second, and notes how long each answer took."""

    def __init__(self, live):
        super().__init__(daemon=True)
        self.live, self.ended, self.took = live, threading.Event(), []

    def run(self):
        while not self.ended.wait(0.5):
            begun = time.monotonic()
            assert self.live.call("status").code == 0
            self.took.append(time.monotonic() - begun)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.join()


def running_on(live, job):
    """The nodes of its VMs that run."""
    return [vm["node"] for vm in live.job(job)["vms"] if vm["state"] == "running"]


def creations(live, job):
    return len(re.findall(rf" action=create op=\d+ job={job} ", live.log.read_text(errors="replace")))


def outlive_the_manager(live, wide):
    stood, made = sorted(running_on(live, wide)), creations(live, wide)
    live.kill()
    live.start()
    wait_until("every node is up again", live.nodes_are_up, 300)
    wait_until("every VM is found again", lambda: sorted(running_on(live, wide)) == stood, 300, 1)
    assert creations(live, wide) == made, "the manager that was started again has made VMs"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=64)
    nodes = parser.parse_args().nodes
    wide = Work("wide", tasks=nodes, cpus=0.4, mib=WIDE_MIB, lasts=4)
    jobs = [wide, *(Work(f"small{n}", cpus=0.4, mib=SMALL_MIB, lasts=1) for n in range(nodes // 2))]
    with deployment(nodes=nodes, node_mib=NODE_MIB, policy="ALIQUOT") as live:
        begun = time.monotonic()
        with Answers(live) as answers:
            ids = {"wide": live.submit(*wide.words())}
            wait_until(
                "a VM runs on every node",
                lambda: len(set(running_on(live, ids["wide"]))) == nodes,
                PATIENCE_S,
                1,
            )
            all_run = time.monotonic() - begun
            ids |= {work.name: live.submit(*work.words()) for work in jobs[1:]}
        outlive_the_manager(live, ids["wide"])
        wait_until("all jobs have ended", lambda: not live.ask("list")["jobs"], PATIENCE_S, 1)
        print(
            f"{nodes} nodes: a VM ran on each after {all_run:.0f} s; the slowest of {len(answers.took)}"
            f" calls of `aliquot status` took {max(answers.took):.2f} s; all jobs had ended after"
            f" {time.monotonic() - begun:.0f} s"
        )
        print(prove(live, ids, jobs))
        nothing_left(live)


if __name__ == "__main__":
    sys.exit(main())
