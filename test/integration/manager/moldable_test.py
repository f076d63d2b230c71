#!/usr/bin/env python3
"""A job that offers a range of tasks gets more of them on an empty cluster than on a full one, and is told
why; what it computes is whole in both cases."""

import pathlib
import sys

from deployment import deployment, wait_until
from workload import UNIT

BLOCKS = 3
OFFER = ["--tasks", "1-8", "--cpus", "0.1", "--mem", "16MiB"]
DOCUMENT = pathlib.Path(__file__).parents[3] / "docs/moldable.md"
LONG = ["--tasks", 2, "--cpus", 1, "--mem", "16MiB", "--hash-chain", f"100000:{UNIT}"]


def submit(live):
    answer = live.ask("submit", *OFFER, "--hash-chain", f"{BLOCKS}:{UNIT}")
    shown = live.job(answer["job"])
    assert shown["tasks"] == answer["tasks"], (answer, shown)
    choice = shown["task_choice"]
    assert (choice["least"], choice["most"], choice["speedup"]) == (1, 8, "perfect"), choice
    assert choice["why"].startswith(f"{answer['tasks']} tasks: "), choice
    print(choice["why"], flush=True)
    return answer["job"], answer["tasks"], choice["why"]


def has_ended_well(live, job, tasks):
    wait_until(f"job {job} has ended", lambda: live.job(job)["ended_at"], 300)
    assert live.job(job)["state"] == "completed", live.job(job)
    for task in range(tasks):
        text = live.call("logs", f"{job}.{task}").out
        assert text.count("h=") == BLOCKS and text.endswith("done\n"), f"task {task}: {text}"


def learns_from_a_run(live):
    """A run of 3 tasks teaches its number, which the next job with a range gets from a new manager."""
    problem = ["--application", "chain", "--problem-size", BLOCKS, "--cpus", "0.1", "--mem", "16MiB"]
    taught = live.submit("--tasks", 3, *problem, "--hash-chain", f"{BLOCKS}:{UNIT}")
    has_ended_well(live, taught, 3)
    wait_until("the run is known", lambda: live.ask("knowledge", "list")["entries"], 30)
    live.stop()
    live.start()
    answer = live.ask("submit", "--tasks", "1-8", *problem, "--hash-chain", f"{BLOCKS}:{UNIT}")
    assert answer["tasks"] == 3, answer
    why = answer["task_choice"]["why"]
    assert why == f"3 tasks: the best number so far of chain with problem size {BLOCKS}.", why
    has_ended_well(live, answer["job"], 3)


def main():
    with deployment(nodes=2, node_mib=512, policy="ALIQUOT") as live:
        alone, many, why = submit(live)
        assert f"\n{why}\n" in DOCUMENT.read_text(), f"docs/moldable.md does not say: {why}"
        has_ended_well(live, alone, many)
        full = [live.submit(*LONG) for _ in range(2)]
        for job in full:
            wait_until(f"job {job} runs", lambda job=job: live.job(job)["state"] == "running", 60)
        beside, few, _ = submit(live)
        assert few < many, f"{few} tasks on a full cluster, {many} on an empty one"
        has_ended_well(live, beside, few)
        live.call("cancel", *full)
        live.wait_until_empty(1, 2)
        refused = live.call("submit", "--tasks", "8-1", "--hash-chain", "1:1")
        assert refused.code == 2 and "2-16" in refused.err, refused
        unknown = live.call("submit", *OFFER, "--speedup", "gustafson:2", "--hash-chain", "1:1")
        assert unknown.code == 2 and "amdahl:SERIAL" in unknown.err, unknown
        dry = live.call("submit", "--dry-run", *OFFER, "--hash-chain", "1:1")
        assert f"{many} tasks: " in dry.out, dry
        learns_from_a_run(live)
        print(f"ok: {many} tasks on an empty cluster, {few} on a full one", flush=True)


if __name__ == "__main__":
    sys.exit(main())
