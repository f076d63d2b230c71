"""The CPU time of one job's guests as the kernel of this machine counts it, over all their processes: read
from the vCPU threads themselves, while they live."""

import contextlib
import pathlib
import threading
import time

EVERY_S = 0.02  # what a process uses after its last reading is not seen
LOOK_EVERY_S = 0.1  # for new processes
LOOKS = 20  # at a process that is not one of ours: it may only be about to become one


class GuestCpu:
    """Reads on a thread of its own from the beginning of the `with` to its end."""

    def __init__(self, uuids):
        self.marks = [f"-uuid\0{uuid}".encode() for uuid in uuids]
        self.threads = {}  # by their directory in /proc: seconds
        self.totals = []  # (Unix time, seconds so far)
        self.others = {}  # other processes: how often they were looked at
        self.stop = threading.Event()
        self.reader = threading.Thread(target=self.run)

    def __enter__(self):
        self.reader.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        self.reader.join()

    def run(self):
        looked = 0.0
        while not self.stop.is_set():
            if time.monotonic() - looked >= LOOK_EVERY_S:
                looked = time.monotonic()
                self.look_for_threads()
            for task in list(self.threads):
                with contextlib.suppress(OSError):  # it has gone: what it had stands
                    self.threads[task] = int((task / "schedstat").read_text().split()[0]) / 1e9
            self.totals.append((time.time(), sum(self.threads.values())))
            self.stop.wait(EVERY_S)

    def look_for_threads(self):
        """QEMU names its threads a little after its own start, so each process is read several times."""
        there = {process for process in pathlib.Path("/proc").glob("[0-9]*")}
        self.others = {p: looks for p, looks in self.others.items() if p in there}
        for process in there:
            if self.others.get(process, 0) >= LOOKS:
                continue
            with contextlib.suppress(OSError):
                command = (process / "cmdline").read_bytes()
                if not any(mark in command for mark in self.marks):
                    self.others[process] = self.others.get(process, 0) + 1
                    continue
                for task in (process / "task").iterdir():
                    if (task / "comm").read_text().startswith("CPU "):
                        self.threads.setdefault(task, 0.0)

    def at(self, unix_time):
        """Seconds used up to then; between two readings, in proportion."""
        before = [t for t in self.totals if t[0] <= unix_time]
        after = [t for t in self.totals if t[0] > unix_time]
        if not before or not after:
            return (before or after)[-1][1]
        (t0, used0), (t1, used1) = before[-1], after[0]
        return used0 + (used1 - used0) * (unix_time - t0) / (t1 - t0)
