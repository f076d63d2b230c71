#!/usr/bin/env python3
"""A QEMU stands still (SIGSTOP, as one does whose storage has gone): libvirt waits for its answers, which
never come, and makes other calls for that VM wait with it. Its node stays in use: the VM beside it ends,
new jobs run there, also after a manager that was killed. Once it answers again its job goes on; a job
that is cancelled instead leaves nothing behind."""

import contextlib
import os
import pathlib
import signal
import sys
import time

from deployment import deployment, wait_until
from workload import Work, nothing_left, prove

STUCK = [Work(f"stuck{i}", cpus=0.2, mib=64, lasts=15) for i in range(2)]  # runs on when it is stopped
BESIDE = Work("beside", cpus=0.2, mib=64, links=60)
LATER = [Work(f"later{i}", cpus=0.2, mib=64, links=20) for i in range(2)]
STILL_S = 30  # as long as libvirt makes a call wait, thrice as long as the manager does


def qemu(live, job):
    """The pid, as this machine counts, of the QEMU of a job of one task. Other tests run beside this one,
    and number their jobs alike."""
    name = next(name for name in live.domains(1) if name.startswith(f"aliquot-{job}.0-"))
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if f"\0guest={name},".encode() in (entry / "cmdline").read_bytes():
                return int(entry.name)
    raise AssertionError(f"{name} has no QEMU")


def suspects(live):
    """How often a manager said so of the node once it had been up, in all its lives."""
    return sum(
        "node_changed" in line and "state=suspect" in line
        for line in live.log.read_text().splitlines()
    )


def runs(live, job):
    wait_until(f"job {job} runs", lambda: live.job(job)["state"] == "running", 60)


def ends(live, job):
    wait_until(f"job {job} ends", lambda: live.job(job)["ended_at"], 180)


def main():
    with deployment(nodes=1, node_mib=512, policy="DYNMCB8-ASAP-PER-5+match") as live:
        ids = {work.name: live.submit(*work.words()) for work in (*STUCK, BESIDE)}
        for job in ids.values():
            runs(live, job)
        mute = [qemu(live, ids[work.name]) for work in STUCK]
        for pid in mute:
            os.kill(pid, signal.SIGSTOP)
        try:
            time.sleep(STILL_S)
            ids["later0"] = live.submit(*LATER[0].words())
            ends(live, ids["later0"])
            ends(live, ids["beside"])
            live.kill()
            live.start()
            ids["later1"] = live.submit(*LATER[1].words())
            ends(live, ids["later1"])
            given_up = ids.pop("stuck1")
            live.call("cancel", given_up)
            ends(live, given_up)
        finally:
            for pid in mute:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)
        ends(live, ids["stuck0"])
        print(f"the node was suspect {suspects(live)} times")
        assert suspects(live) == 0, "VMs that hang made their node suspect"
        assert live.job(given_up)["state"] == "cancelled", live.job(given_up)
        print("ok:", prove(live, ids, [STUCK[0], BESIDE, *LATER]))
        nothing_left(live)


if __name__ == "__main__":
    sys.exit(main())
