#!/usr/bin/env python3
"""The demonstration behind tools/up: submits a workload that has to share, watches it, proves the result.

Talks to the manager only through the command line, as a user would. Exit 0 only if every job completed
with nothing lost, and the run showed what it is for: sharing below yield 1, a save and restore, a live
migration.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import time

from contrast import contrast_table, stretch
from pace import measure
from proof import prove
from workload import PARTS, jobs_at, probes

DEADLINE_S = 270
LOOK_EVERY_S = 1.0
LINE_EVERY_S = 5.0
LONGEST_ACT_S = 60.0


class Cluster:
    """The command line as a function."""

    def __init__(self, binaries, state):
        self.binaries, self.state = pathlib.Path(binaries), pathlib.Path(state)

    def ask(self, *words):
        done = subprocess.run(
            [self.binaries / "aliquot", *words, "-o", "json"], capture_output=True, text=True, timeout=60
        )
        if done.returncode not in (0, 1):
            sys.exit(f"tour: aliquot {' '.join(words)}: {done.stderr.strip()}")
        return json.loads(done.stdout)

    def submit(self, words):
        done = subprocess.run(
            [self.binaries / "aliquot", "submit", "--parsable", *words],
            capture_output=True,
            text=True,
            timeout=60,
        )
        if done.returncode != 0:
            sys.exit(f"tour: aliquot submit {' '.join(words)}: {done.stderr.strip()}")
        return int(done.stdout)

    def console(self, job, task=0):
        return self.state / "cluster" / "spool" / str(job) / f"{task}.log"

    def jobs(self):
        return self.ask("list", "--all")["jobs"]

    def why(self, job):
        done = subprocess.run(
            [self.binaries / "aliquot", "why", str(job)], capture_output=True, text=True, timeout=60
        )
        return done.stdout.strip()


def one_line(job):
    where = "+".join(f"{n['node']}:{n['tasks']}" for n in job["nodes"]) or "-"
    share = f"{job['yield']:.2f}" if job["yield"] is not None else "-"
    return f"{job['name']}={job['state']}({share} {where})"


def draw(jobs, seconds, on_terminal, drawn):
    """One block that is drawn over on a terminal, one plain line elsewhere. Returns the lines drawn."""
    if not on_terminal:
        print(
            f"  {seconds:5.0f} s  " + "  ".join(one_line(j) for j in jobs if j["ended_at"] is None),
            flush=True,
        )
        return 0
    lines = [f"  {seconds:5.0f} s   {'job':<10}{'state':<11}{'tasks':>5}{'cpus':>6}{'yield':>7}  nodes"]
    for job in jobs:
        where = " ".join(f"{n['node']}:{n['tasks']}" for n in job["nodes"])
        share = f"{job['yield']:.2f}" if job["yield"] is not None else ""
        bar = "#" * round(20 * (job["yield"] or 0))
        lines.append(
            f"            {job['name']:<10}{job['state']:<11}{job['tasks']:>5}{job['cpus']:>6.2f}"
            f"{share:>7}  {where:<18} {bar}"
        )
    print(f"\033[{drawn}F" if drawn else "", end="")
    print("\n".join("\033[K" + line for line in lines), flush=True)
    return len(lines)


class Seen:
    """What the run was to show."""

    def __init__(self):
        self.lowest_yield, self.why = 1.0, None

    def look(self, jobs, cluster):
        running = [j["yield"] for j in jobs if j["state"] == "running" and j["yield"] is not None]
        self.lowest_yield = min([self.lowest_yield, *running])
        waiting = [j for j in jobs if j["state"] in ("pending", "paused")]
        if waiting and self.why is None:
            self.why = cluster.why(waiting[0]["job"])
            print(f"\n$ aliquot why {waiting[0]['job']}\n{self.why}\n", flush=True)
            return True
        return False


class Play:
    """Which job is to be submitted now: each act has its own clock and waits for the one before."""

    def __init__(self, jobs):
        self.coming, self.act, self.act_began = list(jobs), 1, 0.0

    def due(self, seconds, jobs):
        """The jobs whose time has come, in order."""
        if self.is_over(seconds - self.act_began, {j["name"]: j for j in jobs}):
            self.act, self.act_began = self.act + 1, seconds
        now = seconds - self.act_began
        ready = [j for j in self.coming if j.part.act == self.act and j.part.at <= now]
        self.coming = [j for j in self.coming if j not in ready]
        return ready

    def is_over(self, seconds, jobs):
        """What the act is for has come, or it is no use to wait for it any longer."""
        if any(j.part.act == self.act for j in self.coming):
            return False
        if self.act == 1:
            done = all(jobs[name]["ended_at"] for name in ("brief", "quick"))
            return done and (any(j["migrations"] for j in jobs.values()) or seconds > LONGEST_ACT_S)
        return self.act == 2 and (jobs["wide"]["state"] == "running" or seconds > LONGEST_ACT_S)


def run(cluster, played):
    """Submits each job in its turn, watches until all have ended. Returns (jobs, seen, names to ids)."""
    seen, ids, start, play = Seen(), {}, time.monotonic(), Play(played)
    on_terminal, drawn, next_line, jobs = sys.stdout.isatty(), 0, 0.0, []
    while True:
        seconds = time.monotonic() - start
        for job in play.due(seconds, jobs):
            ids[job.name] = cluster.submit(job.words(cluster.binaries))
        jobs = [j for j in cluster.jobs() if j["job"] in ids.values()]
        jobs.sort(key=lambda j: j["job"])
        if seen.look(jobs, cluster):
            drawn = 0
        if on_terminal or seconds >= next_line:
            drawn, next_line = draw(jobs, seconds, on_terminal, drawn), seconds + LINE_EVERY_S
        if not play.coming and all(j["ended_at"] for j in jobs):
            return jobs, seen, ids
        if seconds > DEADLINE_S:
            sys.exit(f"tour: not done after {DEADLINE_S} s; see {cluster.state}/aliquotd.log")
        time.sleep(LOOK_EVERY_S)


def table(jobs):
    print(
        f"\n{'job':<10}{'tasks':>6}{'cpus':>6}{'MiB':>6}{'wait':>8}{'turnaround':>12}{'stretch':>9}"
        f"{'preempted':>11}{'migrated':>10}{'exit':>6}"
    )
    for j in jobs:
        exit_code = "-" if j["exit_code"] is None else j["exit_code"]
        print(
            f"{j['name']:<10}{j['tasks']:>6}{j['cpus']:>6.2f}{j['memory_bytes'] >> 20:>6}"
            f"{j['wait_s']:>7.1f}s{j['turnaround_s']:>11.1f}s{stretch(j):>9.2f}"
            f"{j['preemptions']:>11}{j['migrations']:>10}{exit_code:>6}"
        )


def judge(jobs, seen):
    """What did not hold, in words."""
    wrong = [f"job {j['name']} {j['state']}: {j['note']}" for j in jobs if j["state"] != "completed"]
    if seen.lowest_yield >= 1:
        wrong.append("no job ever ran below yield 1: nothing was shared")
    if not any(j["preemptions"] for j in jobs):
        wrong.append("no job was saved and restored")
    if not any(j["migrations"] for j in jobs):
        wrong.append("no job was migrated")
    return wrong


def size_up(cluster, began):
    """The jobs with as much to do as takes their time on these VMs, and when the first VM spoke."""
    print("one VM on each node, to see how fast they are:", flush=True)
    start, vms = time.monotonic(), probes(cluster)
    chain, primes = measure(vms)
    print(
        f"  {chain.amount / chain.seconds:.0f} links of a hash chain a second; the primes below "
        f"{primes.amount:,} in {primes.seconds:.1f} s\n"
    )
    return jobs_at(chain, primes), began + min(vm.first_line for vm in vms) - start


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--bin", required=True, help="where the built programs are")
    options.add_argument("--state", required=True, help="what tools/up keeps for this run")
    options.add_argument("--began", type=float, default=0, help="seconds since the build ended")
    given = options.parse_args()
    cluster = Cluster(given.bin, given.state)
    played, first_vm_s = size_up(cluster, given.began)
    print(f"{len(PARTS)} jobs on two nodes of one core and 576 MiB each:\n", flush=True)
    jobs, seen, ids = run(cluster, played)
    table(jobs)
    print(contrast_table(jobs, cluster))
    lines, wrong = prove(cluster, ids, played)
    wrong = judge(jobs, seen) + wrong
    print("\n" + "\n".join(lines))
    print(
        f"lowest yield {seen.lowest_yield:.2f}; saves {sum(j['preemptions'] for j in jobs)}, "
        f"migrations {sum(j['migrations'] for j in jobs)}; first VM {first_vm_s:.0f} s after the build"
    )
    for fault in wrong:
        print(f"NOT AS IT SHOULD BE: {fault}")
    if wrong:
        return 1
    print(
        "\nNext:  tools/up --keep     the same, and the cluster stays up for you to use\n"
        "       tools/try           what the policies do to a trace of 250 jobs, simulated\n"
        "       less README.md      what it is and how to run it on your own nodes"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
