#!/usr/bin/env python3
"""Nothing of a job's network or of its VMs outlives the job: twenty jobs of four tasks with networks, on
real nodes, while the manager is killed at submissions, while VMs start, while they run, while they are
saved and while they end. What stands on every node and in the spool is counted before and after.

Then what a network costs: from the submission of four tasks until all their VMs run, with a network and
without one in turn. The test prints the figure of a few pairs; for one that is worth quoting, on a machine
that does nothing else, and the same for each action of a running job:

  network_leak_test.py --pairs 20"""

import argparse
import re
import statistics
import subprocess
import sys

from boot_disk import disk
from deployment import BIN, GUEST, deployment, wait_until
from workload import UNIT

NODES = 2
TASKS = 4
TINY = ["--tasks", TASKS, "--cpus", "0.1", "--mem", "16MiB"]
# Two guests without an operating system: a kernel, and a disk image with an overlay and a seed for each
# task, which the seed's command does not disturb.
KERNEL = ["--kernel", GUEST / "hashchain.elf", "--cmdline"]
SHORT, LONG = f"total=3 unit={UNIT}", f"total=100000 unit={UNIT}"
IMAGE_SHORT, IMAGE_LONG = disk(1000), disk(0xFFFFFFFF)
PAIR_BOUND_S = 5  # a network that takes longer than this is at fault, however slow the machine is

# Name of a kind of thing -> the command that lists the things of this kind on a node, one a line.
KINDS = {
    "network devices": "ip -o link show | cut -d: -f2",  # /sys shows those of the machine, not of the node
    "nftables": "nft list tables",
    "files of the hook": "find /run/libvirt/aliquot-networks -mindepth 1 ! -name lock",
    "domains": "virsh -c qemu:///system list --all --name | grep .",
    "files of libvirt": "find /run/libvirt/qemu /var/lib/libvirt/qemu -mindepth 1 ! -name '*.pid'",
    "QEMU processes": "pgrep -a qemu-system",
    "mounts": "cut -d' ' -f2 /proc/mounts",
}
# What the spool may keep of a job that has ended: its output, its end and its description.
KEPT = re.compile(r"\d+\.log(\.previous)?|\d+\.(\d+\.)?status|job\.json")


def things(live):
    """All that stands on the nodes: kind -> {(node, thing)}."""
    found = {kind: set() for kind in KINDS}
    for node in range(1, NODES + 1):
        for kind, command in KINDS.items():
            said = live.localcluster("exec", node, "sh", "-c", command, timeout=60).stdout
            found[kind] |= {(node, line) for line in said.splitlines()}
    files = [path for path in live.spool.glob("[0-9]*/*") if not KEPT.fullmatch(path.name)]
    found["files of jobs"] = {(0, str(path.relative_to(live.spool))) for path in files}
    return found


def more_than(before, live):
    now = things(live)
    return {kind: sorted(now[kind] - before[kind]) for kind in now if now[kind] - before[kind]}


def expect_all_kinds(before, live):
    """While jobs run there is more of everything that is counted, or the count is blind."""
    more = more_than(before, live)
    missing = set(KINDS) - {"mounts"} - set(more)
    assert not missing, f"of these there is nothing while 16 VMs run: {missing}"
    files = " ".join(name for _, name in more["files of jobs"])
    assert ".qcow2" in files and ".seed" in files, f"no overlays or seeds: {files}"


