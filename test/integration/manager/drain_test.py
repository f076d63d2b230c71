#!/usr/bin/env python3
"""A node is drained: its job is moved while it runs, nothing new comes to it, also after the manager was
killed and started again, until it is resumed. What has no room elsewhere waits for it (migrate), is saved
(save), or starts anew (requeue). Nothing of the work is lost."""

import sys

from deployment import deployment, wait_until
from workload import Work, nothing_left, prove

MOVED = Work("moved", mib=96, lasts=20)
LATER = Work("later", mib=64, links=20)
WIDE = Work("wide", mib=400, lasts=45)  # a node has room for one of these
OTHER = Work("other", mib=400, lasts=45)
CONFLICT = 5


def is_drained(live, name):
    return live.node(name)["service"] == "draining" and live.node(name)["drain"]["vms_left"] == 0


def runs_on(live, number):
    job = live.job(number)
    return job["nodes"][0]["node"] if job["state"] == "running" else None


def submit(live, ids, *works):
    for work in works:
        ids[work.name] = live.submit(*work.words())


def wait_to_run(live, number):
    return wait_until(f"job {number} runs", lambda: runs_on(live, number), 240)


def move_and_survive(live, ids):
    submit(live, ids, MOVED)
    drained = wait_to_run(live, ids["moved"])
    foretold = live.ask("node", "drain", drained, "--dry-run")["jobs"]
    assert [job["what"] for job in foretold] == ["move"], foretold
    assert live.node(drained)["service"] == "in_service", "a dry run has changed something"
    live.ask("node", "drain", drained)
    wait_until("it is drained", lambda: is_drained(live, drained), 240)
    other = wait_to_run(live, ids["moved"])
    assert other != drained
    actions = [e["event"].get("action") for e in live.events(ids["moved"])]
    assert "migrate" in actions and "save" not in actions, actions
    assert "drained" in live.call("node", "list").out
    live.kill()
    live.start()
    wait_until("it answers again", lambda: live.node(drained)["state"] == "up", 60)
    assert live.node(drained)["service"] == "draining", "a restart has ended the drain"
    submit(live, ids, LATER)
    assert wait_to_run(live, ids["later"]) == other, "something new came to a node that is drained"
    for work in (MOVED, LATER):
        wait_until(f"{work.name} ends", lambda w=work: live.job(ids[w.name])["ended_at"], 240)
    live.ask("node", "resume", drained)
    again = live.call("node", "resume", drained)
    assert again.code == CONFLICT, (again.code, again.err)


def wait_save_and_requeue(live, ids):
    submit(live, ids, WIDE)
    drained = wait_to_run(live, ids["wide"])
    # It has run for less, so its priority is higher: it is not paused to make way for the other.
    submit(live, ids, OTHER)
    assert wait_to_run(live, ids["other"]) != drained
    job = live.ask("node", "drain", drained, "--mode", "migrate")["jobs"][0]
    assert job["what"] == "wait" and "no place" in job["text"], job
    assert runs_on(live, ids["wide"]) == drained
    live.ask("node", "drain", drained, "--mode", "save")
    wait_until("it is saved", lambda: live.job(ids["wide"])["state"] == "paused", 240)
    wait_until("it is drained", lambda: is_drained(live, drained), 60)
    live.ask("node", "resume", drained)
    assert wait_to_run(live, ids["wide"]) == drained, "it goes on where there is room"
    before = live.job(ids["wide"])["vms"][0]["incarnation"]
    live.ask("node", "drain", drained, "--mode", "requeue")
    wait_until("it starts anew", lambda: live.job(ids["wide"])["reruns"] == 1, 60)
    live.ask("node", "resume", drained)
    wait_to_run(live, ids["wide"])
    assert live.job(ids["wide"])["vms"][0]["incarnation"] > before
    for work in (WIDE, OTHER):
        wait_until(f"{work.name} ends", lambda w=work: live.job(ids[w.name])["ended_at"], 300)


def main():
    with deployment(nodes=2, node_mib=576) as live:
        ids = {}
        move_and_survive(live, ids)
        wait_save_and_requeue(live, ids)
        print("ok:", prove(live, ids, [MOVED, LATER, WIDE, OTHER]))
        live.wait_until_empty(1, 2)
        nothing_left(live)


if __name__ == "__main__":
    sys.exit(main())
