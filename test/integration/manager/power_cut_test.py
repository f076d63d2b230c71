#!/usr/bin/env python3
"""Twelve jobs on three nodes; the power of one node is cut, an operator confirms it, and the node comes
back with what was on its disks. Every job ends exactly once with the right exit status: with checkpoints
it has lost at most their interval, with reruns it ran from the start, without either it fails with that
reason. Nothing is left behind, and Prometheus has seen AliquotNodeDown fire and clear."""

import contextlib
import json
import re
import shutil
import socket
import subprocess
import sys
import urllib.request

from deployment import ROOT, deployment, wait_until
from workload import Work, chain_faults, nothing_left, once_faults, status_file

INTERVAL_S = 4
NODES = ("node1", "node2", "node3")
CHECKPOINTED = [Work(f"safe{i}", cpus=0.5, mib=64, lasts=8) for i in range(3)]
CHECKPOINTED.append(Work("safe-wide", tasks=2, cpus=0.5, mib=64, lasts=6))
RERUN = [Work(f"again{i}", cpus=0.5, mib=64, lasts=8) for i in range(3)]
RERUN.append(Work("again-wide", tasks=2, cpus=0.5, mib=64, lasts=6))
PLAIN = [Work(f"plain{i}", cpus=0.5, mib=64, lasts=8) for i in range(3)]
FAULTY = "i=0; while [ $i -lt 400 ]; do i=$((i + 1)); sleep 0.05; done; exit 3"