class Round:
    """Four jobs, named after the point at which the manager is killed. The first two end by themselves soon
    unless `lasting`; the others last until they are cancelled."""

    def __init__(self, live, name, lasting=False):
        self.live, self.name = live, name
        kernel, image = (LONG, "long") if lasting else (SHORT, "short")
        self.programs = [[*KERNEL, kernel], ["--image", image, "--", "true"]]
        self.programs += [[*KERNEL, LONG], ["--image", "long", "--", "true"]]
        self.jobs = []

    def words(self, number):
        key = ["--key", f"{self.name.replace(' ', '-')}-{number}"]
        return ["submit", "--parsable", "--network", "job", *key, *TINY, *self.programs[number]]

    def submit(self):
        for number in range(len(self.programs)):
            answer = self.live.call(*self.words(number))
            assert answer.code == 0, f"{self.words(number)}: {answer.code} {answer.err}"
            self.jobs.append(int(answer.out))

    def vms(self):
        return [vm for job in self.jobs for vm in self.live.job(job)["vms"]]

    def all_are(self, state):
        wait_until(
            f"all VMs are {state}",
            lambda: all(vm["state"] in (state, "ended") and not vm["doing"] for vm in self.vms()),
            120,
        )

    def restart(self):
        self.live.kill()
        self.live.start()

    def cancel(self, jobs):
        for job in jobs:
            self.live.call("cancel", job)

    def end(self):
        """Those that end by themselves have completed, the others are cancelled."""
        for job in self.jobs[:2]:
            wait_until(f"job {job} has ended", lambda job=job: self.live.job(job)["ended_at"], 180)
            assert self.live.job(job)["state"] == "completed", self.live.job(job)
        self.cancel(self.jobs[2:])
        for job in self.jobs[2:]:
            wait_until(f"job {job} has ended", lambda job=job: self.live.job(job)["ended_at"], 60)


