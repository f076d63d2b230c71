#!/usr/bin/env python3
"""Two Xen nodes: the agent, the manager, the connection and a whole dom0 die while a job is created, runs,
is saved, is restored and is moved. Each job ends once with the right exit status and its hash chain whole;
one that loses its node starts anew, or goes on from its checkpoint on the other node. Skipped where no
emulated dom0 has been built.

  xen_kills_test.py [--victim V] [--point P]"""

import argparse
import re
import select
import socket
import sys
import threading

from deployment import deployment, wait_until
from mixed_cluster_test import check_dom0, links_done, place
from workload import Work, nothing_left, prove

NODES = ("node1", "node2")
FENCING = ["fencing:", "  down_after: 3s"]


class Wire(threading.Thread):
    """Between the manager and an agent: forwards a port, until it is cut."""

    def __init__(self, target):
        super().__init__(daemon=True)
        self.target, self.is_cut, self.pairs = target, False, []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.start()

    def run(self):
        while True:
            client, _ = self.listener.accept()
            if self.is_cut:
                client.close()
                continue
            try:
                pair = (client, socket.create_connection(("127.0.0.1", self.target), 20))
            except OSError:  # the machine is off
                client.close()
                continue
            self.pairs.append(pair)
            threading.Thread(target=self.forward, args=pair, daemon=True).start()

    def forward(self, *pair):
        try:
            while True:
                for ready in select.select(pair, [], [])[0]:
                    data = ready.recv(65536)
                    if not data:
                        return
                    pair[1 - pair.index(ready)].sendall(data)
        except (OSError, ValueError):  # it was cut
            pass
        finally:
            self.close(pair)

    @staticmethod
    def close(pair):
        for end in pair:
            end.close()

    def cut(self):
        self.is_cut = True
        for pair in self.pairs:
            for end in pair:
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:  # it is closed already
                    pass
        self.pairs = []

    def mend(self):
        self.is_cut = False


class Wires:
    """To be given to a deployment: reach=wires.reach."""

    def __init__(self):
        self.by_node = {}

    def reach(self, live, nodes):
        names = re.findall(r"^ +- name: (\S+)", nodes, flags=re.M)
        for name, port in zip(names, re.findall(r"agent://127\.0\.0\.1:(\d+)", nodes), strict=True):
            self.by_node[name] = wire = Wire(int(port))
            nodes = nodes.replace(f"agent://127.0.0.1:{port}", f"agent://127.0.0.1:{wire.port}")
        return nodes


def state_of(live, node):
    return live.node(node)["state"]


# --- the points: each brings a job there and returns its node


def at_its_creation(live, number):
    return wait_until("it has a node", lambda: any_place(live, number), 120, every=0.02)


def any_place(live, number):
    nodes = live.job(number)["nodes"]
    return nodes[0]["node"] if nodes else None


def while_it_runs(live, number):
    wait_until("it computes", lambda: place(live, number) and links_done(live, number) > 0, 240)
    return place(live, number)


def at_its_save(live, number):
    node = while_it_runs(live, number)
    live.call("hold", number)
    return node


def at_its_restore(live, number):
    while_it_runs(live, number)
    live.call("hold", number)
    wait_until("it is saved", lambda: live.job(number)["vms"][0]["state"] == "saved", 240)
    live.call("release", number)
    return at_its_creation(live, number)


def at_its_move(live, number):
    node = while_it_runs(live, number)
    live.ask("node", "drain", node)
    return node


POINTS = {
    "create": at_its_creation,
    "run": while_it_runs,
    "save": at_its_save,
    "restore": at_its_restore,
    "move": at_its_move,
}


# --- what dies


def kill_agent(live, _, node):
    killed = live.localcluster("kill-agent", node.removeprefix("node"))
    assert killed.returncode == 0, killed.stderr


def kill_manager(live, _, __):
    live.kill()
    live.start()


def cut_connection(live, wires, node):
    wire = wires.by_node[node]
    wire.cut()
    wait_until(f"{node} is suspect", lambda: state_of(live, node) != "up", 60)
    wire.mend()


def cut_power(live, _, node):
    number = node.removeprefix("node")
    assert live.localcluster("kill", number).returncode == 0
    wait_until(f"{node} is down", lambda: state_of(live, node) == "down", 60)
    live.ask("node", "confirm-down", node)
    started = live.localcluster("start", number, timeout=400)
    assert started.returncode == 0, started.stderr


VICTIMS = {
    "agent": kill_agent,
    "manager": kill_manager,
    "connection": cut_connection,
    "dom0": cut_power,
}


def strike(live, wires, victim, point):
    work = Work(f"{victim}-{point}", mib=128, lasts=6, linux=True)
    number = live.submit("--requeue", 3, *work.words())
    node = POINTS[point](live, number)
    VICTIMS[victim](live, wires, node)
    live.call("release", number)
    for name in NODES:
        wait_until(f"{name} is up again", lambda n=name: state_of(live, n) == "up", 120)
    if point == "move":
        live.ask("node", "resume", node)
    job = wait_until(f"{work.name} ends", lambda: (j := live.job(number))["ended_at"] and j, 400)
    if victim != "dom0":
        assert job["reruns"] == 0, f"{work.name} started anew: {job}"
    proof = prove(live, {work.name: number}, [work])
    wait_until("nothing is left", lambda: not any(live.ask("node", "orphans").values()), 60)
    nothing_left(live)
    print(f"ok: {work.name}: {job['reruns']} reruns; {proof}", flush=True)


def go_on_elsewhere(live):
    """A dom0 dies under a job with checkpoints, whose VM the other node takes."""
    work = Work("checkpointed", mib=128, lasts=25, linux=True)
    number = live.submit("--checkpoint", "6s", *work.words())
    node = while_it_runs(live, number)
    wait_until("it has a checkpoint", lambda: live.job(number)["checkpoint"]["kept"], 240)
    cut_power(live, None, node)
    job = wait_until("it ends", lambda: (j := live.job(number))["ended_at"] and j, 400)
    assert job["reruns"] == 0, f"it started anew: {job}"
    back = [entry for entry in live.ask("why", number)["history"] if entry["turn"] == "rollback"]
    assert back, "it did not go back to its checkpoint"
    print(f"ok: {back[0]['text']}; {prove(live, {work.name: number}, [work])}", flush=True)
    wait_until(f"{node} is up again", lambda: state_of(live, node) == "up", 120)
    nothing_left(live)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--victim", choices=VICTIMS, action="append")
    parser.add_argument("--point", choices=POINTS, action="append")
    asked = parser.parse_args()
    check_dom0()
    wires = Wires()
    with deployment(nodes=0, xen=len(NODES), reach=wires.reach, more=FENCING) as live:
        for victim in asked.victim or VICTIMS:
            for point in asked.point or POINTS:
                strike(live, wires, victim, point)
        if not asked.point and "dom0" in (asked.victim or VICTIMS):
            go_on_elsewhere(live)


if __name__ == "__main__":
    sys.exit(main())
