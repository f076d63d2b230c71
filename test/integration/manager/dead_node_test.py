#!/usr/bin/env python3
"""A node dies (all its processes are killed at once), is confirmed down by an operator, and comes back.

At once `list`, `why` and the metrics say that its jobs are out of reach, and no time counts as served;
nothing is started a second time before the operator's word. Then the job with reruns starts from the
beginning elsewhere, the one without fails with the reason, the cancelled one ends. The node comes back
and is used again. At last a node is confirmed down that in truth runs on: its old VMs are destroyed
before it gets anything, and nothing of them is taken for news."""

import os
import signal
import sys

from deployment import deployment, wait_until
from workload import Work, nothing_left, prove

# What is beside FILLER has no room for the others: they are all on the other node.
FILLER = Work("filler", mib=400, lasts=200)
AGAIN = Work("again", mib=96, lasts=15)
DOOMED = Work("doomed", mib=96, lasts=200)
LEAVING = Work("leaving", mib=96, lasts=200)
AFTER = Work("after", mib=400, links=5)
GHOST = Work("ghost", mib=400, lasts=45)
CONFLICT = 5
FENCING = ["fencing:", "  down_after: 3s"]


def counted_as_down(live, name):
    return live.metrics("aliquot_node_state")[f'node="{name}",state="down"']


def start(live, ids, work, *more):
    ids[work.name] = live.submit(*more, *work.words())
    return wait_until(
        f"{work.name} runs",
        lambda: live.job(ids[work.name])["state"] == "running" and live.job(ids[work.name])["nodes"],
        240,
    )[0]["node"]


def serve_no_time(live, ids, dead):
    """The node is silent: said at once, everywhere, and the clock of its jobs stands."""
    wait_until("its job is unreachable", lambda: live.job(ids["again"])["state"] == "unreachable", 60)
    served = live.job(ids["again"])["virtual_s"]
    why = live.ask("why", ids["again"])
    assert why["reason"] == "node_silent" and dead in why["text"], why
    assert f"aliquot node confirm-down {dead}" in why["text"], why["text"]
    wait_until(f"{dead} is down", lambda: live.node(dead)["state"] == "down", 60)
    assert live.node(dead)["silent_s"] >= 3, live.node(dead)
    assert "has not answered" in live.call("node", "list").out
    wait_until(
        "AliquotNodeDown can fire",
        lambda: counted_as_down(live, dead) == 1,
        30,
    )
    assert live.metrics("aliquot_jobs")['state="unreachable"'] == 3
    assert live.job(ids["again"])["virtual_s"] == served, "time was served by a dead node"
    return served


def refuse_and_foretell(live, ids, dead, alive):
    refused = live.call("node", "confirm-down", alive)
    assert refused.code == CONFLICT and "answers" in refused.err, (refused.code, refused.err)
    assert live.call("node", "confirm-down", "node9").code == 3
    assert live.call("cancel", ids["leaving"]).code == 0
    wait_until("it is ending", lambda: live.job(ids["leaving"])["state"] == "ending", 30)
    assert live.ask("why", ids["leaving"])["reason"] == "node_silent"
    fates = {
        job["name"]: job["what"]
        for job in live.ask("node", "confirm-down", dead, "--dry-run")["jobs"]
    }
    assert fates == {"again": "rerun", "doomed": "fail", "leaving": "end"}, fates
    job = live.job(ids["again"])
    assert (job["reruns"], job["vms"][0]["incarnation"]) == (0, 1), "it ran anew before the fence"
    assert live.node(dead)["state"] == "down", "a dry run has changed something"


def die_and_return(live, ids):
    alive = start(live, ids, FILLER)
    dead = start(live, ids, AGAIN, "--requeue", 2)
    assert dead != alive
    for work in (DOOMED, LEAVING):
        assert start(live, ids, work) == dead
    wait_until("it has served some time", lambda: live.job(ids["again"])["virtual_s"] > 1, 120)
    killed = live.localcluster("kill", dead.removeprefix("node"))
    assert killed.returncode == 0, killed.stderr
    serve_no_time(live, ids, dead)
    refuse_and_foretell(live, ids, dead, alive)
    live.ask("node", "confirm-down", dead, "--why", "its power was cut")
    for name, state in (("doomed", "failed"), ("leaving", "cancelled")):
        wait_until(f"{name} is {state}", lambda n=name, s=state: live.job(ids[n])["state"] == s, 60)
    assert f"node {dead} was confirmed down" in live.job(ids["doomed"])["note"]
    assert live.node(dead)["state"] == "fenced"
    assert "its power was cut" in live.node(dead)["why"]
    wait_until("the alert has cleared", lambda: counted_as_down(live, dead) == 0, 30)
    # The other nodes are asked first: another program may have moved its VM before the node died. Then it
    # waits for room, until the policy's next period takes it from the other job, which may be at once.
    assert live.call("cancel", ids["filler"]).code == 0
    wait_until("it runs elsewhere", lambda: live.job(ids["again"])["state"] == "running", 240)
    job = live.job(ids["again"])
    assert job["reruns"] == 1 and job["nodes"][0]["node"] == alive, job
    history = [row["turn"] for row in live.ask("why", ids["again"])["history"]]
    assert "rerun" in history, history
    started = live.localcluster("start", dead.removeprefix("node"))
    assert started.returncode == 0, started.stderr
    wait_until(f"{dead} is up again", lambda: live.node(dead)["state"] == "up", 120)
    assert start(live, ids, AFTER) == dead, "the node is not used again"
    return dead, alive


def confirm_a_lie(live, ids):
    """The node runs on, and so does the old VM, while the job starts anew on the other one."""
    haunted = start(live, ids, GHOST, "--requeue", 1)
    number = int(haunted.removeprefix("node"))
    pid = live.libvirtd(number)
    os.kill(pid, signal.SIGSTOP)
    try:
        wait_until(f"{haunted} is down", lambda: live.node(haunted)["state"] == "down", 120)
        live.ask("node", "confirm-down", haunted)
        wait_until("it runs elsewhere", lambda: live.job(ids["ghost"])["state"] == "running", 240)
        assert live.job(ids["ghost"])["nodes"][0]["node"] != haunted
    finally:
        os.kill(pid, signal.SIGCONT)
    wait_until(f"{haunted} is up again", lambda: live.node(haunted)["state"] == "up", 120)
    assert not live.domains(number), "it is used although its old VM is still there"
    assert "old VMs that were destroyed: 1" in live.log.read_text(errors="replace")


def main():
    with deployment(nodes=2, node_mib=576, more=FENCING) as live:
        ids = {}
        die_and_return(live, ids)
        for work in (AGAIN, AFTER):
            wait_until(f"{work.name} ends", lambda w=work: live.job(ids[w.name])["ended_at"], 300)
        confirm_a_lie(live, ids)
        wait_until("the ghost's job ends", lambda: live.job(ids["ghost"])["ended_at"], 600)
        assert live.job(ids["ghost"])["reruns"] == 1
        print("ok:", prove(live, ids, [AGAIN, AFTER, GHOST]))
        live.wait_until_empty(1, 2)
        nothing_left(live)


if __name__ == "__main__":
    sys.exit(main())
