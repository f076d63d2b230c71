"""Agents (aliquot-node) of the nodes of a deployment: each speaks to its node's libvirtd, and the manager
reaches the node through it alone."""

import re
import signal
import socket
import subprocess

from deployment import BIN, GUEST, wait_until


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def make_keys(file):
    """The public key of a new file of keys."""
    made = subprocess.run(
        [BIN / "aliquot-node", "keys", file], capture_output=True, text=True, check=True, timeout=20
    )
    return made.stdout.strip()


class Agent:
    def __init__(self, live, name, uri, manager, saves=None, address="127.0.0.1"):
        self.live, self.name, self.uri, self.manager, self.saves = live, name, uri, manager, saves
        self.address = address
        self.keys, self.log = live.state / f"{name}.keys", live.state / f"{name}.agent.log"
        self.public, self.port, self.process = make_keys(self.keys), free_port(), None
        self.kept = live.state / f"{name}.agent"  # its --state

    def start(self):
        words = ["serve", "--backend", "libvirt", "--libvirt-uri", self.uri, "--acceleration", "auto"]
        words += ["--listen", f"{self.address}:{self.port}", "--keys", self.keys, "--manager", self.manager]
        words += ["--spool", self.live.spool, "--guest-dir", GUEST, "--state", self.kept]
        words += ["--saves", self.saves] if self.saves else []
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [BIN / "aliquot-node", *map(str, words)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        wait_until(f"the agent of {self.name} serves", self.serves, 60)

    def serves(self):
        text = self.log.read_text(errors="replace")
        assert self.process.poll() is None, f"the agent of {self.name} has ended: {text}"
        return " serves " in text

    def epochs(self):
        """Of the sessions that it has opened, in order."""
        said = self.log.read_text(errors="replace")
        opened = re.findall(r"^session of cluster \S+, epoch (\d+),", said, flags=re.M)
        return [int(epoch) for epoch in opened]

    def ended_sessions(self):
        """Of each the epoch, what the agent was told in it, and what it had refused because its epoch was
        over. One session begins when the last one has ended."""
        said = self.log.read_text(errors="replace")
        turns = re.findall(r"^(session|ended the session) of cluster", said, flags=re.M)
        assert turns == [("session", "ended the session")[i % 2] for i in range(len(turns))], said
        return re.findall(
            r"^ended the session of cluster \S+, epoch (\d+), after these commands: (.*);"
            r" refused in epochs that are over: (.*)$",
            said,
            flags=re.M,
        )

    def kill(self):
        self.process.kill()
        self.process.wait()

    def pause(self):
        self.process.send_signal(signal.SIGSTOP)

    def go_on(self):
        self.process.send_signal(signal.SIGCONT)

    def stop(self):
        if self.process and self.process.poll() is None:
            self.go_on()
            self.process.terminate()
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.kill()


class Agents:
    """To be given to a deployment: reach=agents.reach. With local_saves each saves what it pauses to a
    directory of its own. VMs are sent to the nodes `moves_to` while they run, to others by the spool."""

    def __init__(self, local_saves=False, address="127.0.0.1", moves_to=()):
        self.by_node, self.local_saves, self.address = {}, local_saves, address
        self.moves_to = moves_to

    def reach(self, live, nodes):
        """Starts an agent for each node; returns the nodes' settings with the agents' addresses."""
        manager = make_keys(live.state / "manager.keys")
        names = re.findall(r"^ +- name: (\S+)", nodes, flags=re.M)
        uris = re.findall(r'^ +uri: "?([^"\s]+)"?', nodes, flags=re.M)
        for name, uri in zip(names, uris, strict=True):
            saves = live.state / f"{name}.saves" if self.local_saves else None
            if saves:
                saves.mkdir()
            agent = self.by_node[name] = Agent(live, name, uri, manager, saves, self.address)
            agent.start()
            address = f"uri: agent://{self.address}:{agent.port}"
            said = rf"\1{address}\n\1agent_key: '{agent.public}'"
            said += r"\n\1local_saves: on" if saves else ""
            nodes = re.sub(rf'^( +)uri: "?{re.escape(uri)}"?$', said, nodes, flags=re.M)
        return "".join(map(self.with_address_for_moves, re.split(r"(?m)^(?= +- name: )", nodes)))

    def with_address_for_moves(self, node):
        """Its settings, without the address if it is to have none."""
        name = re.search(r"- name: (\S+)", node)
        has_one = name and name[1] in self.moves_to
        return node if has_one else re.sub(r"^ +migrate_uri: .*\n", "", node, flags=re.M)

    def __getitem__(self, name):
        return self.by_node[name]

    def stop(self):
        for agent in self.by_node.values():
            agent.stop()
