#!/usr/bin/env python3
"""The disk of the store is full: nothing is acknowledged, the reason is said, questions are answered, VMs
run on. When there is room again everything goes on by itself, and nothing that was acknowledged is lost;
also if the manager is killed on the full disk, where it does not start."""

import contextlib
import ctypes
import os
import subprocess
import sys
import urllib.error
import urllib.request

from deployment import BIN, deployment, skip, wait_until
from workload import Work, nothing_left, prove

WORK = Work("runs", cpus=0.4, mib=48, lasts=20)
DISK_MIB = 24
CLONE_NEWNS, MS_REC, MS_PRIVATE = 0x20000, 0x4000, 1 << 18


def small_disk(path):
    """A disk of its own for the store, seen by this test and what it starts."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNS) != 0:
        skip(f"no mount namespace can be had: {os.strerror(ctypes.get_errno())}")
    private = libc.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None)
    size = f"size={DISK_MIB}m".encode()
    if private != 0 or libc.mount(b"tmpfs", os.fsencode(path), b"tmpfs", 0, size) != 0:
        skip(f"no small disk can be mounted: {os.strerror(ctypes.get_errno())}")


def fill(path):
    """Leaves no room at all: SQLite finds some inside its files for a while."""
    with contextlib.suppress(OSError), open(path, "ab", buffering=0) as ballast:
        while True:
            ballast.write(b"x" * 4096)


def is_ready(live):
    try:
        url = f"http://127.0.0.1:{live.http_port()}/readyz"
        return urllib.request.urlopen(url, timeout=10).status == 200
    except urllib.error.HTTPError as fault:
        assert fault.code == 503, fault
        assert b"disk is full" in fault.read()
        return False


def submit_until_refused(live, ballast):
    """Jobs that stay held; the answer that refuses one says why."""
    taken = []
    for _ in range(3000):
        fill(ballast)
        answer = live.call("submit", "--parsable", "--hold", "--mem", "96MiB", "--", "true", timeout=15)
        if answer.code != 0:
            return taken, answer
        taken.append(int(answer.out))
    raise AssertionError("the disk never became full")


def main():
    with deployment(nodes=1, node_mib=256, policy="GREEDY", own_disk=small_disk) as live:
        wait_until("the node is up", lambda: live.ask("status")["nodes"]["up"] == 1)
        store = live.state / "store"
        ids = {"runs": live.submit(*WORK.words())}
        job = ids["runs"]
        wait_until("a job runs", lambda: live.job(job)["state"] == "running")
        ballast = store / "ballast"
        taken, refused = submit_until_refused(live, ballast)
        print(f"{len(taken)} jobs were taken while the disk filled up; then: {refused.err.strip()}")
        wait_until("the log says so", lambda: "store_blocked" in live.log.read_text(), 30)
        wait_until("the manager says that it is not ready", lambda: not is_ready(live), 30)
        said = live.call("cancel", job)
        assert said.code != 0 and "disk is full" in said.err, said.err
        assert live.metrics("aliquot_store_blocked") == {"": 1}
        assert live.job(job)["state"] == "running", "questions are not answered"
        used = live.spool / str(job) / "0.log"
        length = used.stat().st_size
        wait_until("the VM runs on", lambda: used.stat().st_size > length, 30)

        ballast.unlink()
        wait_until("it goes on by itself", lambda: "store_writes_again" in live.log.read_text(), 30)
        wait_until("the manager is ready", lambda: is_ready(live), 30)
        later = live.submit("--hold", "--mem", "96MiB", "--", "true")
        assert later > max(taken, default=job)

        submit_until_refused(live, ballast)
        live.kill()
        fill(ballast)
        again = subprocess.run(
            [BIN / "aliquotd", "--config", live.state / "aliquot.yaml"],
            capture_output=True,
            text=True,
            timeout=60,
        )
        print(f"on the full disk: {again.returncode} {again.stderr.strip()}")
        assert again.returncode == 1 and "disk is full" in again.stderr, again.stderr
        ballast.unlink()
        live.start()
        for number in [*taken, later]:
            assert live.job(number)["state"] == "held", live.job(number)
            live.call("cancel", number)
        wait_until("the job ends", lambda: live.job(job)["ended_at"], 240)
        print(prove(live, ids, [WORK]))
        nothing_left(live)


if __name__ == "__main__":
    sys.exit(main())
