"""The jobs of the tests and the proof that nothing of them was lost: a hash-chain job's console is
recomputed here, a Linux job's primes are counted again, and a guest that had to begin anew would have
said so twice."""

import dataclasses
import functools
import math
import os
import re
import subprocess

from deployment import BIN, GUEST, wait_until

UNIT = 20_000_000  # hash-chain steps per link: a thirtieth to a tenth of a second of a core


@functools.cache
def links_a_second():
    """Of a whole core of this machine, under KVM where that works: a job that is to last must be as long
    on a machine that is thrice as fast."""
    links = 20
    machine = ["-machine", "pc", "-m", "16", "-display", "none", "-no-reboot", "-monitor", "none"]
    ports = ["-serial", "null", "-serial", "null"]
    guest = ["-kernel", str(GUEST / "hashchain.elf"), "-append", f"total={links} unit={UNIT}"]
    for acceleration, patience in [(["kvm", "-cpu", "host"], "5"), (["tcg"], "60")]:
        words = ["timeout", patience, "qemu-system-x86_64", "-accel", *acceleration, *machine]
        before = os.times()
        done = subprocess.run([*words, *ports, *guest], capture_output=True, text=True, check=False)
        after = os.times()
        if done.returncode == 0:
            spent = after.children_user + after.children_system
            return links / (spent - before.children_user - before.children_system)
    raise AssertionError(f"the hash chain does not run here: {done.returncode} {done.stderr}")


@dataclasses.dataclass(frozen=True)
class Work:
    name: str
    tasks: int = 1
    cpus: float = 1.0
    mib: int = 64
    links: int = 0  # of the hash chain in the guest without an operating system, or
    lasts: float = 0  # the hash chain for so many seconds of a core of this machine, or
    primes: int = 0  # Linux guests count the primes below this, each in its own range
    linux: bool = False  # the hash chain is a program in a Linux guest
    xen: bool = False  # it asks for nodes of Xen

    def chain(self):
        """The links of its hash chain; 0: it has none."""
        return self.links or math.ceil(self.lasts * links_a_second() if self.lasts else 0)

    def words(self):
        what = [
            "--tasks",
            self.tasks,
            "--cpus",
            self.cpus,
            "--mem",
            f"{self.mib}MiB",
            "--name",
            self.name,
            *(["--hypervisor", "xen"] if self.xen else []),
        ]
        links = self.chain()
        if links and self.linux:
            return [*what, "--", BIN / "hypervisor_libxl_chain", links, UNIT]
        if links:
            return [*what, "--hash-chain", f"{links}:{UNIT}"]
        return [*what, "--", BIN / "examples/primes", self.primes]


def primes_below(limit):
    sieve = bytearray([1]) * limit
    sieve[0:2] = b"\0\0"
    for n in range(2, int(limit**0.5) + 1):
        if sieve[n]:
            sieve[n * n :: n] = bytes(len(range(n * n, limit, n)))
    return sum(sieve)


def chain_faults(live, number, work):
    """(links recomputed, what is wrong) of all tasks of a hash-chain job."""
    links, faults = 0, []
    for task in range(work.tasks):
        console = live.spool / str(number) / f"{task}.log"
        done = subprocess.run(
            [BIN / "aliquot-chain", console, str(UNIT), str(work.chain())],
            capture_output=True,
            text=True,
            timeout=300,
        )
        found = re.search(r"recomputed (\d+)", done.stdout)
        links += int(found.group(1)) if found else 0
        if done.returncode != 0:
            faults.append(f"{work.name}.{task}: {(done.stdout + done.stderr).strip()}")
    return links, faults


def primes_faults(live, number, work):
    found = 0
    for task in range(work.tasks):
        said = re.findall(r"range=.* count=(\d+)", live.call("logs", f"{number}.{task}").out)
        if len(said) != 1:
            return [f"{work.name}.{task} said its result {len(said)} times"]
        found += int(said[0])
    expected = primes_below(work.primes)
    return [] if found == expected else [f"{work.name} counted {found} primes, not {expected}"]


def status_file(live, number, task):
    """Of the newest incarnation of the task's VM."""

    def incarnation(path):
        middle = path.name.split(".")[1]
        return int(middle) if middle.isdigit() else 1

    files = (live.spool / str(number)).glob(f"{task}.*status")
    return max(files, key=incarnation)


def is_outcome(event):
    return "result" in event and "ended" in event


def events_of(live, number):
    """Of a job that has ended; the store takes its last events a moment later."""

    def whole():
        events = [e["event"] for e in live.events(number)]
        return events if any(map(is_outcome, events)) else None

    return wait_until(f"the events tell the end of job {number}", whole, 30)


def once_faults(live, number, work):
    """A task that was begun twice, or ended twice, says so on its status channel or in the event log."""
    faults = []
    events = events_of(live, number)
    # Of a Xen guest only its last word is kept; that it started once shows its chain.
    whole = [["start", "exit"]] + ([["exit"]] if work.linux or work.xen else [])
    for task in range(work.tasks):
        said = status_file(live, number, task).read_text().split("\n")
        if [line.split()[2] for line in said if line] not in whole:
            faults.append(f"{work.name}.{task}: its status channel has {said}")
        ends = [
            e
            for e in events
            if e.get("event") == "task_ended"
            and e["tasks"]["first"] <= task < e["tasks"]["first"] + e["tasks"]["count"]
        ]
        # A job that started anew may have ended tasks before; only its last run counts.
        newest = max((e["incarnation"] for e in ends), default=1)
        ended = [e for e in ends if e["incarnation"] == newest]
        found = [
            e
            for e in events
            if e.get("event") == "inspected" and e["task"] == task and e["fact"] == "ended"
        ]
        if len(ended) > 1 or len(ended) + len(found) == 0:
            faults.append(
                f"{work.name}.{task}: {len(ended)} ends and {len(found)} inspections that found its end"
            )
    ends = [e for e in events if is_outcome(e)]
    if len(ends) != 1:
        faults.append(f"{work.name} has {len(ends)} outcomes")
    return faults


def prove(live, ids, works):
    """Asserts that all of it completed whole, each task once; returns a line that says how much
    that was."""
    faults, links, tasks = [], 0, 0
    for work in works:
        number, tasks = ids[work.name], tasks + work.tasks
        job = live.job(number)
        if (job["state"], job["exit_code"]) != ("completed", 0):
            said = live.log_of(number)
            faults.append(f"{work.name}: {job['state']} {job['exit_code']} {job['note']}\n{said}")
        faults += once_faults(live, number, work)
        if work.chain():
            whole, wrong = chain_faults(live, number, work)
            links, faults = links + whole, faults + wrong
        else:
            faults += primes_faults(live, number, work)
    assert not faults, "\n".join(faults)
    return f"{len(works)} jobs of {tasks} tasks completed, each task once; {links} links recomputed"


def nothing_left(live):
    """Asserts that no node has a domain and the spool no memory image."""
    for node in range(1, live.settings["nodes"] + 1):
        assert not live.domains(node), f"node{node} still has {live.domains(node)}"
    images = [str(path) for path in live.spool.glob("*/*.save*")]
    assert not images, f"memory images are left: {images}"