def at_submission(live, _):
    jobs = Round(live, "at submissions")
    senders = [
        subprocess.Popen(
            [BIN / "aliquot", *map(str, jobs.words(number))],
            env=live.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        for number in range(4)
    ]
    senders[0].stdout.readline()
    jobs.restart()
    for sender in senders:
        sender.communicate(timeout=60)
    jobs.submit()  # the same keys: what was accepted is not accepted again
    jobs.end()
    return jobs


def while_vms_start(live, _):
    jobs = Round(live, "while VMs start")
    jobs.submit()
    wait_until("a VM is being created", lambda: any(vm["doing"] for vm in jobs.vms()), 60, every=0.01)
    jobs.restart()
    jobs.end()
    return jobs


def while_vms_run(live, before):
    jobs = Round(live, "while VMs run", lasting=True)
    jobs.submit()
    jobs.all_are("running")
    expect_all_kinds(before, live)
    jobs.restart()
    jobs.all_are("running")
    jobs.cancel(jobs.jobs)
    return jobs


def while_vms_are_saved(live, _):
    jobs = Round(live, "while VMs are saved", lasting=True)
    jobs.submit()
    jobs.all_are("running")
    for job in jobs.jobs:
        live.call("hold", job)
    wait_until("a VM is being saved", lambda: list(live.spool.glob("*/*.save*")), 60, every=0.002)
    jobs.restart()
    jobs.all_are("saved")
    live.call("release", jobs.jobs[0])
    jobs.cancel(jobs.jobs[1:])
    wait_until("a job runs again", lambda: live.job(jobs.jobs[0])["state"] == "running", 120)
    jobs.cancel(jobs.jobs[:1])
    return jobs


def while_vms_end(live, _):
    jobs = Round(live, "while VMs end", lasting=True)
    jobs.submit()
    jobs.all_are("running")
    jobs.cancel(jobs.jobs)
    jobs.restart()
    return jobs


def leave_nothing(live):
    before = things(live)
    jobs = []
    for each in [at_submission, while_vms_start, while_vms_run, while_vms_are_saved, while_vms_end]:
        done = each(live, before)
        print(f"ok: four jobs; the manager was killed {done.name}", flush=True)
        jobs += done.jobs
    assert len(set(jobs)) == 20, jobs
    wait_until("all jobs have ended", lambda: not live.ask("list")["jobs"], 120)
    listed = [row["job"] for row in live.ask("list", "--all")["jobs"]]
    assert sorted(listed) == sorted(jobs), f"jobs {listed}, not {jobs}"
    try:
        wait_until("nothing is left", lambda: not more_than(before, live), 30, every=1)
    except AssertionError as late:
        raise AssertionError(f"left behind: {more_than(before, live)}") from late
    counts = ", ".join(f"{len(found)} {kind}" for kind, found in before.items())
    print(f"ok: {len(jobs)} jobs of {TASKS} tasks; before and after: {counts}", flush=True)


def start_seconds(live, network):
    """From the submission until the last VM of the job runs, on the manager's clock."""
    job = live.submit("--network", network, *TINY, *KERNEL, LONG)
    wait_until("all VMs run", lambda: live.job(job)["state"] == "running", 60, every=0.05)
    events = live.events(job)
    live.call("cancel", job)
    wait_until("its VMs are gone", lambda: not any(map(live.domains, range(1, NODES + 1))), 60)
    releases = {e["event"]["op"] for e in events if e["event"].get("action") == "release"}
    outcomes = [e for e in events if e["event"].get("event") == "outcome" and e["event"]["op"] in releases]
    submitted = next(e["at_s"] for e in events if e["event"].get("event") == "submitted")
    return max(e["at_s"] for e in outcomes) - submitted


def start_cost(live, pairs):
    seconds = {"none": [], "job": []}
    for pair in range(pairs):
        for network in sorted(seconds, reverse=pair % 2 == 0):
            seconds[network].append(start_seconds(live, network))
    without, with_one = (statistics.median(seconds[network]) for network in ["none", "job"])
    print(
        f"start of {TASKS} tasks on {NODES} nodes, median of {pairs}: {1000 * without:.0f} ms without a "
        f"network, {1000 * with_one:.0f} ms with one: {1000 * (with_one - without):+.0f} ms",
        flush=True,
    )
    return with_one - without


def lead_through_actions(live, network):
    """A job whose VMs are capped, saved, restored and moved: microseconds of each action that succeeded, by
    its name."""
    words = ["--network", network, "--tasks", 2, "--cpus", "0.4", "--mem", "16MiB", *KERNEL, LONG]
    job = live.submit(*words)

    def all_are(state):
        vms = live.job(job)["vms"]
        return all(vm["state"] == state and not vm["doing"] for vm in vms)

    wait_until("it runs", lambda: all_are("running"), 60, every=0.05)
    other = live.submit("--network", "none", "--tasks", 2, "--cpus", 1, "--mem", "16MiB", *KERNEL, LONG)
    wait_until("the other job runs", lambda: live.job(other)["state"] == "running", 60, every=0.05)
    live.call("cancel", other)
    wait_until("the other job has ended", lambda: live.job(other)["ended_at"], 60, every=0.05)
    live.call("hold", job)
    wait_until("it is saved", lambda: all_are("saved"), 60, every=0.05)
    live.call("release", job)
    wait_until("it runs again", lambda: all_are("running"), 60, every=0.05)
    live.call("node", "drain", "node1")
    wait_until("node1 is empty", lambda: not live.domains(1) and all_are("running"), 60, every=0.05)
    live.call("node", "resume", "node1")
    events = [e["event"] for e in live.events(job)]
    live.call("cancel", job)
    wait_until("its VMs are gone", lambda: not any(map(live.domains, range(1, NODES + 1))), 60)
    return events


def action_costs(live, pairs):
    took = {}
    for pair in range(pairs):
        for network in sorted(["none", "job"], reverse=pair % 2 == 0):
            events = lead_through_actions(live, network)
            actions = {e["op"]: e["action"] for e in events if e.get("action")}
            for event in events:
                if event.get("event") == "outcome" and "error" not in event:
                    took.setdefault((actions[event["op"]], network), []).append(event["took"] / 1000)
    for action in ["cap", "save", "restore", "migrate"]:
        without, with_one = (statistics.median(took[action, network]) for network in ["none", "job"])
        counts = f"{len(took[action, 'none'])} and {len(took[action, 'job'])}"
        print(
            f"{action}, medians of {counts}: {without:.0f} ms without a network, {with_one:.0f} ms with "
            f"one: {with_one - without:+.0f} ms",
            flush=True,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--pairs", type=int, default=0, help="measure so many pairs, and nothing else")
    wish = parser.parse_args()
    settings = {"roots": ["images", GUEST], "more": ["network:", "  jobs: on-request"]}
    with deployment(nodes=NODES, node_mib=640, policy="ALIQUOT", **settings) as live:
        (live.state / "images").mkdir()
        for name, content in {"short": IMAGE_SHORT, "long": IMAGE_LONG}.items():
            (live.state / "images" / name).write_bytes(content)
            added = live.call("image", "add", live.state / "images" / name)
            assert added.code == 0, added.err
        if not wish.pairs:
            leave_nothing(live)
        cost = start_cost(live, wish.pairs or 3)
        assert cost < PAIR_BOUND_S, f"a network takes {cost:.1f} s"
        if wish.pairs:
            action_costs(live, wish.pairs)


if __name__ == "__main__":
    sys.exit(main())
