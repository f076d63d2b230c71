#!/usr/bin/env python3
"""Two nodes that the manager reaches through their agents alone: jobs share them below yield 1, are paused
and moved, while an agent is killed, an agent stands still and the manager is killed. Every job ends once
with the right exit status, and nothing of its work is lost."""

import sys

from agents import Agents
from deployment import deployment, wait_until
from workload import Work, nothing_left, prove

# A node has room for four of these, and a core for one: they share it.
SHARING = [Work(f"share{i}", cpus=1.0, mib=64, lasts=8) for i in range(4)]
WIDE = Work("wide", tasks=2, cpus=0.5, mib=64, lasts=6)
LINUX = Work("linux", cpus=0.5, mib=128, primes=200_000)
MOVED = Work("moved", mib=96, lasts=50)
OTHER = {"node1": "node2", "node2": "node1"}


def vm_on(live, node):
    """The one that is there."""
    (vm,) = live.virsh(int(node[-1]), "list", "--uuid").split()
    return vm


def place(live, number):
    job = live.job(number)
    return job["nodes"][0]["node"] if job["state"] == "running" else None


def wait_to_run(live, number):
    return wait_until(f"job {number} runs", lambda: place(live, number), 240)


def wait_to_end(live, ids, works):
    for work in works:
        wait_until(f"{work.name} ends", lambda w=work: live.job(ids[w.name])["ended_at"], 400)


def state_of(live, name):
    return live.node(name)["state"]


def agents_and_manager_die(live, agents, ids):
    for work in [*SHARING, WIDE, LINUX]:
        ids[work.name] = live.submit(*work.words())
    status = live.submit("--mem", "128MiB", "--cpus", 0.5, "--", "sh", "-c", "exit 3")
    node = wait_to_run(live, ids["share0"])
    wait_until("a job runs below yield 1", lambda: any(
        job["state"] == "running" and 0 < job["yield"] < 1 for job in live.ask("list")["jobs"]), 120)
    agents[node].kill()
    wait_until("its node is suspect", lambda: state_of(live, node) == "suspect", 60)
    said = live.call("node", "list").out
    assert "agent" in said, f"it does not say that the agent is silent: {said}"
    agents[node].start()
    wait_until("its node is up again", lambda: state_of(live, node) == "up", 60)
    live.kill()
    live.start()
    wait_until("both nodes are up again", live.nodes_are_up, 60)
    agents["node2"].pause()
    wait_until("node2 is suspect", lambda: state_of(live, "node2") == "suspect", 60)
    agents["node2"].go_on()
    wait_until("node2 is up again", lambda: state_of(live, "node2") == "up", 60)
    wait_to_end(live, ids, [*SHARING, WIDE, LINUX])
    wait_until("it has failed", lambda: live.job(status)["ended_at"], 240)
    assert live.job(status)["exit_code"] == 3, live.job(status)


def a_job_is_moved_there_and_back(live, ids):
    """To node2, which has an address for that, while it runs; to node1 by the spool."""
    ids["moved"] = live.submit(*MOVED.words())
    wait_to_run(live, ids["moved"])
    for _ in range(2):
        drained = place(live, ids["moved"])
        other = OTHER[drained]
        live.ask("node", "drain", drained)
        wait_until("it is on the other node", lambda node=other: place(live, ids["moved"]) == node, 240)
        last = live.virsh(int(other[-1]), "domjobinfo", "--completed", vm_on(live, other))
        assert ("Incoming migration" in last) == (other == "node2"), f"it came to {other} so: {last}"
        live.ask("node", "resume", drained)
    actions = [e["event"].get("action") for e in live.events(ids["moved"])]
    assert actions.count("migrate") == 2 and "save" not in actions, actions
    wait_to_end(live, ids, [MOVED])


def main():
    agents = Agents(moves_to=["node2"])
    try:
        with deployment(nodes=2, node_mib=576, reach=agents.reach) as live:
            for node in ["node1", "node2"]:  # so that no job waits for it later
                facts = live.ask("node", "probe", node)
                assert facts["cores"] >= 1, facts
            ids = {}
            agents_and_manager_die(live, agents, ids)
            a_job_is_moved_there_and_back(live, ids)
            print("ok:", prove(live, ids, [*SHARING, WIDE, LINUX, MOVED]))
            live.wait_until_empty(1, 2)
            nothing_left(live)
    finally:
        agents.stop()


if __name__ == "__main__":
    sys.exit(main())
