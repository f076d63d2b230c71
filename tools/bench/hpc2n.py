#!/usr/bin/env python3
"""EASY over the whole HPC2N log, 202,871 jobs: seconds from start to end of the process, and peak memory.

    tools/bench/hpc2n.py [--bin FOLDER] [--log FILE] [--policy SPEC] [--runs R]

The log is HPC2N-2002-2.2-cln.swf.gz of the Parallel Workloads Archive; 240 processors. The least of R runs
counts; a figure is only as good as the machine is quiet.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run(command):
    """The report of one run, its seconds from start to end, and the most memory it held, in MB (10^6)."""
    before = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    text = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    took = time.monotonic() - before
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"hpc2n: exit {child.returncode}")
    return json.loads(text), took, usage.ru_maxrss * 1024 / 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin")
    log = ROOT.parent / "shared/data/traces/HPC2N-2002-2.2-cln.swf.gz"
    parser.add_argument("--log", type=pathlib.Path, default=log)
    parser.add_argument("--policy", default="EASY")
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    if not options.log.exists():
        sys.exit(f"hpc2n: no {options.log}: give --log")
    command = [options.bin / "aliquot-sim", "run", "--workload", options.log, "--nodes", "240"]
    found = [run([*command, "--policy", options.policy, "--json"]) for _ in range(options.runs)]
    report = min((report for report, _, _ in found), key=lambda report: report["wall_s"])
    print(f"{options.policy}, {report['jobs']} jobs, the best of {options.runs} runs")
    print(f"all of it  {min(took for _, took, _ in found):.3f} s, from start to end of the process")
    print(f"simulation {report['wall_s']:.3f} s, {report['jobs_per_s']:,.0f} jobs/s")
    print(f"reading    {min(report['parse_s'] for report, _, _ in found):.3f} s")
    print(f"memory     {max(memory for _, _, memory in found):.0f} MB at most")


if __name__ == "__main__":
    main()
