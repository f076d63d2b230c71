#!/usr/bin/env python3
"""HYBRID on real nodes, each with a stand-in for one GPU: VMs that hold a device stay where they are at
full yield, one a device, also across a kill of the manager; VMs without share the rest in fractions. What
could never start is refused at once, with the reason."""

import sys
import time

from deployment import deployment, wait_until
from workload import Work, nothing_left, prove

GPU_JOBS = 4
# Need, MiB, links: those that need a whole core have so much to do that they are still there when jobs
# with devices come, however slow or fast the machine.
CPU_JOBS = [(0.75, 64, 40), (1.0, 96, 200), (0.5, 64, 40), (1.0, 64, 200), (0.75, 96, 40), (0.5, 64, 40)]
NEVER = [
    (["--gpus", 2], "T4"),
    (["--gpus", 1, "--gpu-model", "A100"], "A100"),
    (["--gpus", 1, "--nodes", "3-2"], "3"),
    (["--gpus", 1, "--nodes", "3"], "3"),
    (["--gpus", "-1"], "--gpus"),
    (["--tasks", 0, "--gpus", 1], "--tasks"),
]


def refuse(live):
    for words, mark in NEVER:
        answer = live.call("submit", *words, "--mem", "32MiB", "--hash-chain", "5:1000")
        assert answer.code in (2, 4) and mark in answer.err, (words, answer.code, answer.err)
        assert len(answer.err.strip().splitlines()) == 1, answer.err
        print("refused:", answer.err.strip(), flush=True)
    assert not live.ask("list")["jobs"], "a job that can never start was taken"


class Watch:
    """What was seen of the jobs while they ran."""

    def __init__(self, live, gpu, cpu):
        self.live, self.gpu, self.cpu = live, gpu, cpu
        self.homes = {}  # of a job with a device: the nodes it was ever seen on
        self.fractions = 0
        self.beside = 0

    def look(self):
        running = {}
        for name, number in {**self.gpu, **self.cpu}.items():
            job = self.live.job(number)
            if job["state"] == "running":
                running[name] = job
        held = [vm["node"] for name in running if name in self.gpu for vm in running[name]["vms"]]
        assert len(held) == len(set(held)), f"a device was given twice: {held}"
        for name, job in running.items():
            if name in self.gpu:
                assert job["yield"] == 1, f"{name} holds a device and has yield {job['yield']}"
                self.homes.setdefault(name, set()).update(vm["node"] for vm in job["vms"])
            elif job["yield"] < 1:
                self.fractions += 1
                self.beside += any(vm["node"] in held for vm in job["vms"])
        return not self.live.ask("list")["jobs"]


def main():
    policy = "HYBRID(IPSCHED,DYNMCB8-ASAP-PER-4+match)"
    with deployment(nodes=2, node_mib=512, policy=policy, devices="[T4]") as live:
        refuse(live)
        works, gpu, cpu = [], {}, {}
        for i, (cpus, mib, links) in enumerate(CPU_JOBS):
            works.append(Work(f"cpu{i}", cpus=cpus, mib=mib, links=links))
            cpu[works[-1].name] = live.submit(*works[-1].words())
        for i in range(GPU_JOBS):
            works.append(Work(f"gpu{i}", cpus=0.5, mib=64, links=40))
            gpu[works[-1].name] = live.submit("--gpus", 1, "--gpu-model", "T4", *works[-1].words())
        watch = Watch(live, gpu, cpu)
        wait_until("two jobs hold a device", lambda: watch.look() or len(watch.homes) == 2, 60)
        time.sleep(1)
        live.kill()
        live.start()
        wait_until("every job has ended", watch.look, 400, every=0.3)
        print("ok:", prove(live, {**cpu, **gpu}, works))
        for name, number in gpu.items():
            job = live.job(number)
            assert (job["preemptions"], job["migrations"]) == (0, 0), f"{name} was moved: {job}"
            assert len(watch.homes[name]) == 1, f"{name} was on {watch.homes[name]}"
        assert watch.fractions > 0, "no job without a device was ever given a fraction"
        assert watch.beside > 0, "no fraction stood beside a device"
        print(f"ok: {watch.fractions} looks at fractions, {watch.beside} of them beside a device")
        live.wait_until_empty(1, 2)
        nothing_left(live)


if __name__ == "__main__":
    sys.exit(main())
