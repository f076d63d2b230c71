#!/usr/bin/env python3
"""Maintenance by the clock: a window moves the job off its node before it starts, outlives the manager,
keeps the node empty and puts it back at its end; a drain that was announced begins at its time. Moves
keep to hypervisor.migration_bandwidth. The message of the day is shown once to a user, also after a
restart. A job that can be neither saved nor moved starts before a window only if its limit says that it
ends in time; else it goes to another node, or waits with the reason until the window is over."""

import json
import sys
import time

from deployment import deployment, wait_until
from workload import Work, prove

MOVED = Work("moved", mib=96, lasts=90)  # beyond both moves, also if the machine was busy when it was timed
LIMIT = ["  migration_bandwidth: 8Mbit"]  # slow enough to be seen
LIMIT_MIB = 1  # the same as libvirt counts it, rounded up
CONFLICT = 5
WITH_DEVICES = "HYBRID(IPSCHED,DYNMCB8-ASAP-PER-4+match)"


def runs_on(live, number):
    job = live.job(number)
    return job["nodes"][0]["node"] if job["state"] == "running" else None


def events_named(live, name):
    return [e["event"] for e in live.events() if e["event"].get("event") == name]


def message_of_the_day(live):
    """What a user sees of it, on standard error."""
    live.environment["XDG_STATE_HOME"] = str(live.state)
    live.ask("motd", "set", "node1 rests tonight")
    assert "message of the day: node1 rests tonight" in live.call("list").err
    assert "message of the day" not in live.call("list").err, "once a day is enough"


def window(live, number):
    """The job is moved before the window starts; the manager is killed in the middle of it."""
    node = wait_until("the job runs", lambda: runs_on(live, number), 240)
    words = ["--nodes", node, "--from", "now+20s", "--to", "now+10s", "--lead", "18s"]
    planned = live.ask("maintenance", "add", "ram", *words)
    assert planned["stage"] == "planned" and planned["vms_left"] == 1, planned
    again = live.call("maintenance", "add", "disks", *words)
    assert again.code == CONFLICT and f"window ram has node {node}" in again.err, again.err
    wait_until("its node is drained", lambda: live.node(node)["drain"], 30)
    assert live.node(node)["drain"]["window"] == "ram", live.node(node)["drain"]
    wait_until("it is empty", lambda: live.node(node)["drain"]["vms_left"] == 0, 60)
    listed = live.ask("maintenance", "list")["windows"][0]
    assert listed["vms_left"] == 0, listed
    early = listed["stage"]
    other = wait_until("the job goes on", lambda: runs_on(live, number), 60)
    assert other != node
    actions = [e["event"].get("action") for e in live.events(number)]
    assert "migrate" in actions and "save" not in actions, actions
    live.kill()
    live.start()
    wait_until("the node answers again", lambda: live.node(node)["state"] == "up", 60)
    assert "message of the day" not in live.call("list").err, "a restart is no other message"
    wait_until("the window is over", lambda: live.node(node)["service"] == "in_service", 60)
    assert live.ask("maintenance", "list")["windows"] == []
    stages = [e["stage"] for e in events_named(live, "window_changed")]
    assert stages == ["planned", "begun", "over"], stages
    return early, other


def bandwidth_of_move(live, node):
    """In bytes a second, as QEMU has it on the node that the VM leaves; None: no VM stands there."""
    for vm in live.domains(node):
        query = '{"execute": "query-migrate-parameters"}'
        said = live.localcluster("virsh", node, "qemu-monitor-command", vm, query, timeout=30)
        if said.returncode == 0:
            return json.loads(said.stdout)["return"]["max-bandwidth"]
    return None


