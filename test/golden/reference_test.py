#!/usr/bin/env python3
"""FCFS and EASY against starts and ends on which two independent implementations agree, job by job."""

import csv
import pathlib
import subprocess
import sys
import tempfile

POLICIES = ("FCFS", "EASY")
SEEDS = (1, 2, 3)
NODES = 128


def rows(path, key):
    with open(path, newline="") as file:
        return {row[key]: (row["start"], row["end"]) for row in csv.DictReader(file)}


def compare(simulator, data, policy, seed, out):
    workload = data / "lublin" / f"lublin99_default_seed{seed}.swf"
    command = [simulator, "run", "--workload", workload, "--nodes", str(NODES), "--swf", "procs"]
    command += ["--policy", policy, "--jobs-out", out]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=120)
    wanted = rows(data / "reference" / f"{policy.lower()}_lublin_seed{seed}.csv", "id")
    got = rows(out, "job")
    different = [job for job in wanted.keys() | got.keys() if wanted.get(job) != got.get(job)]
    for job in sorted(different, key=int)[:5]:
        print(f"{policy} seed {seed} job {job}: start, end {got.get(job)}, should be {wanted.get(job)}")
    print(f"{policy} seed {seed}: {len(wanted) - len(different)} of {len(wanted)} jobs equal")
    return bool(wanted) and not different


def main(simulator, data):
    data = pathlib.Path(data)
    if not (data / "reference").is_dir():
        print(f"skipped: {data.name}/reference is not here (the reference data are no part of the product)")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "jobs.csv"
        equal = [compare(simulator, data, policy, seed, out) for policy in POLICIES for seed in SEEDS]
    sys.exit(not all(equal))


main(*sys.argv[1:])
