#!/usr/bin/env python3
"""The store is gone and there is no backup: the manager refuses to start on an empty one, and a new store
is made from the VMs on the nodes and the spool. Running and saved jobs go on, with their numbers, owners,
output and exit statuses, and with a task that had joined one of them; a job that had ended does not run
again, and no number is given twice."""

import dataclasses
import shutil
import subprocess
import sys

from deployment import BIN, deployment, wait_until
from workload import Work, nothing_left, prove

CHAINS = Work("chains", tasks=2, cpus=0.4, mib=48, lasts=12)
SAVED = Work("saved", cpus=0.4, mib=48, lasts=8)
GROWN = Work("grown", tasks=2, cpus=0.2, mib=32, lasts=6)  # submitted with one task
SCRIPT = "for i in $(seq 30); do sh -c 'echo line '$i; sleep 1; done; exit 3"


def rebuild(live):
    return subprocess.run(
        [BIN / "aliquotd", "--config", live.state / "aliquot.yaml", "--rebuild-from-nodes"],
        capture_output=True,
        text=True,
        timeout=120,
    )


def runs(live, job):
    wait_until(f"job {job} runs", lambda: live.job(job)["state"] == "running", 60)


def identity(live, job):
    shown = live.job(job)
    return {key: shown[key] for key in ["name", "account", "uid", "tasks", "submitted_at"]}


def main():
    with deployment(nodes=2, node_mib=420, policy="GREEDY") as live:
        wait_until("both nodes are up", lambda: live.ask("status")["nodes"]["up"] == 2)
        ended = live.submit("--cpus", 0.2, "--mem", "96MiB", "--", "true")
        ids = {work.name: live.submit(*work.words(), "--account", "lab") for work in [CHAINS, SAVED]}
        script = live.submit("--cpus", 0.3, "--mem", "96MiB", "--name", "script", "--", "sh", "-c", SCRIPT)
        ids["grown"] = live.submit(*dataclasses.replace(GROWN, tasks=1).words())
        wait_until("a job has ended", lambda: live.job(ended)["ended_at"])
        for job in [*ids.values(), script]:
            runs(live, job)
        live.call("evolve", ids["grown"], "--tasks", GROWN.tasks)
        wait_until("a job has grown", lambda: len(live.places(ids["grown"]) or []) == GROWN.tasks, 60)
        live.call("hold", ids["saved"])
        wait_until("a job is saved", lambda: live.job(ids["saved"])["vms"][0]["state"] == "saved", 60)
        before = {job: identity(live, job) for job in [*ids.values(), script]}

        refused = rebuild(live)
        assert refused.returncode == 1 and "in use by another manager" in refused.stderr, refused.stderr
        live.kill()
        refused = rebuild(live)
        assert refused.returncode == 1 and "there is a store already" in refused.stderr, refused.stderr
        shutil.rmtree(live.state / "store")
        done = subprocess.run(
            [BIN / "aliquotd", "--config", live.state / "aliquot.yaml"],
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 1 and "--rebuild-from-nodes" in done.stderr, done.stderr
        said = rebuild(live)
        print(said.stdout, end="")
        assert said.returncode == 0, said.stderr
        assert f"job {ended} " not in said.stdout, "a job that has ended was spoken of"

        live.start()
        assert live.ask("status")["nodes"], live.ask("status")
        for job, was in before.items():
            assert identity(live, job) == was, (identity(live, job), was)
        later = live.submit("--cpus", 0.1, "--mem", "96MiB", "--", "true")
        assert later == ids["grown"] + 1, f"the next job is {later}, after {ids}"
        for job in [*ids.values(), script, later]:
            wait_until(f"job {job} ends", lambda j=job: live.job(j)["ended_at"], 300)
        print(prove(live, ids, [CHAINS, SAVED, GROWN]))
        shown = live.job(script)
        assert (shown["state"], shown["exit_code"]) == ("failed", 3), shown
        lines = live.call("logs", script).out.split("\n")
        assert [line for line in lines if line] == [f"line {i}" for i in range(1, 31)], lines
        live.wait_until_empty(1, 2)
        nothing_left(live)


if __name__ == "__main__":
    sys.exit(main())