class Prometheus:
    """A real one, with the rules that are shipped; none where it is not installed."""

    def __init__(self, live):
        self.process = self.port = None
        if not shutil.which("prometheus"):
            print("prometheus is not installed: the alert is not seen", flush=True)
            return
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        (live.state / "prometheus.yml").write_text(
            "global: {scrape_interval: 1s, evaluation_interval: 1s}\n"
            f"rule_files: ['{ROOT}/monitor/prometheus/aliquot.rules.yml']\n"
            "scrape_configs:\n"
            "  - job_name: aliquot\n"
            f"    static_configs: [{{targets: ['127.0.0.1:{live.http_port()}']}}]\n"
        )
        self.process = subprocess.Popen(
            [
                "prometheus",
                f"--config.file={live.state}/prometheus.yml",
                f"--storage.tsdb.path={live.state}/tsdb",
                f"--web.listen-address=127.0.0.1:{self.port}",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def fires(self, node):
        url = f"http://127.0.0.1:{self.port}/api/v1/alerts"
        with contextlib.suppress(OSError):
            alerts = json.load(urllib.request.urlopen(url, timeout=10))["data"]["alerts"]
            return any(
                alert["labels"]["alertname"] == "AliquotNodeDown"
                and alert["labels"]["node"] == node
                and alert["state"] == "firing"
                for alert in alerts
            )
        return False

    def wait(self, node, fires):
        if self.process:
            what = "fires" if fires else "has cleared"
            wait_until(f"AliquotNodeDown {what}", lambda: self.fires(node) == fires, 60)

    def stop(self):
        if self.process:
            self.process.terminate()
            self.process.wait(20)


def places(row):
    return {place["node"] for place in row["nodes"]}


def submit_all(live):
    """Twelve jobs, all of which run; those with checkpoints have one."""
    ids = {}
    for safe, again, plain in zip(CHECKPOINTED, RERUN, [*PLAIN, None]):
        ids[safe.name] = live.submit("--checkpoint", f"{INTERVAL_S}s", *safe.words())
        ids[again.name] = live.submit("--requeue", 2, *again.words())
        if plain:
            ids[plain.name] = live.submit(*plain.words())
    small = ["--mem", "96MiB", "--cpus", "0.5", "--name", "faulty"]
    ids["faulty"] = live.submit("--requeue", 2, *small, "--", "sh", "-c", FAULTY)
    assert len(ids) == 12, ids

    def rows():
        rows = {name: live.job(number) for name, number in ids.items()}
        early = [name for name, row in rows.items() if row["ended_at"]]
        assert not early, f"ended before the power was cut, too little work in it: {early}"
        return rows

    def ready():
        now = rows()
        runs = all(row["state"] == "running" for row in now.values())
        return runs and all(now[work.name]["checkpoint"]["kept"] for work in CHECKPOINTED) and now

    wait_until("all run, and those with checkpoints have one", ready, 300)
    return ids, rows


def most_varied(rows):
    """The node whose loss concerns jobs of most kinds."""

    def kinds(name):
        here = [job for job, row in rows.items() if name in places(row)]
        return len({re.match(r"[a-z]+", job).group() for job in here}), len(here)

    return max(NODES, key=kinds)


def cut_and_confirm(live, prometheus, rows):
    """The node that died, what each job of it lost, and the rows of the jobs before."""
    dead = most_varied(rows())
    before = rows()
    killed = live.localcluster("kill", dead.removeprefix("node"))
    assert killed.returncode == 0, killed.stderr
    wait_until(f"{dead} is down", lambda: live.node(dead)["state"] == "down", 60)
    prometheus.wait(dead, True)
    dry = live.ask("node", "confirm-down", dead, "--dry-run")
    foretold = {job["name"]: job["what"] for job in dry["jobs"]}
    live.ask("node", "confirm-down", dead, "--why", "its power was cut")
    prometheus.wait(dead, False)
    started = live.localcluster("start", dead.removeprefix("node"))
    assert started.returncode == 0, started.stderr
    wait_until(f"{dead} is up again", lambda: live.node(dead)["state"] == "up", 120)
    return dead, foretold, before


def expected_fate(name):
    return {"safe": "restore", "again": "rerun", "faulty": "rerun", "plain": "fail"}[
        re.match(r"[a-z]+", name).group()
    ]


def check_rollback(live, name, row, before):
    turns = [entry["turn"] for entry in live.ask("why", row["job"])["history"]]
    assert "rollback" in turns, (name, turns)
    for vm in before["vms"]:  # a VM that is created anew has a status channel of its own
        newest = status_file(live, row["job"], vm["task"]).name.split(".")[1]
        incarnation = int(newest) if newest.isdigit() else 1
        assert incarnation == vm["incarnation"], f"{name} began anew instead of going on: {newest}"
    risk = before["checkpoint"]["at_risk_s"]
    bound = before["checkpoint"]["interval_s"] + before["checkpoint"]["took_s"] + 1
    assert risk <= bound, (name, before["checkpoint"])
    return f"{name} lost at most {risk:.1f} of {before['virtual_s']:.1f} s"


def check(live, ids, dead, foretold, before):
    """Each job ended as its kind does."""
    said = []
    for work in [*CHECKPOINTED, *RERUN, *PLAIN]:
        row = live.job(ids[work.name])
        fate = foretold.get(work.name)
        ends = ("failed", None) if fate == "fail" else ("completed", 0)
        assert row["state"] == ends[0], (work.name, fate, row["state"], row["note"])
        if fate == "fail":
            assert f"node {dead} was confirmed down" in row["note"], row["note"]
            continue
        assert row["exit_code"] == 0, row
        assert row["reruns"] == (1 if fate == "rerun" else 0), (work.name, fate, row["reruns"])
        if fate == "restore":
            said.append(check_rollback(live, work.name, row, before[work.name]))
        links, faults = chain_faults(live, ids[work.name], work)
        faults += once_faults(live, ids[work.name], work)
        assert not faults, faults
        assert links == work.chain() * work.tasks, (work.name, links)
    faulty = live.job(ids["faulty"])
    assert (faulty["state"], faulty["exit_code"]) == ("failed", 3), (faulty["state"], faulty["note"])
    return said


def main():
    more = ["fencing:", "  down_after: 3s"]
    with deployment(nodes=3, node_mib=720, more=more) as live, contextlib.ExitStack() as stack:
        prometheus = Prometheus(live)
        stack.callback(prometheus.stop)
        ids, rows = submit_all(live)
        dead, foretold, before = cut_and_confirm(live, prometheus, rows)
        print(f"{dead} died: {foretold}", flush=True)
        assert foretold, "no job was on the node that died"
        wrong = {name: fate for name, fate in foretold.items() if fate not in ("wait", expected_fate(name))}
        assert not wrong, wrong
        for name, number in ids.items():
            wait_until(f"{name} ends", lambda n=number: live.job(n)["ended_at"], 400)
        for line in check(live, ids, dead, foretold, before):
            print(line)
        live.wait_until_empty(1, 2, 3)
        nothing_left(live)
        print(f"ok: 12 jobs ended once each, {len(foretold)} of them over the death of {dead}")


if __name__ == "__main__":
    sys.exit(main())
