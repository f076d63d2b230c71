"""What one VM's vCPU thread used, waited and was held back, as the kernel of this machine counts it."""

import dataclasses
import os
import pathlib
import re
import time

CGROUPS = pathlib.Path("/sys/fs/cgroup")


@dataclasses.dataclass(frozen=True)
class Reading:
    at: float  # seconds
    cpu: float  # seconds on a processor
    waited: float  # seconds runnable but not running, held back or not
    periods: int  # of the bandwidth controller in which it was active
    held_back: int  # of those: in which it used up its quota
    throttled: float  # seconds held back
    stolen: float  # seconds that this machine, if it is a virtual one, was kept from its processors
    lines: int  # that the guest has printed


def stolen():
    """Stolen time of all processors: a thread counts as running while another guest has its processor."""
    every = pathlib.Path("/proc/stat").read_text().splitlines()[0].split()
    return int(every[8]) / os.sysconf("SC_CLK_TCK")


class Vcpu:
    def __init__(self, live, node, job):
        name = next(n for n in live.domains(node) if n.startswith(f"aliquot-{job}."))
        uuid = live.localcluster("virsh", node, "domuuid", name, timeout=30).stdout.strip()
        self.task = self.find_thread(uuid)
        self.stat = self.find_group() / "cpu.stat"
        self.console = live.spool / str(job) / "0.log"

    @staticmethod
    def find_thread(uuid):
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if f"-uuid\0{uuid}".encode() not in (process / "cmdline").read_bytes():
                    continue
                for task in (process / "task").iterdir():
                    if (task / "comm").read_text().startswith("CPU "):
                        return task
            except OSError:
                continue
        raise AssertionError(f"no vCPU thread of {uuid}")

    def find_group(self):
        for line in (self.task / "cgroup").read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            if "cpu" in controllers.split(","):
                return CGROUPS / controllers / path.lstrip("/")
        return CGROUPS / path.lstrip("/")  # version 2: one line, no controllers

    def come_first(self):
        """Gives the whole cluster, up from this vCPU, the greatest weight against others on this
        machine."""
        for group in [self.stat.parent, *self.stat.parent.parents]:
            for file, weight in [("cpu.shares", "262144"), ("cpu.weight", "10000")]:
                if (group / file).exists() and (group.parent / "cpu.stat").exists():
                    (group / file).write_text(weight)
            if re.fullmatch(r"aliquot-\d+", group.name):
                return

    def read(self):
        cpu, waited, _ = (self.task / "schedstat").read_text().split()
        stat = dict(line.split() for line in self.stat.read_text().splitlines())
        throttled = (
            int(stat["throttled_time"]) / 1e9
            if "throttled_time" in stat
            else int(stat["throttled_usec"]) / 1e6
        )
        lines = len(re.findall(rb"MICRO n=", self.console.read_bytes()))
        return Reading(
            time.monotonic(),
            int(cpu) / 1e9,
            int(waited) / 1e9,
            int(stat["nr_periods"]),
            int(stat["nr_throttled"]),
            throttled,
            stolen(),
            lines,
        )


@dataclasses.dataclass(frozen=True)
class Window:
    """Two readings some seconds apart."""

    share: float  # of a processor
    lacked: float  # share of the time in which it was runnable, not held back, and not really running
    saturated: bool  # it used up its quota in every period
    lines: float  # of the guest, per second

    @property
    def valid(self):
        """Was the CPU available? Either no other process had it, or the quota was used up nevertheless."""
        return self.lacked < 0.01 or self.saturated


def measure(vcpu, seconds):
    first = vcpu.read()
    time.sleep(seconds)
    last = vcpu.read()
    span = last.at - first.at
    waited = max(0.0, (last.waited - first.waited) - (last.throttled - first.throttled))
    lacked = (waited + last.stolen - first.stolen) / span
    periods, held_back = last.periods - first.periods, last.held_back - first.held_back
    saturated = periods > 0 and held_back >= periods - 1 and periods >= 0.95 * span / 0.1
    return Window(
        (last.cpu - first.cpu) / span, lacked, saturated, (last.lines - first.lines) / span
    )
