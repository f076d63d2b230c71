#!/usr/bin/env python3
"""A chain of three jobs and one that waits for a job that fails, with the manager killed (SIGKILL) in
between: each starts when the one before has ended, and the last is cancelled and says why."""

import sys

from deployment import deployment, wait_until

UNIT = 100_000
CHAIN = ["--mem", "32MiB", "--hash-chain", f"60:{UNIT}"]


def ended(live, job):
    wait_until(f"job {job} has ended", lambda: live.job(job)["ended_at"], 180)
    return live.job(job)


def main():
    with deployment() as live:
        first = live.submit("--hold", *CHAIN)
        second = live.submit("--after", f"ok:{first}", *CHAIN)
        third = live.submit("--after", f"ok:{second},any:{first}", *CHAIN)
        bad = live.submit("--mem", "96MiB", "--max-cpus", 1, "--hold", "--", "sh", "-c", "exit 3")
        never = live.submit("--after", f"ok:{bad}", *CHAIN)
        assert live.job(third)["state"] == "deferred", live.job(third)
        said = live.ask("why", third)
        assert said["reason"] == "deferred" and f"job {second}" in said["text"], said
        refused = live.call("release", third)
        assert refused.code == 5 and "may not start yet" in refused.err, refused.err
        live.kill()
        live.start()
        assert live.job(never)["state"] == "deferred", live.job(never)
        for job in (first, bad):
            live.call("release", job)
        jobs = [ended(live, job) for job in (first, second, third)]
        assert all(job["state"] == "completed" for job in jobs), jobs
        for before, after in zip(jobs, jobs[1:]):
            assert before["ended_at"] <= after["submitted_at"] <= after["started_at"], (before, after)
        last = ended(live, never)
        assert ended(live, bad)["exit_code"] == 3
        assert last["state"] == "cancelled" and not last["started_at"], last
        assert f"job {bad} has ended and did not complete" in last["note"], last
        refused = live.call("submit", "--after", f"ok:{bad}", *CHAIN)
        assert refused.code == 4 and "wait for ever" in refused.err, refused.err
        print(f"a chain of {len(jobs)} jobs, and one cancelled: {last['note']}")


if __name__ == "__main__":
    sys.exit(main())
