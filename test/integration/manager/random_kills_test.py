#!/usr/bin/env python3
"""Under load the manager is killed at random instants, now and then a libvirtd, and now and then the power
of a whole node is cut. Nothing is lost and nothing happens twice: every acknowledged submission is one job,
all of them complete with their whole output, and nothing is left behind.

  random_kills_test.py --kills 200 --libvirtds 20 --nodes 10

takes about twenty minutes, the default about two."""

import argparse
import collections
import os
import random
import signal
import sys
import threading
import time

from deployment import deployment, wait_until
from workload import Work, chain_faults, nothing_left, once_faults

NODES = 3
ACTIVE = 6  # jobs at a time


class Submitter(threading.Thread):
    """Keeps some jobs going. A submission that was not answered is sent again with the same key."""

    def __init__(self, live, seed):
        super().__init__(daemon=True)
        self.live, self.random, self.stopping = live, random.Random(seed), threading.Event()
        self.works, self.ids, self.repeated, self.fault = {}, {}, 0, None
        self.turn = threading.Lock()  # held while a request is under way

    def run(self):
        try:
            while not self.stopping.is_set():
                if self.active() < ACTIVE:
                    self.submit_one()
                time.sleep(0.2)
        except Exception as fault:  # the main thread says it
            self.fault = fault

    def active(self):
        answer = self.ask(["list", "-o", "json"])
        return len(answer.json()["jobs"]) if answer.code == 0 else ACTIVE

    def ask(self, words):
        with self.turn:
            return self.live.call(*words)

    def submit_one(self):
        tasks = 2 if self.random.random() < 0.3 else 1
        work = Work(f"work{len(self.works)}", tasks, 0.5, 64, links=self.random.randrange(20, 60))
        more = ["--requeue", 100] + (["--checkpoint", "3s"] if self.random.random() < 0.5 else [])
        words = ["submit", "--parsable", "--key", work.name, *more, *work.words()]
        while (answer := self.ask(words)).code != 0:
            assert answer.code in (6, 8), f"{words}: {answer.code} {answer.err}"
            self.repeated += 1
            time.sleep(0.1)
        self.works[work.name], self.ids[work.name] = work, int(answer.out)


class Killer:
    def __init__(self, live, seed):
        self.live, self.random = live, random.Random(seed)
        self.begun = time.monotonic()
        self.struck = collections.Counter()

    def say(self, what):
        self.struck[what] += 1
        if what != "manager" or self.struck[what] % 10 == 0:
            counts = ", ".join(f"{n} x {name}" for name, n in sorted(self.struck.items()))
            print(f"  {time.monotonic() - self.begun:5.0f} s: killed {counts}", flush=True)

    def kill_manager(self):
        time.sleep(self.random.uniform(0.05, 2.0))
        self.live.kill()
        if self.random.random() < 0.3:
            time.sleep(self.random.uniform(0.1, 2.0))
        self.live.start()
        self.say("manager")

    def kill_libvirtd(self):
        number = self.random.randint(1, NODES)
        pid = self.live.libvirtd(number)
        os.kill(pid, signal.SIGKILL)
        wait_until("libvirtd is started again", lambda: self.live.libvirtd(number) not in (None, pid), 60)
        self.say("libvirtd")

    def state(self, name):
        return self.live.node(name)["state"]

    def cut_power(self):
        number = self.random.randint(1, NODES)
        name = f"node{number}"
        wait_until(f"{name} is up", lambda: self.state(name) == "up", 120)
        killed = self.live.localcluster("kill", number)
        assert killed.returncode == 0, killed.stderr
        if self.random.random() < 0.5:
            self.kill_manager()
        wait_until(f"{name} is down", lambda: self.state(name) == "down", 120)
        self.live.ask("node", "confirm-down", name)
        if self.random.random() < 0.5:
            self.kill_manager()
        started = self.live.localcluster("start", number)
        assert started.returncode == 0, started.stderr
        wait_until(f"{name} is up again", lambda: self.state(name) == "up", 180)
        self.say("node")

    def go_on(self, kills, libvirtds, nodes):
        """Evenly mixed, in an order that the seed draws; the manager at last as often as was asked for."""
        strikes = [self.kill_libvirtd] * libvirtds + [self.cut_power] * nodes
        strikes += [self.kill_manager] * max(0, kills - nodes)
        self.random.shuffle(strikes)
        for strike in strikes:
            strike()
        while self.struck["manager"] < kills:
            self.kill_manager()


def check(live, submitter):
    """Every acknowledged job, once and whole; nothing else."""
    rows = live.ask("list", "--all", "--limit", 10000)["jobs"]
    listed = collections.Counter(row["name"] for row in rows)
    assert listed == collections.Counter(submitter.works.keys()), (listed, sorted(submitter.works))
    links, faults, reruns, rollbacks = 0, [], 0, 0
    for name, work in submitter.works.items():
        row = live.job(submitter.ids[name])
        if (row["state"], row["exit_code"]) != ("completed", 0):
            said = live.log_of(row["job"])
            faults.append(f"{name}: {row['state']} {row['exit_code']} {row['note']}\n{said}")
            continue
        reruns += row["reruns"]
        rollbacks += sum(e["turn"] == "rollback" for e in live.ask("why", row["job"])["history"])
        faults += once_faults(live, row["job"], work)
        whole, wrong = chain_faults(live, row["job"], work)
        links, faults = links + whole, faults + wrong
    assert not faults, "\n".join(faults)
    works, tasks = len(submitter.works), sum(work.tasks for work in submitter.works.values())
    return (
        f"{works} jobs of {tasks} tasks completed, each once; {links} links recomputed; "
        f"{reruns} reruns, {rollbacks} rollbacks, {submitter.repeated} submissions repeated"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--kills", type=int, default=16, help="of the manager")
    parser.add_argument("--libvirtds", type=int, default=2)
    parser.add_argument("--nodes", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    wish = parser.parse_args()
    more = ["fencing:", "  down_after: 3s"]
    with deployment(nodes=NODES, node_mib=576, more=more) as live:
        killer, submitter = Killer(live, wish.seed), Submitter(live, wish.seed)
        submitter.start()
        killer.go_on(wish.kills, wish.libvirtds, wish.nodes)
        submitter.stopping.set()
        submitter.join(60)
        assert not submitter.fault, submitter.fault
        wait_until("every job has ended", lambda: not live.ask("list")["jobs"], 600)
        print("ok:", check(live, submitter))
        nodes = range(1, NODES + 1)
        live.wait_until_empty(*nodes)
        nothing_left(live)


if __name__ == "__main__":
    sys.exit(main())
