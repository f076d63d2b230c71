#!/usr/bin/env python3
"""Jobs with the hash-chain guest that ask for Xen: on a node with PVH guests they share it below yield 1,
have checkpoints, are saved and restored, and end with every line of their consoles right; on a node with PV
guests they fail with the reason. Beside them a disk image of the image store boots. Skipped where no
emulated dom0 has been built."""

import sys

from boot_disk import disk
from checkpoint_test import wait_for_checkpoint
from deployment import deployment, wait_until
from mixed_cluster_test import below_one, check_dom0, links_done
from workload import Work, nothing_left, prove

WORKS = [Work(f"chain{i}", mib=16, lasts=6, xen=True) for i in range(3)]


def save_and_restore(live, number):
    wait_until("the chain counts", lambda: links_done(live, number) > 0, 240)
    live.call("hold", number)
    wait_until("it is saved", lambda: live.job(number)["vms"][0]["state"] == "saved", 240)
    live.call("release", number)
    done = links_done(live, number)
    wait_until("it goes on", lambda: links_done(live, number) > done, 240)


def boot_an_image(live):
    folder = live.state / "images"
    folder.mkdir()
    (folder / "counts.img").write_bytes(disk(1000))
    added = live.call("image", "add", folder / "counts.img")
    assert added.code == 0, added.err
    asked = ["--hypervisor", "xen", "--image", "counts", "--cpus", "1", "--mem", "32MiB"]
    number = live.submit(*asked)
    wait_until("the image ends", lambda: live.job(number)["ended_at"], 240)
    job = live.job(number)
    assert job["state"] == "completed", job
    print("ok: a disk image of the image store has run on Xen", flush=True)


def on_pvh():
    settings = {"guests": "pvh", "node_mib": 640, "policy": "ALIQUOT", "roots": ["images"]}
    with deployment(nodes=0, xen=1, **settings) as live:
        boot_an_image(live)
        more = {"chain0": ["--checkpoint", "5s"]}
        ids = {work.name: live.submit(*more.get(work.name, []), *work.words()) for work in WORKS}
        wait_until("a job runs below yield 1", lambda: below_one(live), 240)
        wait_for_checkpoint(live, ids["chain0"], 1)
        save_and_restore(live, ids["chain0"])
        for name, number in ids.items():
            wait_until(f"{name} ends", lambda n=number: live.job(n)["ended_at"], 900)
        print("ok: hash chains on PVH guests:", prove(live, ids, WORKS), flush=True)
        nothing_left(live)


def on_pv():
    with deployment(nodes=0, xen=1, node_mib=640, policy="ALIQUOT") as live:
        plain = live.call("submit", "--hash-chain", "1:1", "--mem", "16MiB")
        assert plain.code != 0 and "give --hypervisor xen" in plain.err, plain.err
        number = live.submit(*WORKS[0].words())
        wait_until("the job ends", lambda: live.job(number)["ended_at"], 240)
        job = live.job(number)
        assert job["state"] == "failed" and "--guests pvh" in job["note"], job
        print("ok: on PV guests:", job["note"], flush=True)


def main():
    check_dom0()
    on_pvh()
    on_pv()


if __name__ == "__main__":
    sys.exit(main())
