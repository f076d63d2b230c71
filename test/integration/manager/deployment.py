"""A manager on real libvirt/QEMU nodes of one machine, for tests: brought up, killed, started again,
taken down.

Talks to the manager only through the command line; looks into its log and its spool to know what
happens. Environment: ALIQUOT_TEST_BIN and ALIQUOT_TEST_GUEST name the built programs and guests
(default: those of build/release), ALIQUOT_TEST_STATE the directory all state goes to (default: a new
one under /var/tmp)."""

import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[3]
BIN = pathlib.Path(os.environ.get("ALIQUOT_TEST_BIN", ROOT / "build/release/bin"))
GUEST = pathlib.Path(os.environ.get("ALIQUOT_TEST_GUEST", ROOT / "build/release/guest"))
PROGRAMS = ["libvirtd", "virsh", "qemu-system-x86_64", "ip", "unshare"]
OVERHEAD_MIB, RESERVE_MIB = 48, 512
SKIPPED = 77


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def check_machine():
    """Skips where the test cannot run at all."""
    if os.geteuid() != 0:
        skip("hypervisors and network namespaces need root")
    for program in PROGRAMS:
        if not shutil.which(program):
            skip(f"{program} is not installed")
    for file in [BIN / "aliquotd", BIN / "aliquot", GUEST / "hashchain.elf", GUEST / "vmlinuz"]:
        if not file.exists():
            skip(f"{file} has not been built")


