#!/usr/bin/env python3
"""The jobs of the tour on real nodes under several policies in turn: whose worst stretch is least, and who
moves least.

    tools/up --keep
    tools/bench/live_policies.py [--runs 3] [--times 1] [--policies ALIQUOT,GREEDY-PMTN,DYNMCB8-ASAP-PER-60]

What is to be done is sized once, so every run has the same work at the same instants; the policies take
turns, so that a machine that grows slower does so for all of them. Bounded stretch: turnaround / virtual
time, both at least 30 s, as the policies and the dashboards count it; stretch: without that bound, by
which a job of three seconds that waits for ten counts most. --times 3: all that is to be done, and all
instants, three times as long: jobs of minutes, to which an action costs little."""

import argparse
import pathlib
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/tour"))

from contrast import stretch  # noqa: E402
from pace import measure  # noqa: E402
from tour import Cluster  # noqa: E402
from workload import jobs_at, probes  # noqa: E402

ARRIVALS_S = {"long": 0, "brief": 1, "steady": 2, "quick": 3, "wide": 14, "small": 17, "large": 18}
PATIENCE_S = 400  # times as much as all that is to be done
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


def play(cluster, jobs, times):
    """Each job at its instant; their rows when all have ended."""
    coming = sorted(jobs, key=lambda j: ARRIVALS_S[j.name])
    numbers, start = set(), time.monotonic()
    while True:
        now = (time.monotonic() - start) / times
        while coming and ARRIVALS_S[coming[0].name] <= now:
            numbers.add(cluster.submit(coming.pop(0).words(cluster.binaries)))
        rows = [row for row in cluster.jobs() if row["job"] in numbers]
        if not coming and all(row["ended_at"] for row in rows):
            return rows
        if now > PATIENCE_S:
            waited = f"not done after {times * PATIENCE_S:g} s"
            sys.exit(f"live_policies: {waited}; see {cluster.state}/aliquotd.log")
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


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--runs", type=int, default=3)
    options.add_argument("--policies", default="ALIQUOT,GREEDY-PMTN,DYNMCB8-ASAP-PER-60")
    options.add_argument("--times", type=float, default=1)
    options.add_argument("--bin", default=ROOT / "build/release/bin")
    options.add_argument("--state", default="/var/lib/aliquot/up")
    given = options.parse_args()
    cluster, policies = Cluster(given.bin, given.state), given.policies.split(",")
    jobs = jobs_at(*measure(probes(cluster)), given.times)
    print(
        COLUMNS.format(
            *("policy", "run", "bounded", "mean", "max stretch", "mean", "saves", "moves", "worst wait")
        )
    )
    seen = {policy: [] for policy in policies}
    for run in range(1, given.runs + 1):
        for policy in policies:
            set_policy(cluster, policy)
            seen[policy].append(judged(policy, play(cluster, jobs, given.times)))
            show(policy, run, seen[policy][-1])
    print()
    for policy in policies:
        runs = seen[policy]
        show(policy, "all", {key: statistics.mean(run[key] for run in runs) for key in runs[0]})
    return 0


if __name__ == "__main__":
    sys.exit(main())
