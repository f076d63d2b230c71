#!/usr/bin/env python3
"""The manager is started with a wall clock that is years off, which is set right while it runs or before
the next start: ages and dates of jobs are right whenever the clock is, and after a kill the command line
says at once that the manager is unreachable. Needs neither root nor a node that answers."""

import datetime
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

from deployment import BIN, skip, wait_until

PRELOAD = os.environ.get("ALIQUOT_TEST_WRONG_CLOCK", "")
YEAR = 365 * 86_400
UNREACHABLE = 6


class Manager:
    def __init__(self, directory):
        self.directory, self.process = directory, None
        # The clock is that of the machine: the command line has the same.
        self.environment = dict(os.environ, LD_PRELOAD=PRELOAD, WRONG_CLOCK=str(directory / "offset"))
        (directory / "offset").write_text("0")
        (directory / "aliquot.yaml").write_text(
            f"state_dir: {directory}/state\nspool_dir: {directory}/spool\n"
            f"api: {{socket: {directory}/api.sock, events: {directory}/events.sock}}\n"
            "http: {port: 0}\npolicy: {spec: FCFS}\n"
            "nodes:\n  - {name: absent, cores: 4, memory: 8GiB, "
            f'uri: "qemu+unix:///system?socket={directory}/none"}}\n'
        )

    def set_clock(self, years):
        fresh = self.directory / "offset.new"
        fresh.write_text(str(years * YEAR))
        fresh.rename(self.directory / "offset")

    def start(self, years=0):
        self.set_clock(years)
        with open(self.directory / "log", "ab") as log:
            self.process = subprocess.Popen(
                [BIN / "aliquotd", "--config", self.directory / "aliquot.yaml"],
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        wait_until("the manager answers", lambda: self.call("status").returncode == 0, 60)

    def stop(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        self.process.wait(60)

    def call(self, *words):
        return subprocess.run(
            [BIN / "aliquot", "--server", self.directory / "api.sock", *map(str, words)],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=60,
        )

    def submit(self):
        done = self.call("submit", "--parsable", "--hold", "--hash-chain", "10:1000")
        assert done.returncode == 0, done.stderr
        return int(done.stdout)

    def show(self, job):
        return json.loads(self.call("show", job, "-o", "json").stdout)

    def is_right(self, job):
        """The age is of this test, and the date of this hour."""
        shown = self.show(job)
        date = datetime.datetime.fromisoformat(shown["submitted_at"].replace("Z", "+00:00"))
        off = abs((datetime.datetime.now(datetime.timezone.utc) - date).total_seconds())
        return shown["age_s"] < 3600 and off < 3600

    def has_right_age(self, job):
        shown = self.show(job)
        assert shown["age_s"] < 3600, f"job {job} is {shown['age_s'] / YEAR:.1f} years old"


def scene(m):
    m.start()
    before = m.submit()
    assert m.is_right(before), m.show(before)
    m.stop()
    m.start(years=20)
    m.has_right_age(before)
    within = m.submit()
    m.has_right_age(within)
    m.set_clock(0)
    wait_until("the dates follow the clock", lambda: m.is_right(within) and m.is_right(before), 30)
    m.stop()
    m.start(years=20)
    never_right = m.submit()
    m.stop()
    m.start(years=-50)
    for job in [before, within, never_right]:
        m.has_right_age(job)
    early = m.submit()
    m.has_right_age(early)
    m.stop()
    m.start()
    for job in [before, within, never_right, early]:
        assert m.is_right(job), f"job {job}: {m.show(job)}"
    m.stop(signal.SIGKILL)
    began = time.monotonic()
    done = m.call("list")
    took = time.monotonic() - began
    assert done.returncode == UNREACHABLE and took < 5, f"{done.returncode} after {took:.1f} s"


def born_wrong(m):
    """The first start of all is the one with the wrong clock."""
    m.start(years=20)
    job = m.submit()
    m.stop()
    m.start()
    assert m.is_right(job), m.show(job)
    m.stop()


def main():
    if not pathlib.Path(PRELOAD or "/none").exists():
        skip("ALIQUOT_TEST_WRONG_CLOCK names no library to preload")
    for play in [scene, born_wrong]:
        with tempfile.TemporaryDirectory(prefix="aliquot-") as directory:
            manager = Manager(pathlib.Path(directory))
            try:
                play(manager)
            finally:
                if manager.process and manager.process.poll() is None:
                    manager.stop(signal.SIGKILL)
    print("ok: ages and dates are those of a right clock")


if __name__ == "__main__":
    sys.exit(main())
