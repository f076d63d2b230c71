#!/usr/bin/env python3
"""Jobs with a limit of real time, and a warning before it: one that listens to SIGTERM ends well, one that
does not is ended by it and has timed out, one that ignores it is ended at its limit. A pause counts, and
the manager is killed (SIGKILL) when the first has been told."""

import sys

from deployment import deployment, wait_until
from evolving_test import killed_upon

TOLD_AFTER_S = 90  # a guest has booted by then, also on a busy machine
LISTENS = 'trap "echo told; exit 0" TERM; echo begun; while :; do sleep 1; done'
DIES = "echo begun; while :; do sleep 1; done"
DEAF = 'trap "" TERM; echo begun; while :; do sleep 1; done'
MEMORY = ["--mem", "96MiB", "--cpus", "0.3"]


def submit(live, limit_s, script):
    limits = ["--wall-limit", f"{limit_s}s", "--warn", f"{limit_s - TOLD_AFTER_S}s"]
    return live.submit(*MEMORY, *limits, "--", "sh", "-c", script)


def output(live, job):
    return live.call("logs", job).out.split()


def ended(live, job, what):
    wait_until(what, lambda: live.job(job)["ended_at"], 300)
    return live.job(job)


def main():
    with deployment(nodes=2, node_mib=400) as live:
        refused = live.call("submit", "--warn", "10s", *MEMORY, "--", "true")
        assert refused.code == 2 and "no limit to warn of" in refused.err, refused.err
        listens, dies = submit(live, 600, LISTENS), submit(live, 600, DIES)
        deaf = submit(live, TOLD_AFTER_S + 30, DEAF)
        for job in (listens, dies, deaf):
            wait_until(f"job {job} has begun", lambda j=job: "begun" in output(live, j), TOLD_AFTER_S)
        live.call("hold", deaf)
        wait_until("it is saved", lambda: live.job(deaf)["state"] == "held", 60)
        live.call("release", deaf)
        killed_upon(live, "a notice", "action=notify ")
        said = ended(live, listens, "the one that listens has ended")
        assert said["state"] == "completed", said
        assert "told" in output(live, listens), output(live, listens)
        said = ended(live, dies, "the one that does not listen has ended")
        assert said["state"] == "timed_out" and "exit status 143, after it was told" in said["note"], said
        assert said["wall_limit_s"] == 600 and said["virtual_s"] < 600, said
        said = ended(live, deaf, "the one that ignores it has ended")
        assert (said["state"], said["note"]) == ("timed_out", "reached its wall-clock limit"), said
        print(live.call("show", deaf).out)
        took = said["turnaround_s"] - said["wait_s"]
        print(f"ok: it was there for {took:.1f} s of {TOLD_AFTER_S + 30}, its pause included")
        assert took >= TOLD_AFTER_S + 30, said


if __name__ == "__main__":
    sys.exit(main())
