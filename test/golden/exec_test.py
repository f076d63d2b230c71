#!/usr/bin/env python3
"""exec: policies. The Python FCFS of tools/sim/examples equals FCFS, job by job, on the committed workload
and, where they are at hand, on the reference traces; and whatever a program does wrong ends the run with
exit status 2 and one reason."""

import csv
import pathlib
import subprocess
import sys
import tempfile

VIEWLESS = (
    "python3 -c 'import sys; [sys.stdout.write(LINE) or sys.stdout.flush() for _ in sys.stdin]'"
)
WRONG = [
    ("true", "it ended with exit status 0"),
    ("exit 3", "it ended with exit status 3"),
    ("no-such-program-here", "it ended with exit status 127"),
    ("kill -9 $$", "it was ended by signal 9"),
    (VIEWLESS.replace("LINE", '"nonsense\\n"'), "it answered: nonsense"),
    (VIEWLESS.replace("LINE", '"[]\\n"'), "the plan"),
    (VIEWLESS.replace("LINE", '"{\\"changez\\": []}\\n"'), "changez"),
    (VIEWLESS.replace("LINE", '"{}\\n{}\\n"'), "before it was asked"),
    ("   ", "needs a command"),
]


def run(simulator, workload, policy, *more):
    command = [
        simulator,
        "run",
        "--workload",
        workload,
        "--nodes",
        "128",
        "--policy",
        policy,
        *more,
    ]
    return subprocess.run(command, capture_output=True, text=True, timeout=250)


def starts(path):
    with open(path, newline="") as file:
        return {row["job"]: (row["start"], row["end"]) for row in csv.DictReader(file)}


def equal_to_fcfs(simulator, workload, example, folder):
    found = []
    for policy in ("FCFS", f"exec:python3 {example}"):
        out = folder / "jobs.csv"
        done = run(simulator, workload, policy, "--jobs-out", out)
        if done.returncode != 0:
            print(f"{policy} on {workload.name}: exit {done.returncode}\n{done.stderr}")
            return False
        found.append(starts(out))
    print(
        f"{workload.name}: {len(found[0])} jobs, {'equal' if found[0] == found[1] else 'different'}"
    )
    return bool(found[0]) and found[0] == found[1]


def complains(simulator, workload, command, reason):
    done = run(simulator, workload, "exec:" + command)
    right = done.returncode == 2 and reason in done.stderr and not done.stdout
    if not right:
        print(f"exec:{command}: exit {done.returncode}, not 2 with {reason!r}:\n{done.stderr}")
    return right


def main(simulator, source, data):
    source, data = pathlib.Path(source), pathlib.Path(data)
    example = source / "tools/sim/examples/fcfs.py"
    small = source / "tools/sim/examples/small.csv"
    lines = len(example.read_text().splitlines())
    print(f"{example.name}: {lines} lines")
    references = sorted(data.glob("lublin/lublin99_default_seed*.swf"))
    if not references:
        print(
            "the reference traces are not here (they are no part of the product): only the small workload"
        )
    with tempfile.TemporaryDirectory() as folder:
        results = [
            equal_to_fcfs(simulator, path, example, pathlib.Path(folder))
            for path in [small, *references]
        ]
    results += [complains(simulator, small, command, reason) for command, reason in WRONG]
    sys.exit(not all(results) or lines > 60)


main(*sys.argv[1:])
