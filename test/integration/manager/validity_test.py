#!/usr/bin/env python3
"""`aliquot-sim evaluate validity` with a few jobs: it brings up real nodes, leaves nothing behind, and the
simulated turnarounds are the measured ones within the bounds, where the processors were to be had."""

import csv
import pathlib
import re
import subprocess
import sys
import tempfile

from deployment import BIN, check_machine, skip

JOBS = 5
MISSED = 0.42  # of the periods in which a guest got less than its cap: the machine is too busy
CANNOT = "skipped: "


def left_behind():
    return sorted(pathlib.Path("/var/tmp").glob("aliquot-validity-*"))


def evaluate(folder):
    return subprocess.run(
        [BIN / "aliquot-sim", "evaluate", "validity", "--out", folder, "--jobs", str(JOBS)],
        capture_output=True,
        text=True,
        timeout=850,
    )


def check(folder, said):
    rows = list(csv.DictReader((folder / "jobs.csv").open()))
    assert len(rows) == JOBS, f"{len(rows)} jobs compared, not {JOBS}"
    for file in ["report.html", "costs.csv", "workload.csv", "cluster.yaml", "journal.jsonl"]:
        assert (folder / file).stat().st_size > 0, f"{file} is empty"
    replayed = subprocess.run(
        [BIN / "aliquot-replay", folder / "journal.jsonl"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert replayed.returncode == 0, f"the journal is not replayed: {replayed.stdout}"
    missed = re.search(r"in the run: .* caps missed in ([\d.]+) % of periods", said)
    assert missed, "the live run does not say whether the CPU was to be had"
    return float(missed.group(1)) / 100


def main():
    check_machine()
    before = left_behind()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name) / "out"
        done = evaluate(folder)
        print(done.stdout + done.stderr, flush=True)
        if why := re.search(CANNOT + "(.*)", done.stderr):
            skip(why.group(1))
        assert left_behind() == before, "a state directory was left behind"
        assert (folder / "work.csv").exists(), "there is no live run"
        missed = check(folder, done.stdout)
        if done.returncode != 0 and missed > MISSED:
            skip(
                f"this machine is too busy: caps were missed in {100 * missed:.0f} % of the periods"
            )
        assert done.returncode == 0, "the simulated turnarounds are not the measured ones"
        again = evaluate(folder)
        assert again.returncode == 0 and "starting" not in again.stderr, "the run was made again"
    print("ok")


if __name__ == "__main__":
    sys.exit(main())
