"""Two managers of a deployment, of which one leads on an etcd; and what must hold after takeovers."""

import contextlib
import json
import os
import re
import signal
import subprocess
import time

from deployment import BIN, series_at, wait_until
from libvirt_doors import Doors
from workload import chain_faults, once_faults

EXIT_LOST_LEADERSHIP = 3
PREFIX = "/takeover"  # of their keys in etcd
MOVES_A_JOB = r"action=migrate op=\d+ job=(\d+)"  # in the log of a manager
PRELOAD = os.environ.get("ALIQUOT_TEST_WRONG_CLOCK", "")


def ha_lines(etcd, ttl):
    return [
        "ha:",
        f"  endpoints: {json.dumps(etcd.urls)}",
        "  name: a",
        f"  prefix: {PREFIX}",
        f"  lease_ttl: {ttl}s",
    ]


class Managers:
    """Manager a is that of the deployment; b has another state directory and other sockets. `inside`: the
    words that start each of them somewhere else, such as in a network namespace."""

    def __init__(self, live, etcd, inside=None):
        self.live, self.etcd, self.running = live, etcd, {"a": live.manager}
        self.inside = inside or {"a": [], "b": []}
        own = live.state / "b"
        for part in ["run", "store"]:
            (own / part).mkdir(parents=True)
        text = (live.state / "aliquot.yaml").read_text()
        for part in ["run", "store", "journal.jsonl"]:
            text = text.replace(f"{live.state}/{part}", f"{own}/{part}")
        text = text.replace(str(Doors.path(live.state, "a")), str(Doors.path(live.state, "b")))
        (own / "aliquot.yaml").write_text(text.replace("  name: a\n", "  name: b\n"))
        self.files = {"a": live.state / "aliquot.yaml", "b": own / "aliquot.yaml"}
        self.sockets = {"a": live.socket, "b": own / "run/api.sock"}
        live.environment["ALIQUOT_SERVER"] = f"{live.socket},{self.sockets['b']}"

    def with_clock_of(self, name):
        """The environment of a program on the machine of this manager, whose wall clock can be set."""
        if not PRELOAD:
            return {}
        if not self.clock(name).exists():
            self.set_clock(name, 0)
        return {"LD_PRELOAD": PRELOAD, "WRONG_CLOCK": str(self.clock(name))}

    def clock(self, name):
        return self.live.state / f"{name}.clock"

    def set_clock(self, name, seconds_off):
        fresh = self.live.state / f"{name}.clock.new"
        fresh.write_text(str(seconds_off))
        fresh.rename(self.clock(name))

    def start(self, name):
        with open(self.live.state / f"{name}.log", "ab") as log:
            self.running[name] = subprocess.Popen(
                [*self.inside[name], BIN / "aliquotd", "--config", self.files[name]],
                env=dict(os.environ, **self.with_clock_of(name)),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def log(self, name):
        text = self.live.log.read_text(errors="replace") if name == "a" else ""
        with contextlib.suppress(OSError):
            text += (self.live.state / f"{name}.log").read_text(errors="replace")
        return text

    def metrics(self, name, metric):
        """Of the manager, as it serves them now."""
        return series_at(re.findall(r"http_port=(\d+)", self.log(name))[-1], metric)

    def leader(self):
        said = self.etcd.value(f"{PREFIX}/leader")
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


def epochs_at_nodes(live):
    """The job of each VM and the epoch in which it was made, as its node has them. The first node is looked
    at again: a VM may come there from the second while that is looked at."""
    found = {}
    standing = [(node, vm) for node in (1, 2, 1) for vm in live.virsh(node, "list", "--uuid").split()]
    for vm, node in {vm: node for node, vm in standing}.items():
        for where in (node, 3 - node):  # it may have moved since
            said = live.localcluster("virsh", where, "dumpxml", vm, timeout=60)
            if made := re.search(r' job="(\d+)" .* epoch="(\d+)"', said.stdout):
                found[vm] = (int(made[1]), int(made[2]))
                break
    return found


def standing_in(epoch, live, agents):
    """The VMs of the nodes, as epochs_at_nodes has them, when every agent serves this epoch: it first
    finishes what it has begun for the manager before, which may be to make a VM."""
    for agent in agents.by_node.values() if agents else []:
        wait_until(f"{agent.name} serves epoch {epoch}", lambda of=agent: epoch in of.epochs(), 120)
    return epochs_at_nodes(live)


def gone_on_with(managers):
    """The jobs with VMs that were on no node for a while and that the leader has gone on with, though they
    are of the epoch in which they were made first: those that it restores or moves, and those that it had
    to look for because a manager before it did not end their move, which it completes from their images."""
    leader = managers.leader()
    said = managers.log(leader).rpartition("leadership_taken")[2]
    started = re.findall(r"action=(?:restore|migrate) op=\d+ job=(\d+)", said)
    looked_for = re.findall(r"vm_inspected job=(\d+)", said)
    moved = [job for name in managers.running for job in re.findall(MOVES_A_JOB, managers.log(name))]
    return {int(job) for job in [*started, *set(looked_for).intersection(moved)]}


def said_of(jobs, managers):
    """What all managers have said of these jobs, a line each."""
    its = re.compile(rf"\bjob=({'|'.join(map(str, jobs))})\b")
    rows = [(row, name) for name in managers.running for row in managers.log(name).splitlines()]
    return "\n".join(f"  {name}: {row}" for row, name in sorted(rows) if its.search(row))


def nodes_obey_the_newest(managers, agents, before):
    """Counted at the nodes: what they let a manager do whose epoch was over. `before`: their VMs when it
    was let go on."""
    live, epoch = managers.live, managers.live.ask("status")["epoch"]
    new = {vm: its for vm, its in epochs_at_nodes(live).items() if vm not in before}
    gone_on = gone_on_with(managers)
    late = [vm for vm, (job, made) in new.items() if made < epoch and job not in gone_on]
    assert not late, (
        f"VMs that were made in an epoch before {epoch}: {late} of {new}, gone on with: {gone_on}; "
        f"of their jobs was said:\n{said_of({new[vm][0] for vm in late}, managers)}"
    )
    if not agents:
        mark = int((live.spool / "cluster.epoch").read_text())
        assert mark == epoch, f"the spool is marked with epoch {mark}, the manager's is {epoch}"
        return f"the spool is marked with epoch {epoch}"
    for name, agent in agents.by_node.items():
        opened = agent.epochs()
        assert opened == sorted(opened), f"{name} went back to an old epoch: {opened}"
        assert opened[-1] == epoch, f"{name} serves epoch {opened[-1]}, the manager's is {epoch}"
        assert str(epoch) in (agent.kept / "epochs").read_text(), f"{name} does not remember the epoch"
    return f"the agents serve epoch {epoch} alone ({commands_at_nodes(agents)})"


def commands_at_nodes(agents):
    """As the agents have counted them."""
    counted = []
    for name, agent in agents.by_node.items():
        for epoch, told, refused in agent.ended_sessions()[-1:]:
            counted.append(f"{name} in epoch {epoch}, until it was over: {told}, after that: {refused}")
    return "; ".join(counted)


def prove(live, submitter):
    """That every job whose submission was acknowledged is there once, and completes whole."""
    submitter.stopping.set()
    submitter.join(60)
    assert not submitter.fault, f"the submissions failed: {submitter.fault!r}"
    ids = submitter.ids.values()
    wait_until("every job has ended", lambda: all(live.job(number)["ended_at"] for number in ids), 300)
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
