#!/usr/bin/env python3
"""Nodes are added, renamed and removed while jobs run, by command and by the configuration: a node is known
by its host, whatever it is called; no memory is promised twice; a job runs to its end on a node that has
been removed, also over a kill of the manager; and no node is ever connected that has not been named."""

import os
import re
import signal
import sys

from deployment import deployment, wait_until
from workload import Work, nothing_left, prove

ENDLESS = ["--", "sleep", 100000]
FINITE = ["--", "sh", "-c", "sleep 45; echo whole"]
MORE_THAN_HALF = ["--cpus", 0.5, "--mem", "300MiB"]  # of a node


def rows(live):
    return {node["node"]: node for node in live.ask("node", "list")["nodes"]}


def becomes(live, name, state, seconds=90):
    wait_until(f"{name} is {state}", lambda: rows(live).get(name, {}).get("state") == state, seconds)


def no_overcommitment(live):
    nodes = rows(live).values()
    for node in nodes:
        assert node["memory_used_bytes"] <= node["memory_bytes"], node
    return sorted(node["node"] for node in nodes)


def still_runs_on(live, number, node):
    """The job stands there with the VM that it was given first."""

    def stands():
        job = live.job(number)
        return job["state"] == "running" and [place["node"] for place in job["nodes"]] == [node]

    wait_until(f"job {number} runs on {node}", stands, 60)
    assert live.job(number)["vms"][0]["incarnation"] == 1, live.job(number)


def renamed(block, old, new, other_uri=False):
    block = block.replace(f"name: {old}", f"name: {new}")
    return block.replace("/run/libvirt-sock", "/run/../run/libvirt-sock") if other_uri else block


def say(live, *words):
    done = live.call("node", *words)
    assert done.code == 0, f"node {words}: {done.code} {done.err}"
    return done.out


def refused(live, part, *words):
    done = live.call("node", *words)
    assert done.code not in (0, 6) and part in done.err, f"node {words}: {done.code} {done.err}"


def added(live):
    """A node that no configuration names, over a restart too."""
    uri = re.search(r"uri: \"(.*?)\"", live.blocks[3]).group(1)
    there = re.search(r"migrate_uri: \"(.*?)\"", live.blocks[3]).group(1)
    memory = re.search(r"memory: (\S+)", live.blocks[3]).group(1)
    new = ["add", "node3", "--uri", uri, "--migrate-uri", there, "--cores", 1, "--memory", memory]
    say(live, *new, "--dry-run")
    assert sorted(rows(live)) == ["node1", "node2"], "a dry run added a node"
    say(live, *new)
    becomes(live, "node3", "up")
    assert rows(live)["node3"]["source"] == "added by uid 0", rows(live)["node3"]
    refused(live, "already", *new)
    live.kill()
    live.start()
    becomes(live, "node3", "up")
    numbers = [live.submit(*MORE_THAN_HALF, *ENDLESS) for _ in range(3)]
    for number in numbers:
        wait_until(f"job {number} runs", lambda n=number: live.job(n)["state"] == "running")
    places = {live.job(number)["nodes"][0]["node"]: number for number in numbers}
    assert sorted(places) == ["node1", "node2", "node3"], places
    return places


def named_anew(live, jobs):
    """By command, by the configuration, and by the configuration with another way to reach it."""
    say(live, "rename", "node3", "gpu")
    still_runs_on(live, jobs["node3"], "gpu")
    assert no_overcommitment(live) == ["gpu", "node1", "node2"]
    live.configure([renamed(live.blocks[1], "node1", "first"), live.blocks[2]])
    live.reload()
    still_runs_on(live, jobs["node1"], "first")
    assert no_overcommitment(live) == ["first", "gpu", "node2"]
    live.configure([renamed(live.blocks[1], "node1", "one", other_uri=True), live.blocks[2]])
    live.reload()
    still_runs_on(live, jobs["node1"], "one")
    assert no_overcommitment(live) == ["gpu", "node2", "one"]
    live.kill()
    live.start()
    for job, node in [("node1", "one"), ("node2", "node2"), ("node3", "gpu")]:
        still_runs_on(live, jobs[job], node)
    assert no_overcommitment(live) == ["gpu", "node2", "one"]


def twice(live):
    """A second name for the same machine is not used, and says why."""
    uri = re.search(r"uri: \"(.*?)\"", live.blocks[2]).group(1)
    other_uri = uri.replace("/run/libvirt-sock", "/run/./libvirt-sock")
    say(live, "add", "second", "--uri", other_uri, "--cores", 1, "--memory", "2GiB")
    wait_until("it says why", lambda: "is node node2 already" in str(live.events()), 60)
    assert rows(live)["second"]["state"] == "suspect", rows(live)["second"]
    say(live, "remove", "second")
    wait_until("it is gone", lambda: "second" not in rows(live), 30)


def removed(live, jobs):
    """node2 by command and by the configuration, over a kill: its job runs to its end, and nothing new
    comes."""
    live.call("cancel", jobs["node2"])
    wait_until("node2 is empty", lambda: rows(live)["node2"]["jobs"] == 0, 60)
    job = live.submit(*MORE_THAN_HALF, *FINITE)
    wait_until("it runs", lambda: live.job(job)["state"] == "running")
    assert live.job(job)["nodes"][0]["node"] == "node2", live.job(job)
    assert f": {job}" in say(live, "remove", "node2", "--dry-run")
    say(live, "remove", "node2")
    wait_until("it is removed", lambda: rows(live)["node2"]["source"] == "removed", 30)
    work = Work("small", cpus=0.25, mib=64, links=20)
    small = live.submit(*work.words())
    wait_until("small has a place", lambda: live.job(small)["nodes"], 60)
    assert live.job(small)["nodes"][0]["node"] != "node2"
    live.configure([renamed(live.blocks[1], "node1", "one", other_uri=True)])
    live.kill()
    live.start()
    done = wait_until("its job ends", lambda: (j := live.job(job))["ended_at"] and j, 300)
    assert (done["state"], done["exit_code"]) == ("completed", 0), done
    assert live.call("logs", job).out == "whole\n"
    wait_until("node2 is forgotten", lambda: "node2" not in rows(live), 30)
    wait_until("small ends", lambda: live.job(small)["ended_at"], 300)
    print(prove(live, {"small": small}, [work]))


def another_host(live, jobs):
    """Another machine under a known name: suspect, until it is accepted."""
    for number in (jobs["node1"], jobs["node3"]):  # the policy may have moved either to gpu
        live.call("cancel", number)
    wait_until("gpu is empty", lambda: not live.domains(3), 60)
    conf = live.cluster / "n3/libvirtd.conf"
    conf.write_text(conf.read_text().replace("77aa", "77bb"))
    pid = live.libvirtd(3)
    os.kill(pid, signal.SIGKILL)
    wait_until("it says why", lambda: "accept-host gpu" in str(live.events()), 60)
    assert rows(live)["gpu"]["state"] != "up", rows(live)["gpu"]
    say(live, "accept-host", "gpu")
    becomes(live, "gpu", "up")


def main():
    with deployment(nodes=3, configured=2, node_mib=576) as live:
        for name in ("node1", "node2"):
            becomes(live, name, "up")
        jobs = added(live)
        print("added", flush=True)
        named_anew(live, jobs)
        print("renamed", flush=True)
        twice(live)
        print("one machine, one node", flush=True)
        removed(live, jobs)
        print("removed", flush=True)
        another_host(live, jobs)
        print("another host", flush=True)
        wait_until("every job has ended", lambda: not live.ask("list")["jobs"], 120)
        nothing_left(live)


if __name__ == "__main__":
    sys.exit(main())
