#!/usr/bin/env python3
"""What operators do with plans and nodes: a saved plan is carried out in mode advise, and refused once it
is stale; a drain empties its node within its deadline by moves, or says what stays and why; what a node
that goes down would do, says `plan --what-if`, and that is what happens when it does."""

import json
import sys
import time

from deployment import deployment, wait_until
from workload import Work, prove

MOVED = Work("moved", mib=96, lasts=900)  # is cancelled in the end
# A node has room for one of these, and MOVED beside it.
STAYS = Work("stays", mib=340, lasts=12)
FILLER = Work("filler", mib=340, lasts=300)
CONFLICT = 5
FENCING = ["fencing:", "  down_after: 3s"]


def runs_on(live, number):
    job = live.job(number)
    return job["nodes"][0]["node"] if job["state"] == "running" else None


def wait_to_run(live, number):
    return wait_until(f"job {number} runs", lambda: runs_on(live, number), 240)


def report_of(live, node, progress):
    """The event that says how a drain went."""
    found = [
        line
        for line in live.events()
        if line["event"].get("event") == "drain_reported" and line["event"].get("progress") == progress
    ]
    return found[-1] if found and f"node {node} is" in found[-1]["event"]["words"] else None


def confirm_a_plan(live, ids):
    """In mode advise the policy says what it would do, and an operator has it done."""
    live.ask("mode", "set", "advise")
    ids["moved"] = live.submit("--requeue", 1, *MOVED.words())
    plan = live.state / "plan.json"
    saved = live.call("plan", "--save", plan)
    assert saved.code == 0 and "aliquot plan --apply" in saved.out, (saved.code, saved.err)
    meant = json.loads(plan.read_text())["starts"]
    assert [start["job"] for start in meant] == [ids["moved"]], meant
    assert live.job(ids["moved"])["state"] == "pending", "to save a plan has carried it out"
    live.ask("hold", ids["moved"])
    stale = live.call("plan", "--apply", plan)
    assert stale.code == CONFLICT, (stale.code, stale.err)
    assert f"job {ids['moved']} was" in stale.err and "waiting, held" in stale.err, stale.err
    live.ask("release", ids["moved"])
    would = live.ask("plan", "--apply", plan, "--dry-run")
    assert would["carried_out"] is False and [s["job"] for s in would["starts"]] == [ids["moved"]]
    done = live.ask("plan", "--apply", plan)
    assert done["carried_out"] is True, done
    assert wait_to_run(live, ids["moved"]) == meant[0]["to"][0]["node"]
    again = live.call("plan", "--apply", plan)
    assert again.code == CONFLICT and "stale" in again.err, (again.code, again.err)
    live.ask("mode", "reset")


def drain_in_time(live, ids):
    node = wait_to_run(live, ids["moved"])
    foretold = live.ask("plan", "--what-if", f"drain={node}")
    assert [row["what"] for row in foretold["drained"]] == ["move"], foretold["drained"]
    assert live.node(node)["service"] == "in_service", "a question has changed something"
    began = time.monotonic()
    live.ask("node", "drain", node, "--deadline", "200s")
    wait_until("it is drained", lambda: live.node(node)["drain"]["progress"] == "emptied", 200)
    took = time.monotonic() - began
    assert live.node(node)["drain"]["vms_left"] == 0
    said = report_of(live, node, "emptied")
    assert said and "is empty after" in said["event"]["words"], said
    actions = [e["event"].get("action") for e in live.events(ids["moved"])]
    assert "migrate" in actions and "save" not in actions, actions
    moved_to = [move["to"][0]["node"] for move in foretold["moves"]]
    assert moved_to == [wait_to_run(live, ids["moved"])] != [node], (moved_to, node)
    live.ask("node", "resume", node)
    return took


def say_what_stays(live, ids):
    """The other node has no room, until a job there ends."""
    for work in (FILLER, STAYS):
        ids[work.name] = live.submit(*work.words())
        wait_to_run(live, ids[work.name])
    node = runs_on(live, ids["stays"])
    assert node != runs_on(live, ids["filler"])
    live.ask("node", "drain", node, "--deadline", "5s", "--then", "stay")
    said = wait_until("its deadline passes", lambda: report_of(live, node, "overdue"), 60)["event"]
    reason = f"job {ids['stays']} (wait): the policy has no place for it elsewhere now"
    assert reason in said["left"] and reason in said["words"], said
    shown = live.ask("node", "show", node)["drain"]
    assert shown["progress"] == "overdue" and shown["then"] == "stay", shown
    left = {row["job"]: row for row in shown["jobs"]}
    assert left[ids["stays"]]["what"] == "wait" and "no place" in left[ids["stays"]]["text"], shown
    assert "no place for it elsewhere" in live.call("node", "show", node).out
    assert runs_on(live, ids["stays"]) == node, "it was to stay"
    live.ask("cancel", ids["filler"])
    wait_until("then the node is emptied", lambda: report_of(live, node, "emptied"), 240)
    live.ask("node", "resume", node)
    wait_until("its job ends", lambda: live.job(ids["stays"])["ended_at"], 240)
    return said["words"]


def foretell_a_death(live, ids):
    node = wait_to_run(live, ids["moved"])
    foretold = live.ask("plan", "--what-if", f"node-down={node}")
    assert live.node(node)["state"] == "up", "a question has changed something"
    lost = [(row["job"], row["what"]) for row in foretold["lost"]]
    assert lost == [(ids["moved"], "rerun")], foretold["lost"]
    again = [(row["job"], row["to"]) for row in foretold["starts"]]
    killed = live.localcluster("kill", node.removeprefix("node"))
    assert killed.returncode == 0, killed.stderr
    wait_until(f"{node} is down", lambda: live.node(node)["state"] == "down", 60)
    done = live.ask("node", "confirm-down", node)["jobs"]
    assert [(row["job"], row["what"]) for row in done] == lost, (done, lost)
    wait_until("it starts anew", lambda: live.job(ids["moved"])["reruns"] == 1, 60)
    wait_to_run(live, ids["moved"])
    went = [(ids["moved"], live.job(ids["moved"])["nodes"])]
    assert went == again, (went, again)


def main():
    with deployment(nodes=2, node_mib=576, more=FENCING) as live:
        ids = {}
        confirm_a_plan(live, ids)
        took = drain_in_time(live, ids)
        stays = say_what_stays(live, ids)
        foretell_a_death(live, ids)
        live.ask("cancel", ids["moved"])
        print(f"ok: a node was empty after {took:.0f} s; {stays}; {prove(live, ids, [STAYS])}")


if __name__ == "__main__":
    sys.exit(main())
