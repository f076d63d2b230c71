#!/usr/bin/env python3
"""What an event costs as a workload grows: FCFS and EASY over 10^4 to 10^6 jobs of the Lublin model.

    tools/bench/growth.py [--bin FOLDER] [--policies FCFS,EASY] [--sizes 10000,...] [--load L] [--runs R]
                          [--nodes N] [--penalty S]

Prints processor seconds of whole simulations, microseconds a job (a job is two events: it comes, and it
ends), and the ratio to the smallest size beside the ratio of the logarithms. Exit 1 where the cost grows
faster than the logarithm, by more than --slack. The least of R runs counts.
"""

import argparse
import math
import pathlib
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin")
    parser.add_argument("--policies", default="FCFS,EASY")
    parser.add_argument("--sizes", default="10000,31623,100000,316228,1000000")
    parser.add_argument("--load", default="0.7", help="offered; above 1 the queue itself grows")
    parser.add_argument("--nodes", default="128")
    parser.add_argument("--penalty", default="0")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--slack", type=float, default=1.15, help="of noise, as a factor")
    return parser.parse_args()


def workload(options, size, folder):
    path = pathlib.Path(folder) / f"{size}.csv"
    words = ["generate", "dfrs", "--seed", "1", "--jobs", size, "--nodes", options.nodes]
    with open(path, "wb") as out:
        command = [options.bin / "aliquot-sim", *words, "--load", options.load]
        subprocess.run(command, stdout=out, check=True)
    return path


def seconds(options, policy, path):
    command = [options.bin / "aliquot-sim", "run", "--workload", path, "--nodes", options.nodes]
    command += ["--policy", policy, "--penalty", options.penalty]
    return min(processor_seconds(command) for _ in range(options.runs))


def processor_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(options, policy, files):
    print(f"{policy}\n{'jobs':>9} {'seconds':>9} {'us/job':>8} {'ratio':>7} {'log ratio':>10}")
    first, fair = None, True
    for size, path in files.items():
        spent = seconds(options, policy, path)
        cost = spent / size * 1e6
        first = first or (size, cost)
        ratio, logarithms = cost / first[1], math.log(size) / math.log(first[0])
        fair = fair and ratio <= logarithms * options.slack
        print(f"{size:>9} {spent:>9.4f} {cost:>8.3f} {ratio:>7.2f} {logarithms:>10.2f}", flush=True)
    return fair


def main():
    options = arguments()
    sizes = [int(size) for size in options.sizes.split(",")]
    with tempfile.TemporaryDirectory() as folder:
        files = {size: workload(options, str(size), folder) for size in sizes}
        fair = [measure(options, policy, files) for policy in options.policies.split(",")]
    if not all(fair):
        sys.exit("growth: faster than the logarithm of the jobs")


if __name__ == "__main__":
    main()
