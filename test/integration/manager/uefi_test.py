#!/usr/bin/env python3
"""An image that boots by UEFI: its firmware remembers its settings in a file of the task, which goes with
it when it is saved, resumed and moved, and which is removed at its end. It is not moved while its image is
not what it was."""

import json
import pathlib
import shutil
import sys

from deployment import deployment, skip, wait_until
from images_test import Scene, ended, said
from uefi_disk import disk

FIRMWARE = pathlib.Path("/usr/share/OVMF/OVMF_CODE_4M.fd")
LONG = 60_000_000_000
MEMORY = ["--mem", "192MiB", "--cpus", "1"]


def add(s, name, loops):
    content = disk(s.live.state, name, loops)
    file = s.put(name, content)
    said(s.alice.call("image", "add", file, "--uefi"), 0, f"added image {name.split('.')[0]}")
    return file, content


def submit(s, *words):
    done = s.bob.call("submit", "--parsable", *MEMORY, *words)
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


def boot(s):
    add(s, "short.img", 1000)
    said(s.bob.call("image", "show", "short"), 0, "boots by UEFI")
    file = s.live.state / "images/short.img"
    said(s.alice.call("image", "add", file), 5, "was added with --uefi")
    said(s.bob.call("submit", *MEMORY, "--image", "short", "--hypervisor", "xen"), 4, "xen")
    job = submit(s, "--image", "short")
    nvram = s.live.spool / str(job) / "0.nvram"
    wait_until("its firmware has a file", nvram.exists, 60)
    ended(s.live, job, "completed")
    wait_until("the file is removed", lambda: not nvram.exists(), 60)
    print("an image boots by UEFI, and leaves nothing behind", flush=True)


def find_no_firmware(s):
    """On nodes that have none."""
    live = s.live

    def on_nodes(*words):
        for node in (1, 2):
            done = live.localcluster("exec", node, *words)
            assert done.returncode == 0, done.stderr

    on_nodes("mount", "-t", "tmpfs", "none", "/usr/share/qemu/firmware")
    job = submit(s, "--image", "short")
    wait_until("its start has failed", lambda: "install the package ovmf" in live.job(job)["note"], 60)
    on_nodes("umount", "/usr/share/qemu/firmware")
    ended(live, job, "completed")
    print("a node without firmware says what it needs, and has it then", flush=True)


def runs(live, job):
    vm = live.job(job)["vms"][0]
    return vm["node"] if vm["state"] == "running" and vm["doing"] is None else None


def save_and_move(s):
    live = s.live
    file, content = add(s, "long.img", LONG)
    job = submit(s, "--image", "long")
    nvram = live.spool / str(job) / "0.nvram"
    wait_until("its firmware has a file", nvram.exists, 60)
    wait_until("it runs", lambda: runs(live, job), 120)
    said(s.bob.call("hold", job), 0)
    wait_until("it is saved", lambda: live.job(job)["vms"][0]["state"] == "saved", 120)
    assert nvram.exists(), "a saved task keeps what its firmware remembers"
    said(s.bob.call("release", job), 0)
    node = wait_until("it runs again", lambda: runs(live, job), 120)
    damaged = s.tamper(content)
    live.ask("node", "drain", node, "--mode", "migrate")
    wait_until("the image is checked", lambda: damaged in json.dumps(live.events(job)), 120)
    assert runs(live, job) == node, "a VM whose image has changed runs on where it is"
    said(s.alice.call("image", "add", file, "--uefi"), 0)
    other = wait_until("it was moved", lambda: (at := runs(live, job)) != node and at, 240)
    wait_until("it has ended", lambda: live.job(job)["ended_at"], 600)
    assert live.job(job)["state"] == "completed", live.job(job)
    actions = [event["event"].get("action") for event in live.events(job)]
    assert "save" in actions and "migrate" in actions, actions
    wait_until("the file is removed", lambda: not nvram.exists(), 60)
    print(f"saved, resumed, not moved with a changed image, moved from {node} to {other}", flush=True)


def main():
    if not FIRMWARE.exists():
        skip("there is no UEFI firmware on this machine: tools/deps nodes (ovmf)")
    for program in ["mkfs.vfat", "mcopy"]:
        if not shutil.which(program):
            skip(f"{program} is not installed: tools/deps check")
    settings = {
        "api": ["  socket_mode: 0666"],
        "hypervisor": ['  qemu_group: ""'],  # the nodes' QEMU runs as root
        "roots": ["images"],
        "more": ["images:", "  max_size: 4MiB"],
    }
    with deployment(nodes=2, node_mib=512, policy="GREEDY", **settings) as live:
        scene = Scene(live)
        boot(scene)
        find_no_firmware(scene)
        save_and_move(scene)
        print("ok: images boot by UEFI, and are saved and moved")


if __name__ == "__main__":
    sys.exit(main())
