"""Compares the measured run with batch scheduling of the same jobs, simulated."""

import json
import subprocess
import tempfile

NODES, NODE_MIB = 2, 576
OVERHEAD_MIB = 48
POLICIES = ["FCFS", "EASY"]


def as_csv(jobs):
    """The measured jobs: what each asked for, and its virtual time as the time it takes alone."""
    first = min(seconds_of(j["submitted_at"]) for j in jobs)
    rows = ["job,submit,tasks,cpu_need,memory,runtime"]
    for j in jobs:
        memory = (j["memory_bytes"] / 2**20 + OVERHEAD_MIB) / NODE_MIB
        submit = seconds_of(j["submitted_at"]) - first
        rows.append(
            f"{j['job']},{submit:.3f},{j['tasks']},{j['cpus']:.6f},{memory:.6f},{j['virtual_s']:.3f}"
        )
    return "\n".join(rows) + "\n"


def stretch(job):
    """Turnaround over the time alone, without the lower bound of 30 s: these jobs take seconds."""
    return job["turnaround_s"] / job["virtual_s"] if job["virtual_s"] else float("inf")


def seconds_of(iso):
    hours, minutes, seconds = iso.split("T")[1].rstrip("Z").split(":")
    return int(iso[8:10]) * 86400 + int(hours) * 3600 + int(minutes) * 60 + float(seconds)


def simulate(cluster, workload, policy):
    """The rows of the job table of the workload under a policy."""
    with tempfile.NamedTemporaryFile("r", suffix=".csv") as rows:
        done = subprocess.run(
            [
                cluster.binaries / "aliquot-sim",
                "run",
                "--workload",
                workload,
                "--nodes",
                str(NODES),
                "--cores-per-node",
                "1",
                "--policy",
                policy,
                "--jobs-out",
                rows.name,
                "--json",
            ],
            capture_output=True,
            text=True,
            timeout=600,
            check=True,
        )
        json.loads(done.stdout)
        header, *lines = rows.read().split("\n")
    keys = header.split(",")
    return [dict(zip(keys, line.split(","))) for line in lines if line]


def row(name, waits, stretches):
    return (
        f"{name:<34}{max(waits):>10.1f}s{sum(waits) / len(waits):>10.1f}s"
        f"{max(stretches):>12.2f}{sum(stretches) / len(stretches):>10.2f}"
    )


def comparison_table(jobs, cluster):
    lines = [
        "",
        f"{'the same workload':<34}{'max wait':>11}{'mean wait':>11}{'max stretch':>12}{'mean':>10}",
        row("shared, as measured here", [j["wait_s"] for j in jobs], [stretch(j) for j in jobs]),
    ]
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as workload:
        workload.write(as_csv(jobs))
        workload.flush()
        for policy in POLICIES:
            rows = simulate(cluster, workload.name, policy)
            lines.append(
                row(
                    f"{policy} (whole nodes), simulated",
                    [float(r["wait"]) for r in rows],
                    [float(r["stretch"]) for r in rows],
                )
            )
    return "\n".join(lines)
