#!/usr/bin/env python3
"""Networks of jobs on real nodes: tasks reach each other by name, over a TCP connection that survives a
live migration of one task, a save and restore of all, and a kill of the manager. A job reaches neither the
tasks of another, nor the nodes, nor the manager's machine, whatever addresses its guests give themselves.
When the jobs have ended, no device, table or file of a network is left on any node."""

import shlex
import sys

from deployment import ROOT, deployment, wait_until

NODES = 3
SMALL = ["--mem", "96MiB", "--cpus", "0.25"]
COUNT = 300
# Numbers go from task 0 to task 1 and back on one connection, in order, or the job fails.
ECHO = f"""
if [ $ALIQUOT_TASK = 1 ]; then exec nc -l -p 7000 -e cat; fi
if [ $ALIQUOT_TASK = 2 ]; then exec sleep 10000; fi
until ping -c 1 -W 1 task1 >/dev/null 2>&1; do sleep 1; done
sleep 3
i=0; while [ $i -lt {COUNT} ]; do i=$((i + 1)); echo $i; sleep 0.3; done |
  nc task1 7000 | awk '{{ print; fflush() }} $1 != NR {{ bad = 1 }} NR == {COUNT} {{ exit bad }}'
"""
# What an intruder tries: the other job has the addresses 10.211.0.1 to 3, on a network of its own.
INTRUDER = """
if [ $ALIQUOT_TASK = 1 ]; then exec sleep 1000; fi
try() { ping -c 2 -W 1 $1 >/dev/null && echo reached $1 $2; }
until ping -c 1 -W 1 task1 >/dev/null 2>&1; do sleep 1; done; echo reached task1
try 10.211.0.3
ip address flush dev eth0; ip address add 10.211.0.3/16 dev eth0
try task1 with a stolen address
ip address flush dev eth0; ip address add 10.77.0.200/24 dev eth0
for node in 10.77.0.1 10.77.0.11 10.77.0.12 10.77.0.13; do
  try $node
  nc -w 2 $node 16509 </dev/null 2>/dev/null && echo connected to $node
done
echo done trying
"""


def on_every_node(live, *command, nodes=NODES):
    return [live.localcluster("exec", i, *command, timeout=30).stdout for i in range(1, nodes + 1)]


def left_behind(live, nodes=NODES):
    """Devices, tables and files of networks, by node."""
    look = (
        "ip -o link show | cut -d: -f2 | grep aq; nft list tables | grep aq; "
        "ls /run/libvirt/aliquot-networks | grep -v lock"
    )
    return [found for found in on_every_node(live, "sh", "-c", look, nodes=nodes) if found.strip()]


def dropped(live):
    """Frames that the rules of all nodes have dropped."""
    total = 0
    for said in on_every_node(live, "nft", "list", "ruleset"):
        words = said.split()
        total += sum(int(words[i + 1]) for i, word in enumerate(words) if word == "packets")
    return total


def lines(live, job, task=0):
    return live.call("logs", f"{job}.{task}").out.split("\n")[:-1]


def progress(live, job, what):
    """Waits until more numbers have come back than now."""
    before = len(lines(live, job))
    wait_until(f"numbers come back {what}", lambda: len(lines(live, job)) > before + 2, 120)


def refused(live, words, *options):
    said = live.call("submit", *SMALL, *options, "--", "true")
    assert said.code != 0 and words in said.err, f"{options}: {said.code} {said.err}"


def migrate_one(live, job):
    from_node = wait_until("all its tasks run", lambda: live.places(job), 60)[0]
    live.call("node", "drain", from_node, "--mode", "migrate")
    wait_until("task 0 has moved", lambda: (at := live.places(job)) and from_node not in at, 180)
    live.call("node", "resume", from_node)
    progress(live, job, "after a live migration")


def save_all(live, job):
    live.call("hold", job)
    wait_until("all are saved", lambda: {v["state"] for v in live.job(job)["vms"]} == {"saved"}, 180)
    live.call("release", job)
    wait_until("all run again", lambda: live.places(job), 180)
    progress(live, job, "after a save and a restore")


def example(live):
    """The command that docs/network.md shows."""
    block = (ROOT / "docs/network.md").read_text().split("```")[1]
    words = shlex.split(block)
    assert words[:2] == ["aliquot", "submit"], words
    job = live.submit(*words[2:])
    wait_until("the example ends", lambda: live.job(job)["ended_at"], 120)
    assert "3 packets received" in "".join(lines(live, job, 1)), lines(live, job, 1)


def intrude(live):
    program = ["--tasks", 2, "--network", "job", "--", "sh", "-c", INTRUDER]
    return live.submit(*SMALL, *program), dropped(live)


def has_reached_nothing(live, intruder, dropped_before):
    wait_until("the intruder has tried all", lambda: "done trying" in lines(live, intruder), 300)
    said = lines(live, intruder)
    assert said == ["reached task1", "done trying"], said
    count = dropped(live) - dropped_before
    assert count > 0, "the rules have dropped nothing: nothing was tried"
    live.call("cancel", intruder)
    print("ok: another job reaches neither this one nor a node;", count, "frames dropped", flush=True)


def main():
    settings = ["network:", "  jobs: on-request"]
    with deployment(nodes=NODES, node_mib=400, policy="ALIQUOT", more=settings) as live:
        refused(live, "this site has no network for jobs (network.site", "--network", "site")
        refused(live, "libvirt only", "--network", "job", "--hypervisor", "xen")
        example(live)
        job = live.submit(*SMALL, "--tasks", 3, "--network", "job", "--", "sh", "-c", ECHO)
        assert live.job(job)["network"]["first"] == "10.211.0.1", live.job(job)
        wait_until("the first numbers come back", lambda: len(lines(live, job)) > 2, 120)
        print("ok: tasks talk by name, on", live.places(job), flush=True)
        intruder, before = intrude(live)
        migrate_one(live, job)
        print("ok: task 0 was migrated, and the connection stands:", live.places(job), flush=True)
        has_reached_nothing(live, intruder, before)
        save_all(live, job)
        print("ok: all tasks were saved and restored, and the connection stands", flush=True)
        live.kill()
        live.start()
        progress(live, job, "after the manager was killed")
        wait_until("the job ends", lambda: live.job(job)["ended_at"] or len(lines(live, job)) >= COUNT, 600)
        assert lines(live, job) == [str(i + 1) for i in range(COUNT)], lines(live, job)[-5:]
        live.call("cancel", job)
        wait_until("nothing is left behind", lambda: not left_behind(live), 60)
        print(f"ok: {COUNT} numbers came back in order; nothing is left on the nodes")


if __name__ == "__main__":
    sys.exit(main())
