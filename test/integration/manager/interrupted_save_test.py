#!/usr/bin/env python3
"""The manager is killed while a large save is being written and comes back at once, with libvirt still
at it: the new manager waits for the save's end instead of beginning another one over the same file.
Twice, so that the second time a good older image stands beside. The program then goes on where it was
and ends as it should."""

import sys

from deployment import deployment, wait_until

COUNT = 150
PROGRAM = (
    "dd if=/dev/urandom of=/tmp/ballast bs=1M count=350 2>/dev/null; i=0; "
    f"while [ $i -lt {COUNT} ]; do i=$((i + 1)); echo $i; sleep 0.1; done"
)
MEGABYTE = 1 << 20


def lines(live, job):
    return live.call("logs", job).out.split()


def interrupt_save(live, job):
    image = live.spool / str(job) / "0.save.part"
    mark = live.log.stat().st_size
    live.call("hold", job)
    wait_until(
        "the image is being written",
        lambda: image.exists() and image.stat().st_size > MEGABYTE,
        every=0.002,
    )
    live.kill()
    live.start()
    under_way = image.exists()
    wait_until("the job is saved", lambda: live.job(job)["vms"][0]["state"] == "saved", 120)
    said = live.log.read_bytes()[mark:].decode(errors="replace")
    print(
        f"killed in a save; back {'before' if under_way else 'after'} its end; saves begun: "
        f"{said.count('action=save ')}; inspections: {said.count('vm_inspected')}",
        flush=True,
    )
    live.call("release", job)
    wait_until("the job runs again", lambda: live.job(job)["state"] == "running", 120)
    return under_way


def main():
    with deployment(nodes=1, node_mib=640) as live:
        job = live.submit("--mem", "512MiB", "--", "sh", "-c", PROGRAM)
        wait_until("the program counts", lambda: len(lines(live, job)) > 3, 180)
        caught = [interrupt_save(live, job) for _ in range(2)]
        wait_until("the job has ended", lambda: live.job(job)["ended_at"], 180)
        ended = live.job(job)
        assert (ended["state"], ended["exit_code"]) == (
            "completed",
            0,
        ), f"{ended['state']}: {ended['note']}"
        assert lines(live, job) == [
            str(i) for i in range(1, COUNT + 1)
        ], f"the console has {lines(live, job)}"
        assert any(
            caught
        ), "no save was still under way when the manager was back: nothing was tested"
        print(f"ok: {COUNT} lines, none lost or repeated, over {ended['preemptions']} saves")


if __name__ == "__main__":
    sys.exit(main())