def wait_until(what, look, seconds=120, every=0.1):
    """The first true answer of look(); a test that waits in vain has failed."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if answer := look():
            return answer
        time.sleep(every)
    raise AssertionError(f"not within {seconds} s: {what}")


def series_at(port, name):
    """The series of a metric by their labels, at an HTTP port of loopback."""
    text = urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=20).read().decode()
    rows = re.findall(rf"^{name}(?:{{(.*)}})? (\S+)$", text, flags=re.M)
    return {labels: float(value) for labels, value in rows}


class Answer:
    """What a call of the command line said."""

    def __init__(self, done):
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr

    def json(self):
        return json.loads(self.out)


class Deployment:
    def __init__(self, state, settings):
        self.state, self.policy, self.settings = state, settings["policy"], settings
        self.socket, self.log = state / "run/api.sock", state / "aliquotd.log"
        self.spool, self.cluster = state / "cluster/spool", state / "cluster"
        self.environment = dict(
            os.environ, ALIQUOT_LOCALCLUSTER=str(self.cluster), ALIQUOT_SERVER=str(self.socket)
        )
        self.manager = None
        self.starts = 0

    # --- nodes

    def localcluster(self, *words, timeout=120):
        return subprocess.run(
            [ROOT / "tools/localcluster", *map(str, words)],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=timeout,
        )

    def bring_up(self):
        nodes, mib = self.settings["nodes"], self.settings["node_mib"]
        for part in ["run", "store"]:
            (self.state / part).mkdir(parents=True)
        if own_disk := self.settings.get("own_disk"):
            own_disk(self.state / "store")
        up = self.localcluster(
            *["up", nodes, "--cpus-per-node", 1, "--memory-per-node", mib + RESERVE_MIB],
            *["--build", GUEST.parent],
            *(["--numa", cells] if (cells := self.settings.get("numa")) else []),
            *(["--xen", xen] if (xen := self.settings.get("xen")) else []),
            *(["--guests", guests] if (guests := self.settings.get("guests")) else []),
            timeout=400,
        )
        if up.returncode != 0:
            skip(f"no cluster can be had here: {up.stderr.strip()}")
        nodes = self.localcluster("nodes").stdout
        if hidden := self.settings.get("hidden", 0):  # nodes that the manager does not know
            nodes = "".join(re.split(r"(?=^ +- name:)", nodes, flags=re.M)[:-hidden])
        if devices := self.settings.get("devices"):
            nodes = re.sub(r"^( +)uri: .*$", rf"\g<0>\n\1devices: {devices}", nodes, flags=re.M)
        if reach := self.settings.get("reach"):  # nodes in another way than the local cluster says
            nodes = reach(self, nodes)
        self.blocks = re.split(r"(?m)^(?=  - )", nodes)  # "nodes:", then the settings of each node
        self.configure(self.blocks[1 : 1 + self.settings.get("configured", len(self.blocks))])
        self.start()
        wait_until("every node is up", self.nodes_are_up, 120)

    def nodes_are_up(self):
        return all(node["state"] == "up" for node in self.ask("node", "list")["nodes"])

    def configure(self, blocks):
        """Writes the configuration with these nodes."""
        text = self.configuration() + self.blocks[0] + "".join(blocks)
        (self.state / "aliquot.yaml").write_text(text)

    def reload(self):
        self.manager.send_signal(signal.SIGHUP)

    def agent_keys(self):
        """Of the local cluster for its Xen nodes, or of agents that the test starts."""
        of_cluster = self.cluster / "manager.keys"
        return of_cluster if of_cluster.exists() else self.state / "manager.keys"

    def configuration(self):
        return "\n".join(
            [
                "cluster: test",
                f"state_dir: {self.state}/store",
                f"spool_dir: {self.spool}",
                "policy:",
                f"  spec: {self.policy}",
                "api:",
                f"  socket: {self.socket}",
                f"  events: {self.state}/run/events.sock",
                *self.settings.get("api", []),
                "http:",
                f"  port: {self.settings.get('port', 0)}",
                f"  status_page: {self.settings.get('page', 'on')}",
                "hypervisor:",
                "  acceleration: auto",
                f"  agent_keys: {self.agent_keys()}",
                f"  guest_dir: {GUEST}",
                f"  vm_overhead: {OVERHEAD_MIB}MiB",
                *self.settings.get("hypervisor", []),
                *self.settings.get("more", []),
                *self.settings.get("more_of", lambda live: [])(self),
                "files:",
                f"  roots: {[str(self.state / root) for root in self.settings.get('roots', [])]}",
                *self.settings.get("spool", []),
                "log:",
                f"  journal: {self.state}/journal.jsonl",
                "",
            ]
        )

    def libvirtd(self, node):
        """The pid, as this machine counts, of a node's libvirtd."""
        mark = f"{self.cluster}/n{node}/libvirtd.conf"
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                words = (entry / "cmdline").read_bytes().decode().split("\0")
                if mark in words and words[0].endswith("libvirtd"):
                    return int(entry.name)
        return None

    def virsh(self, node, *words, timeout=60):
        """What an operator at a node does with virsh."""
        said = self.localcluster("virsh", node, *words, timeout=timeout)
        assert said.returncode == 0, f"virsh {words} on node{node}: {said.stderr.strip()}"
        return said.stdout

    def http_port(self):
        """Of the manager that was started last."""
        return re.findall(r"http_port=(\d+)", self.log.read_text(errors="replace"))[-1]

    def metrics(self, name):
        """The series of a metric by their labels."""
        return series_at(self.http_port(), name)

    def domains(self, node):
        listed = self.localcluster("virsh", node, "list", "--all", "--name", timeout=30)
        return [name for name in listed.stdout.split() if name]

    def places(self, job):
        """The nodes of its VMs if all of them run and nothing is under way."""
        vms = self.job(job)["vms"]
        quiet = all(vm["state"] == "running" and vm["doing"] is None for vm in vms)
        return [vm["node"] for vm in vms] if quiet else None

    def wait_until_empty(self, *nodes, seconds=180):
        """No domain is left there. A VM that switches itself off takes its time on a busy machine."""
        deadline = time.monotonic() + seconds
        while left := [name for node in nodes for name in self.domains(node)]:
            assert time.monotonic() < deadline, f"after {seconds} s there still are {left}"
            time.sleep(0.2)

    # --- the manager

    def start(self):
        inside = self.settings.get("inside", [])  # the words that start it somewhere else
        with open(self.log, "ab") as log:
            self.manager = subprocess.Popen(
                [*inside, BIN / "aliquotd", "--config", self.state / "aliquot.yaml"],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        self.starts += 1
        wait_until("the manager answers", self.answers, 60)

    def answers(self):
        if self.manager.poll() is not None:
            raise AssertionError(
                f"aliquotd ended with {self.manager.returncode}: {self.log_tail()}"
            )
        return self.call("status").code == 0

    def kill(self):
        self.manager.send_signal(signal.SIGKILL)
        self.manager.wait()

    def stop(self):
        if self.manager and self.manager.poll() is None:
            self.manager.terminate()
            try:
                self.manager.wait(20)
            except subprocess.TimeoutExpired:
                self.kill()

    def log_tail(self, lines=5):
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])

    def log_of(self, job, lines=15):
        """What the log says of a job, the newest lines."""
        found = [row for row in self.log.read_text(errors="replace").splitlines() if f" job={job} " in row]
        return "\n".join(found[-lines:])

    def take_down(self):
        self.stop()
        self.localcluster("down")
        if "own_disk" in self.settings:
            subprocess.run(["umount", "-l", self.state / "store"], check=False, timeout=30)
        shutil.rmtree(self.state, ignore_errors=True)

    # --- the command line

    def call(self, *words, timeout=60, prefix=()):
        return Answer(
            subprocess.run(
                [*prefix, BIN / "aliquot", *map(str, words)],
                env=self.environment,
                capture_output=True,
                text=True,
                timeout=timeout,
            )
        )

    def ask(self, *words):
        answer = self.call(*words, "-o", "json")
        if answer.code not in (0, 1):
            raise AssertionError(
                f"aliquot {' '.join(map(str, words))}: {answer.code} {answer.err.strip()}"
            )
        return answer.json()

    def submit(self, *words):
        answer = self.call("submit", "--parsable", *words)
        if answer.code != 0:
            raise AssertionError(f"submit {words}: {answer.code} {answer.err.strip()}")
        return int(answer.out)

    def job(self, number):
        return self.ask("show", number)

    def node(self, name):
        return next(n for n in self.ask("node", "list")["nodes"] if n["node"] == name)

    def events(self, *job):
        """All events, oldest first."""
        found, after = [], 0
        while page := self.ask("events", *job, "--after", after, "--limit", 10000)["events"]:
            found, after = found + page, page[-1]["sequence"]
        return found


