#!/usr/bin/env python3
"""One node of libvirt and two of Xen under one manager: jobs share them below yield 1, are saved and
restored on Xen and moved between the Xen nodes, and each ends once with the right exit status and its hash
chain whole. With the first policy, the store is lost while a job is saved on Xen, and made again from the
nodes and the spool. Skipped where no emulated dom0 has been built.

  mixed_cluster_test.py [POLICY...]"""

import shutil
import subprocess
import sys

from deployment import BIN, GUEST, deployment, skip, wait_until
from workload import Work, nothing_left, prove

# More than the cores of the three nodes; long enough to be held and moved, on a machine that is shared.
WORKS = [Work(f"share{i}", mib=128, lasts=12, linux=True) for i in range(5)]
XEN = ("node2", "node3")
POLICIES = ["ALIQUOT", "DYNMCB8-ASAP-PER-5"]


def check_dom0():
    programs = [BIN / "aliquot-node-xen", BIN / "hypervisor_libxl_chain"]
    for file in [GUEST.parent / "xen-dom0/dom0.cpio", *programs]:
        if not file.exists():
            skip(f"{file} has not been built")


def place(live, number):
    """The node a job runs on; None: it does not run."""
    job = live.job(number)
    return job["nodes"][0]["node"] if job["state"] == "running" else None


def links_done(live, number):
    console = live.spool / str(number) / "0.log"
    return console.read_text(errors="replace").count("\nMICRO n=") if console.exists() else 0


def computes_on_xen(live, ids):
    """A job whose program is seen to run on a Xen node, and the node."""
    for number in ids.values():
        if (node := place(live, number)) in XEN and links_done(live, number) > 0:
            return number, node
    return None


def below_one(live):
    return any(j["state"] == "running" and 0 < j["yield"] < 1 for j in live.ask("list")["jobs"])


def lose_the_store(live):
    live.kill()
    shutil.rmtree(live.state / "store")
    command = [BIN / "aliquotd", "--config", live.state / "aliquot.yaml", "--rebuild-from-nodes"]
    made = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert made.returncode == 0, made.stderr
    live.start()
    return made.stdout


def prove_ended(live, ids):
    """A new store does not know the jobs that have ended. Returns the works of the others."""
    ended = [work for work in WORKS if live.job(ids[work.name])["ended_at"]]
    print("ok: before the store is lost:", prove(live, ids, ended), flush=True)
    return [work for work in WORKS if work not in ended]


def save_and_restore(live, ids, loses_store):
    """Returns the job, and the works that are still to be proven."""
    number, _ = wait_until("a job computes on Xen", lambda: computes_on_xen(live, ids), 240)
    live.call("hold", number)
    wait_until("it is saved", lambda: live.job(number)["vms"][0]["state"] == "saved", 240)
    works = WORKS
    if loses_store:
        works = prove_ended(live, ids)
        said = lose_the_store(live)
        assert said.count("taken back") == len(works), said
        print("ok: the store was made again:", said, flush=True)
        wait_until("the saved job is known", lambda: live.job(number)["vms"][0]["state"] == "saved", 60)
    live.call("release", number)
    done = links_done(live, number)
    wait_until("it goes on", lambda: links_done(live, number) > done, 240)
    return number, works


def move(live, ids):
    """Whatever runs on a Xen node leaves it for another; the libvirt node cannot take it."""
    number, node = wait_until("a job computes on Xen", lambda: computes_on_xen(live, ids), 240)
    other = next(name for name in XEN if name != node)
    live.ask("node", "drain", node)
    wait_until(f"it runs on {other}", lambda: place(live, number) == other, 400)
    live.ask("node", "resume", node)
    return number


def workload(policy, loses_store):
    with deployment(nodes=1, xen=2, node_mib=640, policy=policy) as live:
        ids = {work.name: live.submit(*work.words()) for work in WORKS}
        wait_until("a job runs below yield 1", lambda: below_one(live), 240)
        print(live.call("list").out, flush=True)
        number, works = save_and_restore(live, ids, loses_store)
        print("ok: saved and restored on Xen: job", number, flush=True)
        going = {work.name: ids[work.name] for work in works}
        print("ok: moved between the Xen nodes: job", move(live, going), flush=True)
        for name, number in going.items():
            wait_until(f"{name} ends", lambda n=number: live.job(n)["ended_at"], 900)
        print(f"ok: {policy}: {prove(live, going, works)}", flush=True)
        left = live.ask("node", "orphans")
        assert not any(left.values()), f"orphans: {left}"
        nothing_left(live)


def main():
    check_dom0()
    policies = sys.argv[1:] or POLICIES
    for policy in policies:
        workload(policy, loses_store=policy == policies[0])


if __name__ == "__main__":
    sys.exit(main())
