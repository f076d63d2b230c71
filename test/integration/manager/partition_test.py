#!/usr/bin/env python3
"""Two managers in network namespaces of their own, an etcd of three members and two nodes with agents. The
network fails between the leader and etcd, in both directions and in each of them, between the standby and
etcd, and between the leader and the nodes; what the leader sends to etcd comes too late, after its lease;
the leader dies while it moves a VM; etcd is defragmented, and the member that leads it is killed.
Nodes carry out nothing of an epoch that is over, every acknowledged submission is one job that completes
whole, and what was acknowledged is there after each takeover.

The test runs in a network namespace of its own, which it enters by starting anew under unshare."""

import argparse
import contextlib
import os
import re
import shutil
import subprocess
import sys
import time

from agents import Agents
from deployment import deployment, skip, wait_until
from etcd_members import etcd_cluster
from late_packets import SlowWay
from managers import EXIT_LOST_LEADERSHIP, Managers, ha_lines, nodes_obey_the_newest, prove, standing_in
from random_kills_test import Submitter
from workload import Work, nothing_left

ETCD, AGENTS = "10.79.0.1", "10.79.0.2"  # addresses of this namespace, which the managers reach by a cable
INSIDE = "ALIQUOT_TEST_IN_OWN_NETWORK"
PROBE = "ip link set lo up && ip link add probe type veth peer name other && nft add table inet probe"


def run(*words, text=None):
    done = subprocess.run(words, input=text, capture_output=True, text=True, timeout=20, check=False)
    assert done.returncode == 0, f"{' '.join(words)}: {done.stderr.strip()}"


def enter_own_network():
    """Returns in a process that has a network of its own."""
    if os.environ.get(INSIDE):
        return
    for program in ["unshare", "nsenter", "ip", "nft"]:
        if not shutil.which(program):
            skip(f"{program} is not installed")
    probe = ["unshare", "--net", "sh", "-c", PROBE]
    probed = subprocess.run(probe, capture_output=True, text=True, timeout=20, check=False)
    if probed.returncode != 0:
        skip(f"no network namespace with packet filters can be had here: {probed.stderr.strip()}")
    os.environ[INSIDE] = "1"
    os.execvp("unshare", ["unshare", "--net", sys.executable, "-B", *sys.argv])


class Networks:
    """The namespace of each manager, with a cable to that of etcd and the agents."""

    def __init__(self):
        run("ip", "link", "set", "lo", "up")
        for address in [ETCD, AGENTS]:
            run("ip", "address", "add", f"{address}/32", "dev", "lo")
        self.holders, self.inside = {}, {}
        for number, name in enumerate("ab", 1):
            self.plug(name, f"10.79.{number}")

    def plug(self, name, subnet):
        holder = self.holders[name] = subprocess.Popen(["unshare", "--net", "sleep", "infinity"])
        mine = os.readlink("/proc/self/ns/net")
        there = f"/proc/{holder.pid}/ns/net"
        wait_until("there is a namespace", lambda: os.readlink(there) != mine, 20, every=0.01)
        self.inside[name] = ["nsenter", f"--net={there}"]
        peer = ["peer", "name", "cable", "netns", str(holder.pid)]
        run("ip", "link", "add", f"to_{name}", "type", "veth", *peer)
        run("ip", "address", "add", f"{subnet}.1/24", "dev", f"to_{name}")
        run("ip", "link", "set", f"to_{name}", "up")
        for words in [
            ["link", "set", "lo", "up"],
            ["address", "add", f"{subnet}.2/24", "dev", "cable"],
            ["link", "set", "cable", "up"],
            ["route", "add", "default", "via", f"{subnet}.1"],
        ]:
            run(*self.inside[name], "ip", *words)

    @contextlib.contextmanager
    def cut(self, name, address, ways=("to", "from")):
        """Packets of the manager to the address are lost, or those from it."""
        rules = {
            "to": f"chain to {{ type filter hook output priority 0; ip daddr {address} drop; }}",
            "from": f"chain from {{ type filter hook input priority 0; ip saddr {address} drop; }}",
        }
        chains = "\n".join(rules[way] for way in ways)
        run(*self.inside[name], "nft", "-f", "-", text=f"table inet cut {{\n{chains}\n}}\n")
        try:
            yield
        finally:
            run(*self.inside[name], "nft", "delete", "table", "inet", "cut")

    def address(self, name):
        return f"10.79.{'ab'.index(name) + 1}.2"

    def end(self):
        for holder in self.holders.values():
            holder.kill()
            holder.wait()


