#!/usr/bin/env python3
"""Two managers on an etcd of three members; while jobs are submitted the leading one is killed (SIGKILL) at
random instants, once stopped (SIGSTOP) for longer than its lease, once asked to end and once to step down,
and once etcd loses its quorum: a manager leads within a few seconds, every acknowledged submission is one
job that completes whole, no task runs twice, and nodes carry out nothing of an epoch that is over.

  takeover_test.py --kills 20 --ttl 3

takes some minutes. By default the lease is so long that a machine that is busy with other tests does not
lose it."""

import argparse
import contextlib
import json
import random
import re
import signal
import subprocess
import sys
import time

from agents import Agents
from deployment import BIN, deployment, wait_until
from etcd_members import etcd_cluster
from random_kills_test import Submitter
from workload import chain_faults, nothing_left, once_faults

EXIT_LOST_LEADERSHIP = 3
CONFLICT = 5


def ha_lines(etcd, name, ttl):
    return [
        "ha:",
        f"  endpoints: {json.dumps(etcd.urls)}",
        f"  name: {name}",
        "  prefix: /takeover",
        f"  lease_ttl: {ttl}s",
    ]


class Managers:
    """Manager a is that of the deployment; b has another state directory and other sockets."""

    def __init__(self, live, etcd):
        self.live, self.etcd, self.running = live, etcd, {"a": live.manager}
        own = live.state / "b"
        for part in ["run", "store"]:
            (own / part).mkdir(parents=True)
        text = (live.state / "aliquot.yaml").read_text()
        for part in ["run", "store", "journal.jsonl"]:
            text = text.replace(f"{live.state}/{part}", f"{own}/{part}")
        (own / "aliquot.yaml").write_text(text.replace("  name: a\n", "  name: b\n"))
        self.files = {"a": live.state / "aliquot.yaml", "b": own / "aliquot.yaml"}
        self.sockets = {"a": live.socket, "b": own / "run/api.sock"}
        live.environment["ALIQUOT_SERVER"] = f"{live.socket},{self.sockets['b']}"

    def start(self, name):
        with open(self.live.state / f"{name}.log", "ab") as log:
            self.running[name] = subprocess.Popen(
                [BIN / "aliquotd", "--config", self.files[name]],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def log(self, name):
        text = self.live.log.read_text(errors="replace") if name == "a" else ""
        with contextlib.suppress(OSError):
            text += (self.live.state / f"{name}.log").read_text(errors="replace")
        return text

    def leader(self):
        said = self.etcd.value("/takeover/leader")
        return json.loads(said)["name"] if said else None

    def wait_for_standby(self, name):
        """Its log says that it follows the other one."""
        other = "ab".replace(name, "")
        self.alive(name)
        wait_until(
            f"{name} stands by",
            lambda: f" name={name} leader={other} " in self.newest_role(name),
            60,
        )

    def newest_role(self, name):
        roles = ("standing_by", "leadership_taken")
        rows = [row for row in self.log(name).splitlines() if any(role in row for role in roles)]
        return rows[-1] + " " if rows else ""

    def alive(self, name):
        code = self.running[name].poll()
        assert code is None, f"manager {name} ended with {code}:\n{self.log(name)[-2000:]}"

    def served_by(self, name, since):
        """How long it took from then until this manager has answered as the leader."""

        def answers():
            self.alive(name)
            return self.leader() == name and self.live.call("--timeout", "2", "status").code == 0

        wait_until(f"{name} leads", answers, 90, every=0.02)
        return time.monotonic() - since

    def end(self):
        for process in self.running.values():
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.terminate()
                try:
                    process.wait(20)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()


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


def end_leader(managers):
    """As for an upgrade: it gives the leadership up, and the other need not wait for the end of a lease."""
    leader = managers.leader()
    other = "ab".replace(leader, "")
    managers.wait_for_standby(other)
    began = time.monotonic()
    managers.running[leader].terminate()
    took = managers.served_by(other, began)
    code = managers.running[leader].wait(20)
    assert code == 0, f"{leader} was asked to end, and ended with {code}: {managers.log(leader)[-2000:]}"
    managers.start(leader)
    return f"{leader} asked to end, {other} answered as the leader after {took:.2f} s", took


def epochs_at_nodes(live):
    """The epoch in which each VM was made, as its node has it."""
    found = {}
    for node in (1, 2):
        for vm in live.virsh(node, "list", "--uuid").split():
            said = live.localcluster("virsh", node, "dumpxml", vm, timeout=60)
            if epoch := re.search(r' epoch="(\d+)"', said.stdout):
                found[vm] = int(epoch[1])
    return found


def nodes_obey_the_newest(live, agents, before):
    """Counted at the nodes: what they let a manager do whose epoch was over. `before`: their VMs when it
    was let go on."""
    epoch = live.ask("status")["epoch"]
    late = [vm for vm, made in epochs_at_nodes(live).items() if vm not in before and made < epoch]
    assert not late, f"VMs that were made in an epoch before {epoch}: {late}"
    if not agents:
        mark = int((live.spool / "cluster.epoch").read_text())
        assert mark == epoch, f"the spool is marked with epoch {mark}, the manager's is {epoch}"
        return f"the spool is marked with epoch {epoch}"
    for name, agent in agents.by_node.items():
        opened = agent.epochs()
        assert opened == sorted(opened), f"{name} went back to an old epoch: {opened}"
        assert opened[-1] == epoch, f"{name} serves epoch {opened[-1]}, the manager's is {epoch}"
        assert str(epoch) in (agent.kept / "epochs").read_text(), f"{name} does not remember the epoch"
    return f"the agents serve epoch {epoch} alone"


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


def step_down(managers):
    """As an operator asks it to; it ends as one that has lost the leadership, to be started again."""
    leader = managers.leader()
    other = "ab".replace(leader, "")
    managers.wait_for_standby(other)
    managers_say(managers, leader)
    began = time.monotonic()
    said = managers.live.ask("ha", "step-down")
    assert said["name"] == leader, said
    took = managers.served_by(other, began)
    code = managers.running[leader].wait(20)
    assert code == EXIT_LOST_LEADERSHIP, f"{leader} stepped down, and ended with {code}"
    refused = managers.live.call("ha", "step-down")
    assert refused.code == CONFLICT, f"with no standby: {refused.code} {refused.err}"
    managers.start(leader)
    return f"{leader} stepped down, {other} answered as the leader after {took:.2f} s", took


def stop_leader(managers, ttl, agents):
    """Stopped for twice its lease, then let go on: it may do nothing any more."""
    leader = managers.leader()
    other = "ab".replace(leader, "")
    managers.wait_for_standby(other)
    stopped = managers.running[leader]
    began = time.monotonic()
    stopped.send_signal(signal.SIGSTOP)
    took = managers.served_by(other, began)
    time.sleep(max(0, 2 * ttl - (time.monotonic() - began)))
    said_before = len(managers.log(leader))
    before = epochs_at_nodes(managers.live)
    stopped.send_signal(signal.SIGCONT)
    code = stopped.wait(60)
    said = managers.log(leader)[said_before:]
    assert code == EXIT_LOST_LEADERSHIP, f"the stopped leader ended with {code}: {said}"
    assert "leadership_lost" in said or "may not act" in said or "does not lead" in said, said
    assert " action=" not in said, f"it has acted after it was let go on: {said}"
    seen = nodes_obey_the_newest(managers.live, agents, before)
    managers.start(leader)
    line = f"{leader} stopped, {other} answered after {took:.2f} s; {leader} ended with {code}"
    return f"{line}; {seen} and no VM was made in an old one", took


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


def prove(live, submitter):
    faults = []
    listed = live.ask("list", "--all", "--limit", 10_000)["jobs"]
    names = sorted(job["name"] for job in listed)
    if names != sorted(submitter.works):
        faults.append(f"jobs {names}, acknowledged {sorted(submitter.works)}")
    for name, work in submitter.works.items():
        number = submitter.ids[name]
        job = live.job(number)
        if (job["state"], job["exit_code"]) != ("completed", 0):
            faults.append(f"{name}: {job['state']} {job['exit_code']} {job['note']}")
            continue
        faults += once_faults(live, number, work)
        faults += chain_faults(live, number, work)[1]
    assert not faults, "\n".join(faults)


def one_run(options):
    chance = random.Random(options.seed)
    with contextlib.ExitStack() as running:
        etcd = running.enter_context(etcd_cluster())
        lines = ha_lines(etcd, "a", options.ttl)
        agents = Agents() if options.agents else None
        reach = {"reach": agents.reach} if agents else {}
        if agents:
            running.callback(agents.stop)
        live = running.enter_context(deployment(nodes=2, node_mib=576, more=lines, **reach))
        managers = Managers(live, etcd)
        try:
            managers.start("b")
            submitter = Submitter(live, options.seed)
            submitter.start()
            blows = []
            for number in range(options.kills + 1):
                stops = number == options.kills // 2
                if stops:
                    line, took = stop_leader(managers, options.ttl, agents)
                else:
                    line, took = kill_leader(managers, chance)
                blows.append(took)
                print(f"  {line}", flush=True)
                assert not submitter.fault, f"the submissions failed: {submitter.fault!r}"
            print(f"  {end_leader(managers)[0]}", flush=True)
            print(f"  {step_down(managers)[0]}", flush=True)
            print(f"  {lose_quorum(managers, live)}", flush=True)
            submitter.stopping.set()
            submitter.join(60)
            wait_until(
                "every job has ended",
                lambda: all(live.job(n)["ended_at"] for n in submitter.ids.values()),
                300,
            )
            prove(live, submitter)
            live.wait_until_empty(1, 2)
            nothing_left(live)
            jobs, again = len(submitter.works), submitter.repeated
        finally:
            managers.end()
    return blows, f"{jobs} jobs submitted ({again} submissions repeated), each there once and whole"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ttl", type=int, default=10, help="of the lease, in seconds")
    parser.add_argument("--agents", action="store_true", help="the nodes are reached through agents")
    options = parser.parse_args()
    blows, line = one_run(options)
    span = f"{min(blows):.2f} to {max(blows):.2f} s"
    print(f"ok: {len(blows)} takeovers with a lease of {options.ttl} s, {span}; {line}")


if __name__ == "__main__":
    sys.exit(main())
