#!/usr/bin/env python3
"""Two managers on an etcd of three members; while jobs are submitted the leading one is killed (SIGKILL) at
random instants, once stopped (SIGSTOP) for longer than its lease, once asked to end and once to step down,
and once etcd loses its quorum; the wall clock of the leader jumps, and keys of remote clients come and go;
the site is moved away from etcd and back.
A manager leads within a few seconds, every acknowledged submission is one job that completes whole, no task
runs twice, nodes carry out nothing of an epoch that is over, a revoked key stays revoked, and no manager
takes its audit log for a broken one.

  takeover_test.py --kills 20 --ttl 3 --at-most 4

takes some minutes and lists how long each takeover took. By default the lease is so long that a machine
that is busy with other tests does not lose it. Where no options can be given, ALIQUOT_TEST_TAKEOVERS and
ALIQUOT_TEST_LEASE_S stand for --kills and --ttl."""

import argparse
import contextlib
import os
import random
import signal
import sys
import time

from agents import Agents
from deployment import deployment, wait_until
from etcd_members import etcd_cluster
from libvirt_doors import Doors, in_words
from managers import (
    EXIT_LOST_LEADERSHIP,
    PREFIX,
    PRELOAD,
    Managers,
    ha_lines,
    nodes_obey_the_newest,
    prove,
    standing_in,
)
from random_kills_test import Submitter
from workload import nothing_left

CONFLICT = 5


def kill_leader(managers, chance):
    leader = managers.leader()
    other = "ab".replace(leader, "")
    managers.wait_for_standby(other)
    time.sleep(chance.uniform(0, 2))  # the instant is random: nothing is waited for
    began = time.monotonic()
    managers.running[leader].kill()
    managers.running[leader].wait()
    took = managers.served_by(other, began)
    managers.start(leader)
    return f"{leader} killed, {other} answered as the leader after {took:.2f} s", took


class Deposed:
    """A manager that led until another one was seen to lead."""

    def __init__(self, name, doors):
        self.name, self.doors = name, doors
        self.told = doors.told(name) if doors else None

    def told_nothing_more(self):
        """Counted at the nodes; to be asked before it starts anew."""
        if not self.doors:
            return ""
        late = self.doors.told(self.name) - self.told
        assert not late, f"{self.name} did not lead any more, and told the nodes: {in_words(late)}"
        return f"; the nodes were told {in_words(self.told)} by {self.name}, and nothing after that"


def end_leader(managers, doors):
    """As for an upgrade: it gives the leadership up, and the other need not wait for the end of a lease."""
    leader = managers.leader()
    other = "ab".replace(leader, "")
    managers.wait_for_standby(other)
    began = time.monotonic()
    managers.running[leader].terminate()
    took = managers.served_by(other, began)
    deposed = Deposed(leader, doors)
    code = managers.running[leader].wait(20)
    assert code == 0, f"{leader} was asked to end, and ended with {code}: {managers.log(leader)[-2000:]}"
    seen = deposed.told_nothing_more()
    managers.start(leader)
    return f"{leader} asked to end, {other} answered as the leader after {took:.2f} s{seen}"


def managers_say(managers, leader):
    """Of themselves, the leader and the standby alike."""
    standby = "ab".replace(leader, "")

    def both_are_known():
        answers = [
            managers.live.ask("--server", managers.sockets[name], "ha", "status") for name in "ab"
        ]
        roles = [{row["name"]: row["role"] for row in said["managers"]} for said in answers]
        return answers if roles == [{leader: "leader", standby: "standby"}] * 2 else None

    for name, said in zip("ab", wait_until("both managers are known", both_are_known, 30), strict=True):
        assert (said["answered_by"], said["leader"], said["fault"]) == (name, leader, None), said
        assert [member["fault"] for member in said["etcd"]] == [None] * 3, said
        assert sum(member["leads"] for member in said["etcd"]) == 1, said
    roles = {name: managers.metrics(name, "aliquot_ha_standby") for name in "ab"}
    assert roles == {leader: {"": 0}, standby: {"": 1}}, roles
    epochs = [managers.metrics(name, "aliquot_ha_epoch") for name in "ab"]
    assert epochs[0] == epochs[1] and epochs[0][""] > 0, epochs
    assert managers.metrics(leader, "aliquot_ha_lease_left_seconds")[""] > 0
    sizes = "aliquot_ha_etcd_db_bytes"
    wait_until("the members have sizes", lambda: len(managers.metrics(leader, sizes)) == 3, 60)


def step_down(managers, doors):
    """As an operator asks it to; it ends as one that has lost the leadership, to be started again."""
    leader = managers.leader()
    other = "ab".replace(leader, "")
    managers.wait_for_standby(other)
    managers_say(managers, leader)
    began = time.monotonic()
    said = managers.live.ask("ha", "step-down")
    assert said["name"] == leader, said
    took = managers.served_by(other, began)
    deposed = Deposed(leader, doors)
    code = managers.running[leader].wait(20)
    assert code == EXIT_LOST_LEADERSHIP, f"{leader} stepped down, and ended with {code}"
    refused = managers.live.call("ha", "step-down")
    assert refused.code == CONFLICT, f"with no standby: {refused.code} {refused.err}"
    seen = deposed.told_nothing_more()
    managers.start(leader)
    return f"{leader} stepped down, {other} answered as the leader after {took:.2f} s{seen}"


