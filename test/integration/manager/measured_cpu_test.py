#!/usr/bin/env python3
"""The CPU that `aliquot show -o json` says a job has used is what its guests' vCPU threads had on this
machine's processors, within 2 % and what a VM used between its last reading and its departure from a node:
over a save, a restore on whatever node, live migrations and a manager that is killed. The amounts by run
add up to the sum, and what an ended job is said to have used is no older than a sampling period. The
metrics tell the same, and of libvirt what the events do. An account's sums are those of its jobs, running
and ended, and the same after a kill -9."""

import datetime
import sys
import time
import urllib.request

from deployment import deployment, wait_until
from guest_cpu import GuestCpu
from workload import UNIT

OFF_AT_MOST = 0.02
SAMPLED_EVERY_S = 2  # manager/housekeeping.cpp
LAST_READING_S = 0.3  # before a VM leaves a node or is ended by us; on a busy machine readings take long
RUN_S = 6  # between two changes
ENDLESS = ["--mem", "128MiB", "--cpus", 0.9, "--hash-chain", f"1000000:{UNIT}"]
LARGER = ["--mem", "256MiB", "--hash-chain", f"100000:{UNIT}"]


def runs_on(live, job, *nodes):
    vm = live.job(job)["vms"][0]
    return vm["state"] == "running" and vm["doing"] is None and vm["node"] in nodes


def unix(iso):
    return datetime.datetime.fromisoformat(iso.replace("Z", "+00:00")).timestamp()


def compare(live, job, guest, when, departures):
    """What is shown, with the instant it was read at, against what was measured up to then. `departures`:
    how often the VM has left a node by then."""
    asked = time.time()
    cpu = wait_until("a new reading", lambda: newer(live, job, asked), 30)
    time.sleep(0.1)
    measured, shown = guest.at(unix(cpu["read_at"])), cpu["used_s"]
    off = shown / measured - 1
    print(
        f"  {when}: shown {shown:.3f} s, measured {measured:.3f} s ({100 * off:+.2f} %), "
        f"granted {cpu['granted_s']:.3f} s, promised {cpu['promised_s']:.3f} s, "
        f"stolen {cpu['stolen_s']}, throttled {cpu['throttled_s']}, accuracy {cpu['accuracy']}, "
        f"{len(cpu['runs'])} runs",
        flush=True,
    )
    missing, slack = measured - shown, OFF_AT_MOST * measured
    assert (
        -slack <= missing <= slack + departures * LAST_READING_S
    ), f"{when}: {shown} s shown, {measured} s measured; {cpu}"
    by_run = sum(run["used_s"] for run in cpu["runs"])
    assert abs(by_run - shown) < 1e-3, f"{when}: {by_run} s in all runs, {shown} s in the sum"
    return cpu


def newer(live, job, asked):
    cpu = live.job(job)["cpu"]
    return cpu if cpu["read_at"] and unix(cpu["read_at"]) > asked else None


def save_and_restore(live, job):
    live.call("hold", job)
    wait_until("it is saved", lambda: live.job(job)["vms"][0]["state"] == "saved")
    live.call("release", job)
    wait_until("it runs again", lambda: runs_on(live, job, "node1", "node2"))


def migrate_there_and_back(live, job):
    """DYNMCB8 packs the larger job on the first node: one that comes and goes moves this one."""
    larger = live.submit(*LARGER)
    wait_until("it is moved away", lambda: runs_on(live, job, "node2"), 60)
    time.sleep(RUN_S)
    live.call("cancel", larger)
    wait_until("it is moved back", lambda: runs_on(live, job, "node1"), 60)


