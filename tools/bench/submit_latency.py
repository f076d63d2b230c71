#!/usr/bin/env python3
"""From `aliquot submit` to the guest's first line, and the manager's part of it, on a manager that runs.

    tools/up --keep
    ALIQUOT_SERVER=/var/lib/aliquot/up/run/api.sock tools/bench/submit_latency.py [RUNS]

Prints the median over RUNS (default 5) jobs of each kind of guest, one at a time. The user's times are
taken here, the manager's out of its event log; a figure is only as good as the machine is quiet.
"""

import json
import pathlib
import statistics
import subprocess
import sys
import time

BIN = pathlib.Path(__file__).resolve().parents[2] / "build/release/bin"
HASH_CHAIN = ["--mem", "32MiB", "--hash-chain", "3:1000000"]
GUESTS = {
    "hash chain, 32 MiB": HASH_CHAIN,
    "Linux, 128 MiB": ["--mem", "128MiB", "--", "echo", "here"],
}
PATIENCE_S = 120


def call(*words):
    done = subprocess.run([BIN / "aliquot", *words], capture_output=True, text=True, timeout=60)
    if done.returncode not in (0, 1):
        sys.exit(f"submit_latency: aliquot {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout


def first_line(job, began):
    """Seconds from `began` until the console of the first task has something."""
    while not call("logs", f"{job}.0").strip():
        if time.monotonic() - began > PATIENCE_S:
            sys.exit(f"submit_latency: job {job} printed nothing within {PATIENCE_S} s")
        time.sleep(0.01)
    return time.monotonic() - began


def took(events, action):
    """Seconds the hypervisor took for the action, and when its outcome came (on the manager's clock)."""
    op = next(e["event"]["op"] for e in events if e["event"].get("action") == action)
    done = next(e for e in events if e["event"].get("event") == "outcome" and e["event"]["op"] == op)
    return done["event"]["took"] / 1e6, done["at_s"]


def one_run(words):
    began = time.monotonic()
    job = call("submit", "--parsable", "--cpus", "1", *words).strip()
    acknowledged = time.monotonic() - began
    line = first_line(job, began)
    while json.loads(call("show", job, "-o", "json"))["ended_at"] is None:
        time.sleep(0.1)
    events = json.loads(call("events", job, "--after", "0", "-o", "json"))["events"]
    submitted = next(e["at_s"] for e in events if e["event"].get("event") == "submitted")
    created, _ = took(events, "create")
    released, running_at = took(events, "release")
    manager = running_at - submitted - created - released
    return {
        "acknowledged": acknowledged,
        "VM created": created,
        "VM released": released,
        "manager's own": manager,
        "first line": line,
    }


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    print(f"median of {runs} runs, milliseconds; from `submit` on:")
    for name, words in GUESTS.items():
        rows = [one_run(words) for _ in range(runs)]
        figures = {key: 1000 * statistics.median(row[key] for row in rows) for key in rows[0]}
        print(f"  {name:<20}" + "".join(f"  {key} {value:.1f}" for key, value in figures.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
