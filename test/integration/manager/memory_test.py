#!/usr/bin/env python3
"""What the guests of jobs use of their memory, on real nodes: `show` follows a task that holds 40 MiB, then
80, and keeps its largest use when it has ended and the manager was killed. The guest of a task tells again
after a save and restore and after a live migration. A task that wants more than its VM has is ended by its
guest's kernel, and its user is told what to ask for. Of the guest of a hash chain nothing is known, which
is said."""

import os
import pathlib
import sys

from deployment import BIN, deployment, skip, wait_until
from workload import Work, nothing_left

STEPS = pathlib.Path(os.environ.get("ALIQUOT_TEST_MEMORY_STEPS", BIN / "memory_steps"))
MIB = 1 << 20
UNHURRIED = 180  # seconds for what is expected within some; the figures are printed
PHASE = 45  # seconds: nine readings, or some on a machine that is busy
OUT_OF_MEMORY = 137


def used(live, job):
    """In MiB, now; None: not known."""
    told = live.job(job)["memory"]["used_bytes"]
    return told and told / MIB


def largest(live, job):
    told = live.job(job)["memory"]["largest_bytes"]
    return told and told / MIB


def wait_for(live, job, what, least=0):
    """What it uses now, in MiB, when that is more than so much."""
    return wait_until(what, lambda: (now := used(live, job)) and now > least and now, UNHURRIED)


def holds(live, job, mib):
    return f"holds {mib}\n" in live.call("logs", f"{job}.0").out


def ended(live, job):
    wait_until(f"job {job} has ended", lambda: live.job(job)["ended_at"], 300)
    return live.job(job)


def follows_what_a_task_holds(live):
    job = live.submit("--mem", "160MiB", "--", STEPS, f"1:{PHASE}", f"40:{PHASE}", f"80:{PHASE}")
    wait_until("it runs", lambda: holds(live, job, 1), 240)
    before = wait_for(live, job, "its guest has told")
    wait_until("it holds 40 MiB", lambda: holds(live, job, 40), 240)
    at_40 = wait_for(live, job, "40 MiB more are used", before + 30)
    wait_until("it holds 80 MiB", lambda: holds(live, job, 80), 240)
    at_80 = wait_for(live, job, "80 MiB more are used", before + 70)
    print(f"  160 MiB: used {before:.0f} MiB, then {at_40:.0f}, then {at_80:.0f}", flush=True)
    assert before + 30 < at_40 < before + 70 < at_80 < 160, (before, at_40, at_80)
    assert live.job(job)["vms"][0]["memory_used_bytes"] > 80 * MIB, live.job(job)["vms"]
    assert sum(live.metrics("aliquot_node_memory_used_bytes").values()) > 80 * MIB
    live.kill()
    live.start()
    assert ended(live, job)["state"] == "completed", live.job(job)
    peak = largest(live, job)
    assert at_80 <= peak < 160, (at_80, peak)
    live.kill()
    live.start()
    assert largest(live, job) == peak, (peak, live.job(job)["memory"])
    assert "; largest use: " in live.call("show", job).out, live.call("show", job).out
    assert used(live, job) is None, "a job that has ended uses nothing now"


def tells_again_after_a_save_and_a_move(live):
    job = live.submit("--mem", "128MiB", "--", STEPS, "40:900")
    wait_until("it holds 40 MiB", lambda: holds(live, job, 40), 240)
    before = wait_for(live, job, "its guest has told", 60)
    live.call("hold", job)
    wait_until("it is saved", lambda: live.job(job)["vms"][0]["state"] == "saved", 240)
    assert used(live, job) is None, "the guest of a saved VM uses nothing now"
    live.call("release", job)
    wait_until("it runs again", lambda: live.places(job), 240)
    again = wait_for(live, job, "it has told after the restore")
    here = live.places(job)[0]
    live.ask("node", "drain", here)
    wait_until("it was moved", lambda: (live.places(job) or [here]) != [here], 240)
    moved = wait_for(live, job, "it has told after the move")
    actions = [event["event"].get("action") for event in live.events(job)]
    assert "migrate" in actions, actions
    print(f"  128 MiB: used {before:.0f} MiB, restored {again:.0f}, moved {moved:.0f}", flush=True)
    assert abs(again - before) < 15 and abs(moved - before) < 15, (before, again, moved)
    live.ask("node", "resume", here)
    live.call("cancel", job)
    assert ended(live, job)["state"] == "cancelled"
    assert largest(live, job) >= max(before, again, moved)


def is_told_what_to_ask_for(live):
    job = live.submit("--mem", "96MiB", "--", STEPS, "400:1")
    done = ended(live, job)
    assert (done["state"], done["exit_code"]) == ("failed", OUT_OF_MEMORY), done
    assert "ran out of memory" in done["note"] and "--mem 144MiB" in done["note"], done["note"]
    said = live.call("why", job).out
    assert "--mem 144MiB" in said, said
    print(f"  {done['note']}", flush=True)


def is_not_told_what_nobody_knows(live):
    job = live.submit(*Work("chain", mib=32, links=5).words())
    memory = ended(live, job)["memory"]
    assert memory["largest_bytes"] is None and "hash-chain" in memory["unknown"], memory


def main():
    if not STEPS.exists():
        skip(f"{STEPS} has not been built")
    with deployment(nodes=2, node_mib=400) as live:
        follows_what_a_task_holds(live)
        is_told_what_to_ask_for(live)
        is_not_told_what_nobody_knows(live)
        tells_again_after_a_save_and_a_move(live)
        nothing_left(live)
        print("ok", flush=True)


if __name__ == "__main__":
    sys.exit(main())