@contextlib.contextmanager
def deployment(nodes=2, node_mib=576, policy="DYNMCB8-ASAP-PER-5+match", **more):
    """Everything up; everything gone afterwards, also after a failure or a signal."""
    check_machine()
    base = os.environ.get("ALIQUOT_TEST_STATE")
    state = (
        pathlib.Path(base)
        if base
        else pathlib.Path(tempfile.mkdtemp(prefix="aliquot-", dir="/var/tmp"))
    )
    state.mkdir(parents=True, exist_ok=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    live = Deployment(state, dict(more, nodes=nodes, node_mib=node_mib, policy=policy))
    try:
        live.bring_up()
        yield live
    except BaseException:
        if live.log.exists():
            print(f"--- the end of the manager's log\n{live.log_tail(25)}", flush=True)
            for said in sorted(live.cluster.glob("n*/log/libvirtd.log")):
                lines = said.read_text(errors="replace").splitlines()[-10:]
                print(f"--- the end of {said.relative_to(live.cluster)}", *lines, sep="\n", flush=True)
            if keep := os.environ.get("ALIQUOT_TEST_KEEP"):
                shutil.copytree(
                    state,
                    keep,
                    dirs_exist_ok=True,
                    ignore=shutil.ignore_patterns("run", "*.sock", "*.save*", "initrd.img"),
                )
        raise
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a second one must not end what it undoes
        live.take_down()
