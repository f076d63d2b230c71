#!/usr/bin/env python3
"""The same jobs on real nodes under several policies in turn: which has the least worst stretch, and which
moves least.

    tools/up --keep
    tools/bench/live_policies.py [--runs 3] [--times 1] [--policies ALIQUOT,GREEDY-PMTN,DYNMCB8-ASAP-PER-60]
    tools/bench/live_policies.py --seed 1 --jobs 48 --span 480
    tools/bench/live_policies.py --seed 1 --expect 16

What is to be done is sized once, so every run has the same work at the same instants; the policies take
turns, so that a machine that grows slower does so for all of them. Bounded stretch: turnaround / virtual
time, both at least 30 s, as the policies and the dashboards count it; stretch: without that bound, by
which a job of three seconds that waits for ten counts most. --times 3: all that is to be done, and all
instants, three times as long: jobs of minutes, to which an action costs little.

There are seven fixed jobs; with a seed, jobs drawn as in the DFRS paper and shortened to minutes, and first
what the simulator expects of them. --expect 16: only that expectation, of 16 seeds from this one on; it
needs no cluster."""

import argparse
import pathlib
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/demo"))

from batch_comparison import stretch  # noqa: E402
from cluster import Cluster  # noqa: E402
from guest_speed import measure  # noqa: E402
from jobs import probes  # noqa: E402
from live_workload import drawn, fixed_jobs, simulated  # noqa: E402

PATIENCE_S = 400  # after the last has come, times as much as all that is to be done
BOUND_S = 30
COLUMNS = "{:<22}{:>5}{:>9}{:>7}{:>13}{:>7}{:>7}{:>7}{:>12}"


def set_policy(cluster, policy):
    done = subprocess.run(
        [cluster.binaries / "aliquot", "policy", "set", policy],
        capture_output=True,
        text=True,
        timeout=60,
    )
    if done.returncode != 0:
        sys.exit(f"live_policies: {done.stderr.strip()}")


def play(cluster, jobs, patience):
    """Each job at its instant; their rows when all have ended."""
    coming = sorted(jobs, key=lambda job: job.at)
    last = coming[-1].at
    numbers, start = set(), time.monotonic()
    while True:
        now = time.monotonic() - start
        while coming and coming[0].at <= now:
            numbers.add(cluster.submit(coming.pop(0).words))
        rows = [row for row in cluster.jobs() if row["job"] in numbers]
        if not coming and all(row["ended_at"] for row in rows):
            return rows
        if now > last + patience:
            sys.exit(f"live_policies: not done after {now:.0f} s; see {cluster.state}/aliquotd.log")
        time.sleep(0.2)


def judged(policy, rows):
    lost = [f"{r['name']} {r['state']}: {r['note']}" for r in rows if r["state"] != "completed"]
    if lost:
        sys.exit(f"live_policies: under {policy}: {'; '.join(lost)}")
    stretches = [stretch(row) for row in rows]
    bounded = [max(1, r["turnaround_s"] / max(BOUND_S, r["virtual_s"])) for r in rows]
    return {
        "bounded": max(bounded),
        "mean bounded": statistics.mean(bounded),
        "max": max(stretches),
        "mean": statistics.mean(stretches),
        "saves": sum(row["preemptions"] for row in rows),
        "moves": sum(row["migrations"] for row in rows),
        "wait": max(row["wait_s"] for row in rows),
    }


def show(policy, run, seen):
    print(
        COLUMNS.format(
            policy,
            run,
            f"{seen['bounded']:.2f}",
            f"{seen['mean bounded']:.2f}",
            f"{seen['max']:.2f}",
            f"{seen['mean']:.2f}",
            f"{seen['saves']:.3g}",
            f"{seen['moves']:.3g}",
            f"{seen['wait']:.1f}s",
        ),
        flush=True,
    )


def foretold(binaries, jobs, policies):
    """What the simulator expects, by policy."""
    expected = {policy: simulated(binaries, jobs, policy) for policy in policies}
    for policy, (largest, mean, saves, moves) in expected.items():
        counts = f"{saves} saves, {moves} moves"
        print(f"expected of {policy}: largest bounded stretch {largest:.2f}, mean {mean:.2f}, {counts}")
    return expected


def only_foretold(given, policies):
    binaries, seen = pathlib.Path(given.bin), {policy: [] for policy in policies}
    for seed in range(given.seed, given.seed + given.expect):
        print(f"seed {seed}")
        expected = foretold(binaries, drawn(binaries, seed, given.jobs, given.span), policies)
        for policy in policies:
            seen[policy].append(expected[policy])
    print("all: geometric mean of the largest bounded stretch; saves and moves together")
    for policy in policies:
        largest = statistics.geometric_mean(row[0] for row in seen[policy])
        actions = sum(row[2] + row[3] for row in seen[policy])
        print(f"{policy:<22}{largest:>9.2f}{actions:>7}")


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--runs", type=int, default=3)
    options.add_argument("--policies", default="ALIQUOT,GREEDY-PMTN,DYNMCB8-ASAP-PER-60")
    options.add_argument("--times", type=float, default=1)
    options.add_argument("--seed", type=int, help="of jobs that are drawn")
    options.add_argument("--expect", type=int, help="seeds of which only is told what to expect")
    options.add_argument("--jobs", type=int, default=24, help="that are drawn")
    options.add_argument("--span", type=float, default=240, help="seconds from the first drawn to the last")
    options.add_argument("--bin", default=ROOT / "build/release/bin")
    options.add_argument("--state", default="/var/lib/aliquot/up")
    given = options.parse_args()
    policies = given.policies.split(",")
    if given.expect is not None:
        if given.seed is None:
            options.error("--expect needs --seed: of which jobs?")
        only_foretold(given, policies)
        return 0
    cluster = Cluster(given.bin, given.state)
    speeds = measure(probes(cluster))
    if given.seed is None:
        jobs = fixed_jobs(speeds, given.times, cluster.binaries)
    else:
        work = drawn(cluster.binaries, given.seed, given.jobs, given.span)
        foretold(cluster.binaries, work, policies)
        jobs = [job.live(speeds[0]) for job in work]
    print(
        COLUMNS.format(
            *("policy", "run", "bounded", "mean", "max stretch", "mean", "saves", "moves", "worst wait")
        )
    )
    seen = {policy: [] for policy in policies}
    for run in range(1, given.runs + 1):
        for policy in policies:
            set_policy(cluster, policy)
            seen[policy].append(judged(policy, play(cluster, jobs, PATIENCE_S * given.times)))
            show(policy, run, seen[policy][-1])
    print()
    for policy in policies:
        runs = seen[policy]
        show(policy, "all", {key: statistics.mean(run[key] for run in runs) for key in runs[0]})
    return 0


if __name__ == "__main__":
    sys.exit(main())