class Site:
    def __init__(self, live, managers, networks, agents, way):
        self.live, self.managers, self.networks, self.agents = live, managers, networks, agents
        self.way, self.said = way, 0

    def roles(self):
        """The leader and the standby, when both follow."""
        leader = wait_until("a manager leads", self.managers.leader, 60)
        standby = "ab".replace(leader, "")
        self.managers.wait_for_standby(standby)
        self.hear_what_was_said()
        return leader, standby

    def say(self):
        """Something that is there ever after, if it is acknowledged."""
        answer = self.live.call("motd", "set", f"message {self.said + 1}")
        assert answer.code == 0, answer.err
        self.said += 1

    def hear_what_was_said(self):
        if self.said:
            heard = self.live.call("motd", "show").out
            assert f"message {self.said}" in heard, f"acknowledged: message {self.said}, there: {heard}"
        self.say()

    def epoch(self):
        return self.live.ask("status")["epoch"]

    def standing(self):
        return standing_in(self.epoch(), self.live, self.agents)

    def node_of(self, number):
        """If the job runs."""
        job = self.live.job(number)
        return job["nodes"][0]["node"] if job["state"] == "running" else None

    def standby_is_level(self, name):
        rows = self.live.ask("ha", "status")["managers"]
        return any(row["name"] == name and row["batches_behind"] == 0 for row in rows)


def leader_from_etcd(site, ways):
    """It ends before the other one leads, and is a standby when it has started again."""
    leader, standby = site.roles()
    began = time.monotonic()
    with site.networks.cut(leader, ETCD, ways):
        code = site.managers.running[leader].wait(120)
        assert code == EXIT_LOST_LEADERSHIP, f"{leader} was cut off from etcd and ended with {code}"
        took = site.managers.served_by(standby, began)
        before = site.standing()
        site.managers.start(leader)  # as systemd does it; it has to wait
        site.hear_what_was_said()
    site.managers.wait_for_standby(leader)
    seen = nodes_obey_the_newest(site.managers, site.agents, before)
    lost = " and ".join(ways)
    return f"{leader} without packets {lost} etcd: {standby} answered after {took:.2f} s; {seen}"


def leader_late_at_etcd(site):
    """What it sends is held back for longer than its lease, and then reaches etcd, where another leads."""
    leader, standby = site.roles()
    began = time.monotonic()
    with site.way.hold(site.networks.address(leader)):
        code = site.managers.running[leader].wait(120)
        assert code == EXIT_LOST_LEADERSHIP, f"{leader} was too late and ended with {code}"
        took = site.managers.served_by(standby, began)
        before = site.standing()
        site.managers.start(leader)
        site.hear_what_was_said()
    late = site.way.all_answered()
    took_effect = [one.said for one in late if one.took_effect()]
    assert not took_effect, f"etcd carried out what came too late: {took_effect}"
    site.managers.wait_for_standby(leader)
    seen = nodes_obey_the_newest(site.managers, site.agents, before)
    return (
        f"{leader} late at etcd: {standby} answered after {took:.2f} s; {len(late)} writes of {leader} "
        f"came after {time.monotonic() - began:.0f} s, none took effect; {seen}"
    )


def standby_from_etcd(site):
    """The leader goes on; the standby follows again."""
    leader, standby = site.roles()
    epoch, told = site.epoch(), len(site.managers.log(standby))

    def standby_says(word):
        site.managers.alive(standby)
        return word in site.managers.log(standby)[told:]

    with site.networks.cut(standby, ETCD):
        wait_until("the standby says that it cannot follow", lambda: standby_says("cannot_follow"), 60)
        site.say()
    wait_until("the standby follows again", lambda: standby_says("follows_again"), 60)
    wait_until("it has all", lambda: site.standby_is_level(standby), 60)
    assert (site.managers.leader(), site.epoch()) == (leader, epoch), "there was a takeover"
    return f"standby {standby} without etcd: {leader} led on in epoch {epoch}, {standby} follows again"


def leader_from_nodes(site):
    """It leads on, and says that it does not see them; an operator has the other one lead, which does."""
    leader, standby = site.roles()
    epoch = site.epoch()
    with site.networks.cut(leader, AGENTS):
        wait_until(
            "no node is up",
            lambda: all(node["state"] != "up" for node in site.live.ask("node", "list")["nodes"]),
            120,
        )
        site.say()
        assert (site.managers.leader(), site.epoch()) == (leader, epoch), "there was a takeover"
        site.live.ask("ha", "step-down")
        site.managers.served_by(standby, time.monotonic())
        wait_until("every node is up", site.live.nodes_are_up, 120)
        code = site.managers.running[leader].wait(60)
        assert code == EXIT_LOST_LEADERSHIP, f"{leader} stepped down, and ended with {code}"
        before = site.standing()
    # What it has sent meanwhile arrives now, though it has ended.
    site.managers.start(leader)
    site.managers.wait_for_standby(leader)
    seen = nodes_obey_the_newest(site.managers, site.agents, before)
    return f"{leader} without the nodes led on and stepped down, {standby} sees the nodes; {seen}"


