#!/usr/bin/env python3
"""VMs are bound to NUMA cells of a node that pretends to have two, as long as they fit: their vCPUs run on
the CPUs of the cell. They lose the binding on a node without cells, and get one again where there are
some, moved and restored."""

import os
import re
import sys

from deployment import deployment, skip, wait_until
from workload import UNIT

CELLS = 2
JOB = ["--mem", "96MiB", "--hash-chain", f"1000000:{UNIT}"]


def cells(live, node):
    """VMs and vCPUs that are bound to each cell, as an operator sees it."""
    return [(cell["vms"], cell["vcpus"]) for cell in live.ask("node", "probe", node)["cells"]]


def domain(live, node, job):
    return next(name for name in live.domains(node) if name.startswith(f"aliquot-{job}."))


def cpus(live, node, job):
    """On which CPUs the kernel lets its vCPU run."""
    said = live.virsh(node, "vcpupin", domain(live, node, job))
    return re.search(r"^ *0 +(\S+)$", said, flags=re.M).group(1)


def memory_of(live, node, job):
    """The cell that its definition names, or none."""
    found = re.search(r"nodeset='(\d+)'", live.virsh(node, "dumpxml", domain(live, node, job)))
    return found and int(found.group(1))


def runs_on(live, job, node):
    wait_until(f"job {job} runs on {node}", lambda: live.places(job) == [node], 240)


def main():
    if os.cpu_count() < CELLS:
        skip(f"{CELLS} NUMA cells need as many CPUs")
    every = f"0-{os.cpu_count() - 1}"
    with deployment(nodes=2, numa=CELLS, policy="ALIQUOT", hypervisor=["  numa: cells"]) as live:
        assert [cell["cell"] for cell in live.ask("node", "probe", "node1")["cells"]] == [0, 1]
        live.ask("node", "drain", "node2")
        first = live.submit(*JOB)
        runs_on(live, first, "node1")
        assert (memory_of(live, 1, first), cells(live, "node1")) == (0, [(1, 1), (0, 0)])
        assert "1" not in cpus(live, 1, first).split(","), "it is not bound to the CPUs of cell 0"
        print("bound to cell 0 of node1", flush=True)

        live.ask("node", "resume", "node2")
        live.ask("node", "drain", "node1")
        runs_on(live, first, "node2")
        assert memory_of(live, 2, first) is None and cpus(live, 2, first) == every
        live.ask("node", "resume", "node1")
        live.ask("node", "drain", "node2")
        runs_on(live, first, "node1")
        assert memory_of(live, 1, first) == 0, "it was moved back and is not bound"
        print("moved to a node without cells and back", flush=True)

        per_cell = os.cpu_count() // CELLS
        jobs = [first] + [live.submit(*JOB) for _ in range(per_cell * CELLS)]
        for job in jobs:
            runs_on(live, job, "node1")
        assert cells(live, "node1") == [(per_cell, per_cell)] * CELLS, cells(live, "node1")
        free = [job for job in jobs if memory_of(live, 1, job) is None]
        assert len(free) == 1 and cpus(live, 1, free[0]) == every, "it fits into no cell, and runs anywhere"
        print(f"{len(jobs)} VMs: {per_cell} in each cell, one in none", flush=True)

        live.call("cancel", *[job for job in jobs if job != first])
        live.ask("node", "drain", "node1", "--mode", "save")
        wait_until("the job is saved", lambda: live.job(first)["state"] == "paused", 240)
        live.ask("node", "resume", "node1")
        runs_on(live, first, "node1")
        assert memory_of(live, 1, first) in (0, 1), "it was restored and is not bound"
        print("ok: saved, restored, and bound again")


if __name__ == "__main__":
    sys.exit(main())