def announced_drain(live, number, node):
    """Begins at its time, and its move keeps to the limit."""
    live.ask("node", "drain", node, "--at", "now+3s")
    shown = live.node(node)
    assert shown["service"] == "in_service" and shown["announced"]["mode"] == "migrate", shown
    seen = set()
    while live.node(node)["service"] != "draining" or live.node(node)["drain"]["vms_left"] > 0:
        seen.add(bandwidth_of_move(live, node.removeprefix("node")))
    assert live.node(node)["announced"] is None
    assert LIMIT_MIB << 20 in seen, seen
    assert wait_until("the job goes on", lambda: runs_on(live, number), 60) != node
    live.ask("node", "resume", node)


def with_device(live, work, *limit):
    """Nothing can save or move it."""
    return live.submit("--gpus", 1, *limit, *work.words())


def said_of(live, number, reason):
    said = live.ask("why", number)
    return said if said["reason"] == reason else None


def one_takes(live):
    """Seconds from submission to end, once both nodes have had their first VM."""
    took = 0.0
    for names in (["first", "second"], ["third"]):
        began = time.monotonic()
        numbers = [with_device(live, Work(name, mib=64, lasts=1)) for name in names]
        for number in numbers:
            wait_until("it has ended", lambda number=number: live.job(number)["ended_at"], 300)
        took = time.monotonic() - began
    return took


def what_cannot_leave(live):
    """A device on each of two nodes, and a window of the first of them ahead: so far that two jobs and a
    restart come before it."""
    ahead = round(30 + 8 * one_takes(live))
    words = ["--nodes", "node1", "--from", f"now+{ahead}s", "--to", "now+5s", "--lead", "2s"]
    live.ask("maintenance", "add", "ram", *words)
    starts = live.ask("maintenance", "list")["windows"][0]["from"]
    works = [Work("short", mib=64, lasts=3), Work("waits", mib=64, lasts=3)]
    endless = with_device(live, Work("endless", mib=64, lasts=600))
    wait_until("it starts on the other node", lambda: runs_on(live, endless) == "node2", ahead)
    ids = {"waits": with_device(live, works[1])}
    said = wait_until("it waits", lambda: said_of(live, ids["waits"], "maintenance"), ahead)
    for part in ("node1", "maintenance window ram", f"to be empty from {starts}"):
        assert part in said["text"], said
    ids["short"] = with_device(live, works[0], "--wall-limit", f"{ahead // 2}s")
    wait_until("it runs before the window", lambda: runs_on(live, ids["short"]) == "node1", ahead)
    live.kill()
    live.start()
    wait_until("it has ended", lambda: live.job(ids["short"])["ended_at"], ahead)
    assert said_of(live, ids["waits"], "maintenance"), live.ask("why", ids["waits"])
    assert live.ask("maintenance", "list")["windows"], "it waits for the window, and not for its turn"
    wait_until("it starts after the window", lambda: runs_on(live, ids["waits"]) == "node1", ahead + 240)
    assert live.ask("maintenance", "list")["windows"] == []
    live.ask("cancel", endless)
    wait_until("both have ended", lambda: live.job(ids["waits"])["ended_at"], 240)
    return f"the window was {ahead} s ahead; {prove(live, ids, works)}"


def main():
    with deployment(nodes=2, node_mib=576, hypervisor=LIMIT) as live:
        message_of_the_day(live)
        ids = {"moved": live.submit(*MOVED.words())}
        began = time.monotonic()
        early, other = window(live, ids["moved"])
        announced_drain(live, ids["moved"], other)
        took = time.monotonic() - began
        wait_until("the job ends", lambda: live.job(ids["moved"])["ended_at"], 360)
        text = f"empty while {early}, moved with at most {LIMIT_MIB} MiB/s, all in {took:.0f} s"
        print(f"ok: {text}; {prove(live, ids, [MOVED])}")
    with deployment(nodes=2, node_mib=512, policy=WITH_DEVICES, devices="[T4]") as live:
        print(f"ok: kept off a node, and started there after its window; {what_cannot_leave(live)}")


if __name__ == "__main__":
    sys.exit(main())
