#!/usr/bin/env python3
"""The spool has no space for the memory of a job that is to be paused: the job runs on and `why` says so.
With space it is paused, goes on where it was and completes. When it has ended only its output is left, and
that goes too when the site keeps none."""

import re
import sys

from deployment import deployment, wait_until
from workload import Work, prove

WORK = Work("chain", mib=64, links=150)


def settings(reserve):
    return ["spool:", f"  reserve: {reserve}", "  keep_size: 1GiB"]


def edit(live, pattern, replacement):
    """Changes the configuration while the manager runs."""
    file = live.state / "aliquot.yaml"
    file.write_text(re.sub(pattern, replacement, file.read_text()))


def restart_with(live, reserve):
    live.stop()
    edit(live, r"reserve: \d+TiB", f"reserve: {reserve}")
    live.start()


def links(live, number):
    return live.call("logs", number).out.count("MICRO n=")


def main():
    with deployment(nodes=1, node_mib=256, spool=settings("900TiB")) as live:
        job = live.submit(*WORK.words())
        wait_until("the chain grows", lambda: links(live, job) > 2)
        live.call("hold", job)
        why = wait_until(
            "why names the space",
            lambda: (answer := live.ask("why", job))["reason"] == "save_space" and answer,
        )
        assert "spool.reserve" in why["text"], why["text"]
        before = links(live, job)
        wait_until("it runs on", lambda: links(live, job) > before)
        assert live.job(job)["vms"][0]["state"] == "running", live.job(job)
        print("why:", why["text"])

        restart_with(live, "1MiB")
        wait_until("it is saved", lambda: live.job(job)["vms"][0]["state"] == "saved", 180)
        live.call("release", job)
        wait_until("it ends", lambda: live.job(job)["ended_at"], 240)
        print("ok:", prove(live, {WORK.name: job}, [WORK]))
        folder = live.spool / str(job)
        left = wait_until(
            "only its output is left",
            lambda: (names := sorted(f.name for f in folder.iterdir()))
            and not {"0.save", "0.save.part", "initrd.img"} & set(names)
            and names,
        )
        print("left of an ended job:", *left)

        edit(live, r"keep_size: 1GiB", "keep_size: 0B")
        live.manager.send_signal(1)  # SIGHUP
        wait_until("its output is removed", lambda: not folder.exists(), 180)
        gone = live.call("logs", job)
        assert gone.code == 3 and "not kept any longer" in gone.err, (gone.code, gone.err)
        assert live.job(job)["state"] == "completed"
        print("logs:", gone.err.strip())


if __name__ == "__main__":
    sys.exit(main())
