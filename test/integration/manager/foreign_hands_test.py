#!/usr/bin/env python3
"""Another program (virsh) moves, caps, pauses and destroys VMs of jobs: a move is followed, or undone where
the VM does not fit; a VM that is taken to a node that the manager does not know is said to be missing, and
its job neither fails nor gets credit; a cap is set again, a pause is ended. All of it is reported, and
nothing is lost."""

import os
import re
import signal
import sys
import time

from deployment import deployment, wait_until
from workload import Work, nothing_left, prove

MOVED = Work("moved", cpus=0.4, mib=64, lasts=25)
FILLS = Work("fills", cpus=0.4, mib=96, lasts=15)
DOOMED = Work("doomed", cpus=0.2, mib=32, lasts=5000)


def vm(live, job):
    return live.job(job)["vms"][0]


def runs_on(live, job, node):
    def there():
        shown = live.job(job)
        assert not shown["ended_at"], f"job {job} has ended: {shown['state']} {shown['note']}"
        at = shown["vms"][0]
        return at["node"] == node and at["state"] == "running" and at["doing"] is None

    wait_until(f"job {job} runs on {node}", there, 90)


def domain(live, node, job):
    return next(name for name in live.domains(node) if name.startswith(f"aliquot-{job}.0-"))


def reported(live, job, act):
    """Waits until the event log says that another program did this."""
    wait_until(
        f"job {job} is said to be {act}",
        lambda: any(e["event"].get("act") == act for e in live.events(job)),
        60,
        every=0.05,
    )


def told(live, job, words):
    """Waits until the history that `why` tells has these words."""
    wait_until(
        f"why tells: {words}",
        lambda: any(words in row["words"] for row in live.ask("why", job)["history"]),
        60,
    )


def move(live, job, source, target):
    uri = f"qemu+tcp://10.77.0.{10 + target}/system"
    live.virsh(source, "migrate", "--live", "--p2p", domain(live, source, job), uri, timeout=120)


def actions(live, job, word):
    return sum(e["event"].get("action") == word for e in live.events(job))


def counted(live, *acts):
    """Waits until the metrics of this run of the manager have counted these acts. That a VM has left its
    node may be told only with the node's next survey."""
    for act in acts:
        wait_until(
            f"{act} is counted",
            lambda a=act: live.metrics("aliquot_foreign_changes_total")[f'change="{a}"'] >= 1,
            60,
        )


def a_move_is_followed(live, job):
    move(live, job, 1, 2)
    runs_on(live, job, "node2")
    reported(live, job, "moved_here")
    told(live, job, "was migrated here by another program")
    reported(live, job, "moved_away")
    placed = wait_until("the plan follows", lambda: live.job(job)["nodes"])
    assert [n["node"] for n in placed] == ["node2"], placed
    assert actions(live, job, "migrate") == 0, "the manager moved it"
    assert actions(live, job, "create") == 1, "it was created anew"


def quota(live, node, job):
    said = live.virsh(node, "schedinfo", domain(live, node, job))
    return int(re.search(r"vcpu_quota *: *(-?\d+)", said).group(1))


def is_left_alone(live, job):
    """Nothing is asked or done of its VM: what comes next is not hidden by an action of the manager."""
    return not vm(live, job)["unclear"] and vm(live, job)["doing"] is None


def a_cap_is_set_again(live, job):
    wait_until("the move is dealt with", lambda: is_left_alone(live, job), 60)
    before = quota(live, 2, job)
    began = time.monotonic()
    live.virsh(2, "schedinfo", domain(live, 2, job), "--live", "--set", f"vcpu_quota={2 * before}")
    reported(live, job, "cap_changed")
    seen = time.monotonic() - began
    wait_until("the cap is as before", lambda: quota(live, 2, job) == before, 30)
    told(live, job, "was given another cap by another program")
    print(f"a changed cap was reported after {seen:.1f} s")


