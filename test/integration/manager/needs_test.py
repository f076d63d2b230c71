#!/usr/bin/env python3
"""Needs that are learned, on a real node: a job that declares a whole core and uses a third of one is found
to need that, and its neighbour gets what it leaves; when it uses all of it, it has it back. A job that
declares a tenth and would use most of a core is found by probes. What was learned stays when the manager
is killed. The cap of the watched job never falls below what it is guaranteed, and when it wants all that
it can have, it uses more than that by the counters of its control group."""

import os
import pathlib
import sys
import time

from deployment import BIN, deployment, skip, wait_until
from vcpu import Vcpu
from workload import UNIT, Work, chain_faults, nothing_left

DUTY_CYCLE = pathlib.Path(os.environ.get("ALIQUOT_TEST_DUTY_CYCLE", BIN / "duty_cycle"))
NEIGHBOUR = Work("neighbour", cpus=1, mib=32, lasts=60)
GUARANTEED = 0.2  # of the core that the watched job declares
# Of the core that it declares. What the guest's own system uses is in the need; the time that other
# machines take from this one's processors is not.
LITTLE, MOST = 0.6, 0.75
UNHURRIED = 180  # seconds for what is expected within some; the figures are printed


def need(live, job):
    return live.job(job)["need"]


def learned(live, job):
    """The need that its newest event of this kind tells, in cores."""
    events = [row["event"] for row in live.events(job) if row["event"].get("event") == "need_learned"]
    return events[-1]["need"] / 1e6


def has_begun(live, job, phase):
    return f"phase {phase}\n" in live.call("logs", f"{job}.0").out


def wait_for_need(live, job, what, is_so, since):
    """The need when it was so; prints how long that took. It may have changed again since."""
    found = {}

    def look():
        found.update(need(live, job))
        return is_so(found["cpus"])

    wait_until(what, look, UNHURRIED)
    print(f"  {what}: {found['cpus']} cores, {time.monotonic() - since:.1f} s after it began", flush=True)
    return found


def uses_less_than_it_declares(live):
    """A third of a core, then all of it."""
    neighbour = live.submit(*NEIGHBOUR.words())
    words = ["--cpus", 1, "--needs", "learned", "--min-yield", GUARANTEED, "--mem", "96MiB"]
    job = live.submit(*words, "--", DUTY_CYCLE, "30:120", "100:60")
    wait_until("its first phase", lambda: has_begun(live, job, 30), 240)
    began = time.monotonic()
    assert need(live, job)["mode"] == "learned" and need(live, job)["declared_cpus"] == 1, need(live, job)
    found = wait_for_need(live, job, "30 % found", lambda cpus: cpus < LITTLE, began)
    assert found["cpus"] > 0.1, found
    assert abs(found["learned"]["used_cpus"] * 1.1 - found["cpus"]) < 0.01, found
    wait_until("its neighbour gets the rest", lambda: (live.job(neighbour)["yield"] or 0) > 0.55, UNHURRIED)
    told = live.call("why", job).out
    assert "of the 1 that it declares" in told, told
    live.kill()
    live.start()
    wait_until("what was learned is known again", lambda: need(live, job)["cpus"] == learned(live, job), 60)
    now = live.job(job)
    assert now["yield"] * now["need"]["cpus"] >= GUARANTEED - 1e-3, now
    wait_until("its second phase", lambda: has_begun(live, job, 100), 300)
    wait_for_need(live, job, "100 % followed", lambda cpus: cpus > MOST, time.monotonic())
    share = measured_share(live, job)
    print(f"  it uses {share:.3f} of a core beside a neighbour that wants all", flush=True)
    assert share > GUARANTEED, share
    wait_until("it has ended", lambda: live.job(job)["ended_at"], 600)
    assert (live.job(job)["state"], live.job(job)["exit_code"]) == ("completed", 0), live.job(job)
    wait_until("its neighbour has ended", lambda: live.job(neighbour)["ended_at"], 600)
    links, faults = chain_faults(live, neighbour, NEIGHBOUR)
    assert not faults, "\n".join(faults)
    print(f"  its neighbour: {links} links", flush=True)


def measured_share(live, job):
    """The largest of some windows: this machine may be busy with something else."""
    vcpu = Vcpu(live, 1, job)
    shares = []
    for _ in range(4):
        before = vcpu.read()
        time.sleep(4)
        after = vcpu.read()
        shares.append((after.cpu - before.cpu) / (after.at - before.at))
    return max(shares)


def uses_more_than_it_declares(live):
    words = ["--cpus", 0.1, "--max-cpus", 1, "--needs", "learned-up", "--mem", "96MiB"]
    job = live.submit(*words, "--", DUTY_CYCLE, "80:30")
    wait_until("it runs", lambda: live.places(job), 240)
    began = time.monotonic()
    wait_for_need(live, job, "80 % found by probes", lambda cpus: cpus > 0.6, began)
    wait_until("it has ended", lambda: live.job(job)["ended_at"], 600)
    assert live.job(job)["exit_code"] == 0, live.job(job)
    found = [e["event"] for e in live.events(job) if e["event"].get("event") == "need_learned"]
    assert any("the probe has shown" in event["why"] for event in found), found


def main():
    if not DUTY_CYCLE.exists():
        skip(f"{DUTY_CYCLE} has not been built")
    with deployment(nodes=1, node_mib=576, policy="DYNMCB8-ASAP-PER-5+match") as live:
        uses_less_than_it_declares(live)
        uses_more_than_it_declares(live)
        nothing_left(live)
        print("ok", flush=True)


if __name__ == "__main__":
    sys.exit(main())
