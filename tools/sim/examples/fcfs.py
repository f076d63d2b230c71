#!/usr/bin/env python3
"""FCFS as a policy in another language: aliquot-sim run --policy 'exec:python3 fcfs.py' ...

Each line of standard input is the cluster as it stands (docs/view.md); for each one line of standard output
says what is to change. Jobs get whole idle nodes, strictly in the order of their submission.
"""

import json
import sys


def suits(node, demand):
    return demand["need"] <= node["capacity"] and demand["memory"] <= node["memory"]


def decide(view):
    jobs = view.get("jobs", [])
    up = [node for node in view["nodes"] if node["state"] == "up"]
    busy = {share["node"] for job in jobs for share in job.get("placement", [])}
    waiting = [job for job in jobs if not job.get("placement") and not job.get("held")]
    changes = []
    for job in sorted(waiting, key=lambda job: (job["submitted"], job["id"])):
        demand = job["demand"]
        able = [node["id"] for node in up if suits(node, demand)]
        if len(able) < demand["tasks"]:
            continue  # it can never run here, so it delays no other job
        idle = [node for node in able if node not in busy][: demand["tasks"]]
        if len(idle) < demand["tasks"]:
            break  # no job overtakes another
        busy.update(idle)
        placement = [{"node": node, "units": 1} for node in idle]
        changes.append({"job": job["id"], "placement": placement, "yield": 1_000_000})
    return {"changes": sorted(changes, key=lambda change: change["job"])}


for line in sys.stdin:
    print(json.dumps(decide(json.loads(line))), flush=True)
