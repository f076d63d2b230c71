#!/usr/bin/env python3
"""An array of twelve, three at a time, on two nodes, with the manager killed (SIGKILL) in between and one
index cancelled: no more than three members stand at any time, each of the others runs once, and the array
ends with its last member."""

import sys
import time

from deployment import deployment, wait_until

INDICES, AT_ONCE, CANCELLED = 12, 3, 9
SAY = 'echo "member $ALIQUOT_ARRAY_INDEX of $ALIQUOT_ARRAY_JOB, $SLURM_ARRAY_TASK_ID"'
ONE = ["--mem", "96MiB", "--cpus", "0.5"]
JOB = [*ONE, "--array", f"0-{INDICES - 1}%{AT_ONCE}"]


def members(live, array):
    return live.ask("list", "--all", "--limit", 100, "--array", array)["jobs"]


def look(live, array):
    """The array, of which no more stand than may."""
    row = live.job(array)
    standing = row["array"]["standing"]
    assert standing is None or sum(standing.values()) <= AT_ONCE, row["array"]
    return row


def some_have_completed(live, array, count):
    def are_there():
        ended = look(live, array)["array"]["ended"] or {}
        return ended.get("completed", 0) >= count

    wait_until(f"{count} members of array {array} have completed", are_there, 240)


def main():
    with deployment() as live:
        begun = time.monotonic()
        array = live.submit(*JOB, "--", "sh", "-c", SAY)
        (row,) = live.ask("list")["jobs"]
        assert row["job"] == array and row["state"] == "array", row
        assert f"{array}[0-11%3]" in live.call("list").out
        said = live.ask("why", array)
        assert said["reason"] == "array_throttle" and "are to come" in said["text"], said
        refused = live.call("logs", array)
        assert refused.code == 5 and "is an array" in refused.err, refused.err
        refused = live.call("show", f"{array}[{CANCELLED}]")
        assert refused.code == 3 and "has not been made" in refused.err, refused.err
        done = live.call("cancel", f"{array}[{CANCELLED}]")
        assert done.code == 0 and "1 member cancelled" in done.out, done.err
        after = live.submit("--after", f"ok:{array}[{INDICES - 1}]", *ONE, "--", "true")
        assert f"member {INDICES - 1} of array {array}" in live.ask("why", after)["text"]
        refused = live.call("submit", "--after", f"ok:{array}[{CANCELLED}]", *ONE, "--", "true")
        assert refused.code == 3, refused.err
        some_have_completed(live, array, 3)
        live.kill()
        live.start()
        some_have_completed(live, array, 5)
        wait_until(f"array {array} has ended", lambda: look(live, array)["ended_at"], 300)
        row = look(live, array)
        assert row["state"] == "failed", row
        assert row["note"] == "1 of 12 members did not complete: 1 cancelled", row["note"]
        wait_until("what waited for its last member has ended", lambda: live.job(after)["ended_at"], 180)
        assert live.job(after)["submitted_at"] >= live.job(f"{array}[{INDICES - 1}]")["ended_at"]
        assert not [job for job in live.ask("list")["jobs"]]
        rows = {job["member"]["index"]: job for job in members(live, array)}
        assert sorted(rows) == [k for k in range(INDICES) if k != CANCELLED], sorted(rows)
        for index, job in rows.items():
            text = live.call("logs", f"{array}[{index}]").out
            assert text.count(f"member {index} of {array}, {index}") == 1, (index, text)
            assert job["state"] == "completed" and job["reruns"] == 0, job
        stood = sorted(rows.values(), key=lambda job: job["submitted_at"])
        assert stood[0]["submitted_at"] < stood[-1]["submitted_at"], "they were all made at once"
        print(f"{len(rows)} members, at most {AT_ONCE} at a time, in {time.monotonic() - begun:.0f} s")


if __name__ == "__main__":
    sys.exit(main())