def stop_leader(managers, ttl, agents, doors):
    """Stopped for twice its lease, then let go on: it may do nothing any more."""
    leader = managers.leader()
    other = "ab".replace(leader, "")
    managers.wait_for_standby(other)
    stopped = managers.running[leader]
    began = time.monotonic()
    stopped.send_signal(signal.SIGSTOP)
    took = managers.served_by(other, began)
    deposed = Deposed(leader, doors)
    time.sleep(max(0, 2 * ttl - (time.monotonic() - began)))
    said_before = len(managers.log(leader))
    before = standing_in(managers.live.ask("status")["epoch"], managers.live, agents)
    stopped.send_signal(signal.SIGCONT)
    code = stopped.wait(60)
    said = managers.log(leader)[said_before:]
    assert code == EXIT_LOST_LEADERSHIP, f"the stopped leader ended with {code}: {said}"
    assert "leadership_lost" in said or "may not act" in said or "does not lead" in said, said
    assert " action=" not in said, f"it has acted after it was let go on: {said}"
    seen = nodes_obey_the_newest(managers, agents, before)
    if agents:
        refused = managers.metrics(other, "aliquot_node_epochs_refused_total")
        assert len(refused) == len(agents.by_node), refused
        counted = f"{sum(refused.values()):.0f} sessions and commands"
        seen += f", they have refused {counted} of older ones,"
    nothing_more = deposed.told_nothing_more()
    managers.start(leader)
    line = f"{leader} stopped, {other} answered after {took:.2f} s; {leader} ended with {code}"
    return f"{line}; {seen} and no VM was made in an old one{nothing_more}"


def move_clock(managers, submitter, ttl):
    """The wall clock of the leader's machine jumps, an hour each time: its lease is counted by another."""
    leader = managers.leader()
    other = "ab".replace(leader, "")
    managers.wait_for_standby(other)
    live, role = managers.live, managers.newest_role(other)
    epoch = live.ask("status")["epoch"]
    for hours in (1, 0, -1, 0):
        with submitter.turn:  # a request says when it was sent
            live.environment.update(managers.with_clock_of(leader))
            managers.set_clock(leader, hours * 3600)
        began, acknowledged = time.monotonic(), len(submitter.works)
        # Longer than a renewal lasts, all jumps together longer than the lease.
        wait_until(
            f"jobs are taken {hours} hours off",
            lambda since=began, count=acknowledged: managers.alive(leader) is None
            and time.monotonic() - since > 0.4 * ttl
            and len(submitter.works) > count,
            120,
        )
    with submitter.turn:
        for name in ["LD_PRELOAD", "WRONG_CLOCK"]:
            del live.environment[name]
    assert (managers.leader(), live.ask("status")["epoch"]) == (leader, epoch), "there was a takeover"
    managers.alive(other)
    assert managers.newest_role(other) == role, f"the standby has changed: {managers.newest_role(other)}"
    return f"the clock of {leader} jumped an hour, forward and back, four times: it led on in epoch {epoch}"


def move_site(managers):
    """Into the store of one manager and back to etcd, while none runs."""
    live = managers.live
    refused = live.call("db", "from-etcd", managers.files["a"])
    assert refused.code == CONFLICT, f"while managers run: {refused.code} {refused.err}"
    for process in managers.running.values():
        process.terminate()
        process.wait(30)
    wait_until("no manager counts any more", lambda: not managers.etcd.keys(f"{PREFIX}/standbys/"), 30)
    away = live.call("db", "from-etcd", managers.files["a"])
    assert away.code == 0, away.err
    assert not managers.etcd.keys(f"{PREFIX}/"), managers.etcd.keys(f"{PREFIX}/")
    back = live.ask("db", "to-etcd", managers.files["a"])
    assert f"to step {back['last_step']} " in away.out, (away.out, back)
    for file in (live.state / "b/store").glob("aliquot.db*"):
        file.unlink()  # it follows a new log
    managers.start("a")
    wait_until("a manager leads", lambda: live.call("--timeout", "2", "status").code == 0, 60, every=0.02)
    managers.start("b")
    managers.wait_for_standby("b")
    return f"all managers stopped, {back['last_step']} steps moved from etcd and back, a leads again"