def metrics(live):
    """All series of the manager, by name and labels."""
    with urllib.request.urlopen(f"http://127.0.0.1:{live.http_port()}/metrics", timeout=10) as answer:
        lines = answer.read().decode().splitlines()
    pairs = (line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
    return {name: float(value) for name, value in pairs}


def without_a_reading(live, jobs, ask):
    """What `ask` returns at a moment without a reading, and the jobs' CPU before and after."""

    def asked():
        before = [live.job(job)["cpu"] for job in jobs]
        answer = ask()
        after = [live.job(job)["cpu"] for job in jobs]
        same = all(b["read_at"] == a["read_at"] for b, a in zip(before, after))
        return (answer, before, after) if same else None

    return wait_until("a moment without a reading", asked, 30)


def check_metrics(live, job, kept):
    """Since the manager was started again, when the job had used `kept` seconds: there and back."""
    series, [cpu], _ = without_a_reading(live, [job], lambda: metrics(live))
    used = cpu["used_s"] - kept
    counted = series['aliquot_account_cpu_seconds_total{account="ada"}']
    print(f"  metrics: {counted:.3f} s of its account, {used:.3f} s of the job meanwhile")
    assert abs(counted - used) <= OFF_AT_MOST * used + 0.01, "metrics and `show` differ"
    migrate = 'aliquot_libvirt_call_duration_seconds_count{call="migrate"}'
    moves, downtimes = series[migrate], series["aliquot_migration_downtime_seconds_count"]
    downtime = series["aliquot_migration_downtime_seconds_sum"]
    print(f"  {moves:g} migrations, {downtime:.3f} s of downtime in {downtimes:g}")
    assert moves == downtimes == 2, "two migrations, and the downtime of both"
    assert 0 < downtime < 5, "a live migration stops the guest for a moment"
    failed = [s for s in series if s.startswith("aliquot_libvirt_call_failures_total")]
    assert not failed, f"nothing failed, and yet there are {failed}"
    answers = series['aliquot_rpc_request_duration_seconds_count{method="show"}']
    asked = series['aliquot_rpc_requests_total{code="ok",method="show"}']
    assert answers == asked > 10, f"{answers} of {asked} answers were timed"


def check_end(live, job, guest, how, most):
    """What of an ended job is shown, but for `most` seconds."""
    ended = wait_until("it has gone", lambda: (j := live.job(job))["ended_at"] and j)
    time.sleep(0.3)
    measured, shown = guest.totals[-1][1], live.job(job)["cpu"]["used_s"]
    print(f"  {how}: shown {shown:.3f} s, measured {measured:.3f} s", flush=True)
    missing, slack = measured - shown, OFF_AT_MOST * measured
    assert -slack <= missing <= most + slack, f"{missing} s of job {ended['job']} are missing"


def uuid_of(live, node, job):
    name = next(n for n in live.domains(node) if n.startswith(f"aliquot-{job}."))
    return live.localcluster("virsh", node, "domuuid", name, timeout=30).stdout.strip()


def check_own_end(live):
    """Of a guest that powers off what came after the last count is missing."""
    job = live.submit("--account", "bob", "--mem", "32MiB", "--hash-chain", f"100:{UNIT}")
    wait_until("it runs", lambda: runs_on(live, job, "node1", "node2"))
    node = live.job(job)["vms"][0]["node"]
    with GuestCpu([uuid_of(live, node[len("node") :], job)]) as guest:
        check_end(live, job, guest, "ended by itself", SAMPLED_EVERY_S + 1)


def check_account(live, jobs, when):
    """The sums of account "ada" are those of its jobs, at a moment without a reading."""

    def account_of_ada():
        return live.call("accounts", "ada", "-o", "json").json()["accounts"][0]

    account, before, after = without_a_reading(live, jobs, account_of_ada)
    for key in ("promised_s", "granted_s", "used_s", "stolen_s", "throttled_s"):
        low, high = (sum(cpu[key] or 0 for cpu in cpus) for cpus in (before, after))
        assert (
            low - 1e-3 <= account["cpu"][key] <= high + 1e-3
        ), f"{when}: {key}: {account}, {before}"
    print(
        f"  {when}: account {account['cpu']['used_s']:.3f} s used, as its {len(jobs)} jobs",
        flush=True,
    )
    return account


def main():
    with deployment(nodes=2, node_mib=512, policy="DYNMCB8") as live:
        job = live.submit("--account", "ada", *ENDLESS)
        wait_until("the job runs", lambda: runs_on(live, job, "node1"))
        with GuestCpu([uuid_of(live, 1, job)]) as guest:
            time.sleep(RUN_S)
            compare(live, job, guest, "created", 0)
            save_and_restore(live, job)
            time.sleep(RUN_S)
            # What the next manager's metrics begin from. That one is not asked: by the time it answers it
            # may have counted what the job used while no manager ran.
            kept = compare(live, job, guest, "saved and restored", 1)["used_s"]
            live.kill()
            time.sleep(1)
            live.start()
            compare(live, job, guest, "after kill -9 of the manager", 1)
            migrate_there_and_back(live, job)
            time.sleep(RUN_S)
            cpu = compare(live, job, guest, "migrated twice", 3)
            assert len(cpu["runs"]) == 4, "created, restored, and two migrations: four runs"
            assert cpu["granted_s"] <= cpu["promised_s"] + 0.01, "more granted than promised"
            assert cpu["used_s"] <= 1.02 * cpu["granted_s"], "it used more than its caps allowed"
            actions = [e["event"].get("action") for e in live.events(job)]
            assert {"save", "restore", "migrate"} <= set(actions), f"only {set(actions)}"
            print(live.call("show", job).out)
            check_metrics(live, job, kept)
            assert check_account(live, [job], "running")["jobs"]["running"] == 1
            live.call("cancel", job)
            check_end(live, job, guest, "cancelled", 4 * LAST_READING_S)  # saved, moved twice, ended
            second = live.submit("--account", "ada", *ENDLESS)
            wait_until("it has used CPU", lambda: (live.job(second)["cpu"] or {}).get("used_s"), 30)
            counted = check_account(live, [job, second], "one ended, one running")["jobs"]
            assert (counted["cancelled"], counted["running"]) == (1, 1), counted
            live.kill()
            live.start()
            # As long as its node has not answered this start, it is unreachable.
            wait_until("it is seen to run", lambda: live.job(second)["state"] == "running")
            counted = check_account(live, [job, second], "after a second kill -9")["jobs"]
            assert (counted["cancelled"], counted["running"]) == (1, 1), counted
        check_own_end(live)
    print("ok")


if __name__ == "__main__":
    sys.exit(main())