def leader_dies_in_a_move(site, submitter):
    """The other one completes the move of a VM that is nothing but its image."""
    leader, standby = site.roles()
    with submitter.turn:  # no job comes, so that the other node has space
        wait_until("few jobs are left", lambda: len(site.live.ask("list")["jobs"]) <= 1, 240)
        moved = Work(f"moved{len(submitter.works)}", mib=96, lasts=25)
        number = submitter.ids[moved.name] = site.live.submit(*moved.words())
        submitter.works[moved.name] = moved
        node = wait_until("it runs", lambda: site.node_of(number), 120)
        moves = f"action=migrate op=\\d+ job={number} "
        site.live.ask("node", "drain", node)
        wait_until("it is moved", lambda: re.search(moves, site.managers.log(leader)), 60, every=0.02)
        site.managers.running[leader].kill()
        took = site.managers.served_by(standby, time.monotonic())
        before = site.standing()
        site.live.ask("node", "resume", node)
    site.managers.start(leader)
    site.managers.wait_for_standby(leader)
    seen = nodes_obey_the_newest(site.managers, site.agents, before)
    return f"{leader} killed while it moved a VM off {node}: {standby} answered after {took:.2f} s; {seen}"


def etcd_is_defragmented(site, etcd):
    """By the leader, one member at a time; meanwhile what it does becomes durable as ever."""
    leader, _ = site.roles()
    epoch, told, slowest = site.epoch(), len(site.managers.log(leader)), 0
    etcd.leave_free(150)
    before = etcd.sizes()
    assert min(before) > 150 << 20, before

    def defragmented():
        site.managers.alive(leader)
        return site.managers.log(leader)[told:].count(" etcd_defragmented ")

    deadline = time.monotonic() + 300
    while defragmented() < 3:
        assert time.monotonic() < deadline, site.managers.log(leader)[told:]
        began = time.monotonic()
        site.say()
        slowest = max(slowest, time.monotonic() - began)
    after = etcd.sizes()
    assert max(after) < 75 << 20, f"sizes {after}, before {before}"
    assert (site.managers.leader(), site.epoch()) == (leader, epoch), "there was a takeover"
    sizes = " ".join(f"{was >> 20}->{now >> 20}" for was, now in zip(before, after, strict=True))
    return f"etcd defragmented, MiB {sizes}; {site.said} changes, the slowest durable after {slowest:.2f} s"


def etcd_without_its_leader(site, etcd):
    """Decisions pause until etcd has chosen another; the manager that leads leads on."""
    leader, _ = site.roles()
    epoch = site.epoch()
    members = site.live.ask("ha", "status")["etcd"]
    killed = next(i for i, member in enumerate(members) if member["leads"])
    etcd.kill(killed)
    began = time.monotonic()
    site.say()
    took = time.monotonic() - began
    now = (site.managers.leader(), site.epoch())
    assert now == (leader, epoch), f"there was a takeover: the change was durable after {took:.2f} s"
    etcd.start(killed)

    def all_serve():
        members = site.live.ask("ha", "status")["etcd"]
        return [member["fault"] for member in members] == [None] * 3

    wait_until("all members of etcd serve", all_serve, 60)
    return f"etcd's leader m{killed} killed: the next change was durable after {took:.2f} s"


def play(site, etcd, submitter):
    scenes = [
        lambda: etcd_is_defragmented(site, etcd),
        lambda: leader_from_etcd(site, ("to", "from")),
        lambda: leader_from_etcd(site, ("from",)),
        lambda: leader_from_etcd(site, ("to",)),
        lambda: leader_late_at_etcd(site),
        lambda: standby_from_etcd(site),
        lambda: leader_from_nodes(site),
        lambda: leader_dies_in_a_move(site, submitter),
        *[lambda: etcd_without_its_leader(site, etcd)] * 3,
    ]
    for scene in scenes:
        print(f"  {scene()}", flush=True)
        assert not submitter.fault, f"the submissions failed: {submitter.fault!r}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ttl", type=int, default=10, help="of the lease, in seconds")
    options = parser.parse_args()
    enter_own_network()
    with contextlib.ExitStack() as running:
        networks = Networks()
        running.callback(networks.end)
        etcd = running.enter_context(etcd_cluster(address=ETCD))
        agents = Agents(address=AGENTS)
        running.callback(agents.stop)
        way = SlowWay(etcd.urls, ETCD)
        more = {"more": ha_lines(way, options.ttl), "reach": agents.reach, "inside": networks.inside["a"]}
        live = running.enter_context(deployment(nodes=2, node_mib=576, **more))
        managers = Managers(live, etcd, networks.inside)
        running.callback(managers.end)
        managers.start("b")
        submitter = Submitter(live, options.seed)
        submitter.start()
        play(Site(live, managers, networks, agents, way), etcd, submitter)
        prove(live, submitter)
        live.wait_until_empty(1, 2)
        nothing_left(live)
    print(f"ok: {len(submitter.works)} jobs submitted, each there once and whole")


if __name__ == "__main__":
    sys.exit(main())