class Keys:
    """Of remote clients: what was acknowledged before a takeover holds after it, on both managers."""

    def __init__(self, managers):
        self.live, self.managers, self.valid, self.made = managers.live, managers, set(), 0

    def files(self, name):
        store = self.live.state / ("store" if name == "a" else "b/store")
        return {file.stem for file in (store / "keys").glob("*.key")}

    def change(self):
        """One is added, all older ones are revoked."""
        for old in self.valid:
            self.live.ask("key", "revoke", old)
        self.made += 1
        name = f"laptop{self.made}"
        where = ["--at", "tcp://127.0.0.1:7447", "--to", self.live.state / f"{name}.key"]
        self.live.ask("key", "new", name, "--user", "root", "--role", "viewer", *where)
        self.valid = {name}

    def prove(self):
        listed = {row["key"] for row in self.live.ask("key", "list")["keys"]}
        assert listed == self.valid, f"keys {listed}, acknowledged: {self.valid}"
        for name in "ab":
            wait_until(f"{name} has the keys", lambda name=name: self.files(name) == self.valid, 60)


def lose_quorum(managers, live):
    """Two of three members of etcd stand still: the leader ends, and nothing is acknowledged meanwhile."""
    leader = managers.leader()
    managers.wait_for_standby("ab".replace(leader, ""))
    halted = managers.etcd.members[:2]
    try:
        for member in halted:
            member.send_signal(signal.SIGSTOP)
        code = managers.running[leader].wait(120)
        assert code == EXIT_LOST_LEADERSHIP, f"without a quorum {leader} ended with {code}"
        refused = live.call("--timeout", "2", "status")
        assert refused.code != 0, f"without a quorum a manager served: {refused.out}"
    finally:
        for member in halted:
            member.send_signal(signal.SIGCONT)
    began = time.monotonic()
    managers.start(leader)
    wait_until("a manager leads", lambda: live.call("--timeout", "2", "status").code == 0, 60, every=0.02)
    took = time.monotonic() - began
    return f"no quorum: {leader} ended with {code}; with it a manager answered after {took:.2f} s"


def audit_logs_are_whole(managers):
    """Each manager has its own, and the store that they share has the newest hash of both."""
    for name, store in (("a", "store"), ("b", "b/store")):
        said = [line for line in managers.log(name).splitlines() if "audit_" in line]
        assert not any("audit_broken" in line for line in said), said
        seen = managers.live.ask("audit", "verify", managers.live.state / store / "audit")
        assert seen["last"] > 0, f"nothing was recorded by {name}: {seen}"


def one_run(options):
    chance = random.Random(options.seed)
    with contextlib.ExitStack() as running:
        etcd = running.enter_context(etcd_cluster())
        lines = ha_lines(etcd, options.ttl)
        agents, doors = (Agents(), None) if options.agents else (None, Doors())
        if agents:
            running.callback(agents.stop)
        reach = (agents or doors).reach
        live = running.enter_context(deployment(nodes=2, node_mib=576, more=lines, reach=reach))
        managers = Managers(live, etcd)
        try:
            managers.start("b")
            submitter = Submitter(live, options.seed)
            submitter.start()
            kills, keys = [], Keys(managers)
            for number in range(options.kills):
                keys.change()
                if number == options.kills // 2:
                    print(f"  {stop_leader(managers, options.ttl, agents, doors)}", flush=True)
                line, took = kill_leader(managers, chance)
                kills.append(took)
                keys.prove()
                print(f"  {line}", flush=True)
                assert not submitter.fault, f"the submissions failed: {submitter.fault!r}"
            if PRELOAD and kills:
                print(f"  {move_clock(managers, submitter, options.ttl)}", flush=True)
            print(f"  {end_leader(managers, doors)}", flush=True)
            print(f"  {step_down(managers, doors)}", flush=True)
            print(f"  {move_site(managers)}", flush=True)
            print(f"  {lose_quorum(managers, live)}", flush=True)
            prove(live, submitter)
            audit_logs_are_whole(managers)
            live.wait_until_empty(1, 2)
            nothing_left(live)
            jobs, again = len(submitter.works), submitter.repeated
        finally:
            managers.end()
    return kills, f"{jobs} jobs submitted ({again} submissions repeated), each there once and whole"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=int(os.environ.get("ALIQUOT_TEST_TAKEOVERS", "3")))
    parser.add_argument("--seed", type=int, default=1)
    ttl = int(os.environ.get("ALIQUOT_TEST_LEASE_S", "10"))
    parser.add_argument("--ttl", type=int, default=ttl, help="of the lease, in seconds")
    parser.add_argument("--at-most", type=float, help="seconds that a takeover may take after a kill")
    parser.add_argument("--agents", action="store_true", help="the nodes are reached through agents")
    options = parser.parse_args()
    kills, line = one_run(options)
    took = ", ".join(f"{seconds:.2f}" for seconds in kills)
    late = [seconds for seconds in kills if options.at_most and seconds > options.at_most]
    assert not late, f"of {len(kills)} takeovers {len(late)} took more than {options.at_most} s: {took}"
    print(f"ok: the leader killed {len(kills)} times with a lease of {options.ttl} s: {took} s; {line}")


if __name__ == "__main__":
    sys.exit(main())
