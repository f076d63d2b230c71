#!/usr/bin/env python3
"""Compares simulated runs of two builds byte for byte: a change of structure must change no decision.

    tools/bench/equal_runs.py record --bin FOLDER --against BASELINE   keep workloads and results
    tools/bench/equal_runs.py check  --bin FOLDER --against BASELINE   run them again and compare

Every registered policy runs in five scenarios (loads, penalties, failing actions and nodes, nodes that
differ, devices), about 250 runs. `--only REGEX` restricts the policies. `check` names each run that
differs with its first differing field, and exits with 1. Measured times and the commit are not compared.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
UNSTABLE = re.compile(r"_s$|^decision_us|^decisions_up_to_10$|^jobs_per_s$|^version$|^commit$|^options$")

GENERATED = {
    "light": ["--seed", "1", "--load", "0.4", "--jobs", "250", "--nodes", "64"],
    "medium": ["--seed", "2", "--load", "0.7", "--jobs", "250", "--nodes", "64"],
    "heavy": ["--seed", "3", "--load", "0.9", "--jobs", "300", "--nodes", "32"],
}
CLUSTER = """nodes:
  - {name: thin, count: 16, cores: 4, memory: 8GiB}
  - {name: fat, count: 2, cores: 8, speed: 1.5, memory: 32GiB}
  - {name: gpu, count: 8, cores: 8, memory: 32GiB, devices: [V100*2, T4]}
"""
SCENARIOS = {  # name: workload, options
    "free": ("medium", ["--nodes", "64", "--penalty", "0"]),
    "penalty": ("light", ["--nodes", "64", "--penalty", "300"]),
    "failing": (
        "heavy",
        ["--nodes", "32", "--penalty", "30", "--seed", "7", "--mtbf", "200000", "--jitter", "3"]
        + ["--delay", "create=2,save=5,restore=5,migrate=3", "--fail", "save=0.05,migrate=0.1,cap=0.02"],
    ),
    "unlike": ("unlike", ["--cluster", "cluster.yaml", "--penalty", "10"]),
    "devices": ("devices", ["--cluster", "cluster.yaml", "--penalty", "60"]),
}
MORE = ["HYBRID(IPSCHED,ALIQUOT)", "HYBRID(FGD-FILL,GREEDY-PMTN-MIGR)", "DYNMCB8-PER-300+exact+match"]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("action", choices=("record", "check"))
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin")
    parser.add_argument("--against", type=pathlib.Path, required=True, metavar="BASELINE")
    parser.add_argument("--only", default="", metavar="REGEX")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    return parser.parse_args()


def policies(simulator):
    listed = subprocess.run([simulator, "policies"], capture_output=True, check=True, text=True).stdout
    table = listed.split("\n\n")[0].splitlines()
    names = [line.split()[0] for line in table if not line.startswith(" ")]
    return [re.sub(r"-T(?=\+|$)", "-600", name) for name in names] + MORE


COLUMNS = "gpus,gpu_model,gpu_parts,nodes_min,per_node,contiguous"
PLAIN = ",,,,,"
ASKS = [PLAIN, "1,V100,,1,,", "2,,,1,,", "1,T4,500,1,,", "1,,,2,1,", ",,,3,1,1", PLAIN]


def device_jobs(asks):
    """160 jobs by fixed chance; each asks for devices, slices or nodes side by side as `asks` says."""
    state = 12345

    def draw(below):
        nonlocal state
        state = (state * 1103515245 + 12345) % 2**31
        return (state >> 8) % below

    rows = ["job,submit,tasks,cpu_need,memory,runtime," + COLUMNS]
    submit = 0
    for job in range(1, 161):
        submit += draw(90)
        ask = asks[draw(len(asks))]
        nodes, per_node = ask.split(",")[3:5]
        tasks = int(nodes) if nodes else 1 + draw(6)
        need, memory = (1 + draw(8)) / 8, (1 + draw(6)) / 8
        if nodes and not per_node:
            ask = ask.replace(f",{nodes},,", f",{nodes},{tasks},")
        rows.append(f"{job},{submit},{tasks},{need},{memory},{30 + draw(4000)},{ask}")
    return "\n".join(rows) + "\n"


def prepare(simulator, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name, options in GENERATED.items():
        made = subprocess.run([simulator, "generate", "dfrs", *options], capture_output=True, check=True)
        (folder / f"{name}.csv").write_bytes(made.stdout)
    (folder / "devices.csv").write_text(device_jobs(ASKS))
    (folder / "unlike.csv").write_text(device_jobs([PLAIN]))
    (folder / "cluster.yaml").write_text(CLUSTER)


def without_times(value):
    if isinstance(value, dict):
        return {k: without_times(v) for k, v in value.items() if not UNSTABLE.search(k)}
    return value


def run(simulator, folder, policy, scenario):
    workload, options = SCENARIOS[scenario]
    with tempfile.NamedTemporaryFile(suffix=".csv") as jobs:
        command = [simulator, "run", "--workload", f"{workload}.csv", "--policy", policy, "--json"]
        command += ["--jobs-out", jobs.name, *options]
        done = subprocess.run(command, capture_output=True, cwd=folder, timeout=600)
        table = hashlib.sha256(pathlib.Path(jobs.name).read_bytes()).hexdigest()
    figures = without_times(json.loads(done.stdout)) if done.stdout else {}
    return {"exit": done.returncode, "jobs_table": table, **figures}


def first_difference(old, new):
    for key in {**old, **new}:
        if old.get(key) != new.get(key):
            return f"{key}: {old.get(key)} became {new.get(key)}"
    return None


def run_all(options, names):
    simulator = (options.bin / "aliquot-sim").resolve()
    pairs = [(policy, scenario) for policy in names for scenario in SCENARIOS]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = pool.map(lambda pair: run(simulator, options.against, *pair), pairs)
        for at, (pair, result) in enumerate(zip(pairs, results), 1):
            if sys.stderr.isatty():
                print(f"\r{at} of {len(pairs)} ", end="", file=sys.stderr)
            yield pair, result


def main():
    options = arguments()
    kept = options.against / "results.json"
    if options.action == "record":
        simulator = (options.bin / "aliquot-sim").resolve()
        prepare(simulator, options.against)
        names = [name for name in policies(simulator) if re.search(options.only, name)]
        results = {" ".join(pair): result for pair, result in run_all(options, names)}
        kept.write_text(json.dumps(results, indent=1))
        print(f"{len(results)} runs recorded in {options.against}")
        return
    before = json.loads(kept.read_text())
    known = dict.fromkeys(key.rsplit(" ", 1)[0] for key in before)
    names = [name for name in known if re.search(options.only, name)]
    differ = 0
    for (policy, scenario), result in run_all(options, names):
        difference = first_difference(before[f"{policy} {scenario}"], result)
        if difference:
            differ += 1
            print(f"{policy} ({scenario}): {difference}", flush=True)
    print(f"{len(names) * len(SCENARIOS)} runs, {differ} differ")
    sys.exit(1 if differ else 0)


if __name__ == "__main__":
    main()
