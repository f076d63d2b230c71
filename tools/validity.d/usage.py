"""How much CPU the guests really get, as the kernel of this machine counts it, and how far their hash
chains have come with it: from this follows what a link costs, whoever else uses the processors.

Looks at every vCPU thread below one cluster's control groups. Only stretches in which a guest ran in one
QEMU count: while it moves, two have its name."""

import dataclasses
import pathlib
import re
import statistics

CGROUPS = pathlib.Path("/sys/fs/cgroup")
NAME = re.compile(rb"guest=aliquot-(\d+)\.(\d+)")
LINK = re.compile(rb"MICRO n=(\d+) h=")
TAIL = 400  # bytes at the end of a console: several lines
LEAST_CPU_S = 1.0  # of a task, to know what a link costs it


@dataclasses.dataclass(frozen=True)
class Vcpu:
    """A vCPU thread, and what its group says of its quota."""

    task: tuple  # (job, task)
    schedstat: pathlib.Path
    stat: pathlib.Path

    def read(self):
        """(seconds on a processor, periods of the controller it was active in, those it used up)"""
        cpu, _, _ = self.schedstat.read_text().split()
        stat = dict(line.split() for line in self.stat.read_text().splitlines())
        return int(cpu) / 1e9, int(stat["nr_periods"]), int(stat["nr_throttled"])


@dataclasses.dataclass
class Progress:
    """Of one task: what it used while it came so far."""

    cpu: float = 0.0
    links: int = 0
    first: tuple = None  # (CPU, links) at the first look of its first QEMU


class Usage:
    def __init__(self, group, spool):
        self.group, self.spool = f"/{group}/".encode(), pathlib.Path(spool)
        self.known, self.vcpus = set(), {}  # pids looked at; pid -> Vcpu
        self.before = {}  # pid -> (reading, links), where it was alone at the last look
        self.tasks = {}  # (job, task) -> Progress
        self.periods, self.used_up = 0, 0

    def look(self):
        self.find_new()
        readings = {}
        for pid, vcpu in list(self.vcpus.items()):
            try:
                readings[pid] = (vcpu.read(), self.links(vcpu.task))
            except OSError:
                del self.vcpus[pid]
        names = [self.vcpus[pid].task for pid in readings]
        for pid, (reading, links) in readings.items():
            task = self.vcpus[pid].task
            if names.count(task) == 1 and pid in self.before:
                self.add(task, self.before[pid], (reading, links))
            elif names.count(task) == 1 and task not in self.tasks:
                self.tasks[task] = Progress(first=(reading[0], links))
        self.before = {p: r for p, r in readings.items() if names.count(self.vcpus[p].task) == 1}

    def add(self, task, before, now):
        progress = self.tasks.setdefault(task, Progress())
        progress.cpu += now[0][0] - before[0][0]
        progress.links += now[1] - before[1]
        self.periods += now[0][1] - before[0][1]
        self.used_up += now[0][2] - before[0][2]

    def find_new(self):
        pids = {int(p.name) for p in pathlib.Path("/proc").glob("[0-9]*")}
        self.known &= pids
        for pid in pids - self.known:
            self.known.add(pid)
            try:
                process = pathlib.Path(f"/proc/{pid}")
                name = NAME.search((process / "cmdline").read_bytes())
                if not name:
                    continue
                vcpu = self.vcpu_of(process, tuple(map(int, name.groups())))
                if vcpu:
                    self.vcpus[pid] = vcpu
                else:
                    self.known.discard(pid)  # it has only begun
            except OSError:
                self.known.discard(pid)

    def vcpu_of(self, process, task):
        for thread in (process / "task").iterdir():
            if not (thread / "comm").read_text().startswith("CPU "):
                continue
            groups = (thread / "cgroup").read_bytes()
            if self.group not in groups:
                return None
            for line in groups.decode().splitlines():
                _, controllers, path = line.split(":", 2)
                tree = CGROUPS / controllers if controllers else CGROUPS
                if not controllers or "cpu" in controllers.split(","):
                    return Vcpu(task, thread / "schedstat", tree / path.lstrip("/") / "cpu.stat")
        return None

    def links(self, task):
        """How many links the task's console has."""
        path = self.spool / str(task[0]) / f"{task[1]}.log"
        try:
            with open(path, "rb") as console:
                console.seek(max(0, path.stat().st_size - TAIL))
                found = LINK.findall(console.read())
        except OSError:
            return 0
        return int(found[-1]) if found else 0

    # --- what it comes to

    def lacking(self):
        """The share of the controller's periods in which a guest, which always wants more, got less
        than its cap: what the processors' other users took, and periods in which it began or ended.
        """
        return 1 - self.used_up / self.periods if self.periods else 0.0

    def link_s(self, task=None):
        """Seconds of a core that a link costs this task; what it costs all if too little is known."""
        of = self.tasks.get(task)
        if of and of.cpu >= LEAST_CPU_S and of.links > 0:
            return of.cpu / of.links
        cpu, links = (
            sum(getattr(p, what) for p in self.tasks.values()) for what in ("cpu", "links")
        )
        return cpu / links

    def boot_s(self):
        """Seconds of a core before the first link: on average half a link is done beyond the last line."""
        boots = [
            p.first[0] - (p.first[1] + 0.5) * self.link_s(task)
            for task, p in self.tasks.items()
            if p.first and p.first[1] > 0
        ]
        return max(0.0, statistics.median(boots)) if boots else 0.0

    def work(self, task, links):
        return self.boot_s() + links * self.link_s(task)