def a_pause_is_ended(live, job):
    live.virsh(2, "suspend", domain(live, 2, job))
    reported(live, job, "paused")
    wait_until(
        "the VM runs again",
        lambda: "running" in live.virsh(2, "domstate", domain(live, 2, job)),
        60,
    )
    runs_on(live, job, "node2")


def an_unheard_move_to_a_silent_node_is_waited_for(live, job):
    """It may start anew, but not beside the VM that a node has which does not answer."""
    live.kill()
    move(live, job, 2, 1)
    libvirtd = live.libvirtd(1)
    os.kill(libvirtd, signal.SIGSTOP)
    try:
        live.start()
        wait_until(
            "why names the node that may have its VM",
            lambda: "node node1 does not answer, and may have it" in live.ask("why", job)["text"],
            60,
        )
        time.sleep(4)  # it is asked again every two seconds
        shown = live.job(job)
        assert not shown["ended_at"] and shown["reruns"] == 0, shown
    finally:
        os.kill(libvirtd, signal.SIGCONT)
    runs_on(live, job, "node1")
    move(live, job, 1, 2)
    runs_on(live, job, "node2")
    assert live.job(job)["reruns"] == 0, "it has started anew beside its VM"


def a_vm_that_does_not_fit_comes_back(live, job, ids):
    """node2 holds `moved`: `fills`, which stands on node1, does not fit beside it."""
    ids["fills"] = live.submit(*FILLS.words())
    runs_on(live, ids["fills"], "node1")
    move(live, ids["fills"], 1, 2)
    told(live, ids["fills"], "where it does not fit")
    runs_on(live, ids["fills"], "node1")
    runs_on(live, job, "node2")


def a_missing_vm_is_waited_for(live, job):
    move(live, job, 2, 3)
    said = wait_until(
        "why says what to do",
        lambda: (why := live.ask("why", job)) and "configure the node" in why["text"] and why,
        60,
    )
    assert "none of the configured nodes" in said["text"], said["text"]
    credit = live.job(job)["virtual_s"]
    time.sleep(4)
    shown = live.job(job)
    assert not shown["ended_at"], shown["note"]
    assert shown["virtual_s"] == credit, "time is served that nothing is known of"
    move(live, job, 3, 2)
    runs_on(live, job, "node2")
    wait_until("it is missed no more", lambda: live.job(job)["note"] == "", 60)


def a_destroyed_vm_ends_its_job(live):
    job = live.submit(*DOOMED.words())
    runs_on(live, job, "node1")
    live.virsh(1, "destroy", domain(live, 1, job))
    wait_until("its job has ended", lambda: live.job(job)["ended_at"], 30)
    ended = live.job(job)
    assert ended["state"] == "failed" and "destroyed from outside" in ended["note"], ended


def main():
    with deployment(nodes=3, hidden=1, node_mib=224, policy="GREEDY") as live:
        wait_until("both nodes are up", lambda: live.ask("status")["nodes"]["up"] == 2)
        ids = {"moved": live.submit("--requeue", 2, *MOVED.words())}
        job = ids["moved"]
        runs_on(live, job, "node1")
        a_move_is_followed(live, job)
        a_cap_is_set_again(live, job)
        a_pause_is_ended(live, job)
        counted(live, "moved_away", "moved_here", "paused", "cap_changed")
        an_unheard_move_to_a_silent_node_is_waited_for(live, job)
        a_vm_that_does_not_fit_comes_back(live, job, ids)
        a_missing_vm_is_waited_for(live, job)
        a_destroyed_vm_ends_its_job(live)
        counted(live, "destroyed")
        for number in ids.values():
            wait_until(f"job {number} ends", lambda n=number: live.job(n)["ended_at"], 240)
        print(prove(live, ids, [MOVED, FILLS]))
        live.wait_until_empty(1, 2)
        nothing_left(live)
        assert not live.domains(3), "a VM was left on the node that is not configured"


if __name__ == "__main__":
    sys.exit(main())
