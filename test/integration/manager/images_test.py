#!/usr/bin/env python3
"""Ordinary users add disk images, boot them by name and remove them. After someone wrote to an image it is
refused by name and checksum, when a VM is created as when one is resumed, until it is added again. What is
added is what the user may read, however the file is exchanged meanwhile. Images outlive the manager and its
store."""

import hashlib
import os
import shutil
import subprocess
import sys
import threading

from access_scene import ATTACKER, SHADOW, SMALL, VICTIM, User
from boot_disk import disk
from checkpoint_test import kill_vm, wait_for_checkpoint
from deployment import BIN, deployment, wait_until

LONG = 0xFFFFFFFF


def sha256(content):
    return hashlib.sha256(content).hexdigest()


class Scene:
    """Two ordinary users, and a directory below a root for the first one's files."""

    def __init__(self, live):
        self.live = live
        os.chmod(live.state, 0o755)
        shutil.copy(BIN / "aliquot", live.state)
        self.alice, self.bob = User(live, VICTIM), User(live, ATTACKER)
        self.folder = live.state / "images"
        self.folder.mkdir()
        os.chown(self.folder, VICTIM, VICTIM)
        self.folder.chmod(0o755)

    def put(self, name, content, uid=VICTIM, mode=0o644):
        path = self.folder / name
        path.write_bytes(content)
        os.chown(path, uid, uid)
        path.chmod(mode)
        return path

    def stored(self, content):
        return self.live.spool / "content" / sha256(content)

    def tamper(self, content):
        """One byte of the stored image, as root."""
        path = self.stored(content)
        damaged = bytearray(path.read_bytes())
        damaged[-1] ^= 1
        path.write_bytes(damaged)
        return sha256(damaged)


def said(done, code, *words):
    assert done.returncode == code, f"{done.returncode}: {done.stdout} {done.stderr}"
    for word in words:
        assert str(word) in done.stdout + done.stderr, f"not said: {word}: {done.stdout} {done.stderr}"


def ended(live, job, state):
    wait_until(f"job {job} has ended", lambda: live.job(job)["ended_at"], 120)
    shown = live.job(job)
    assert shown["state"] == state, shown
    return shown


def add_boot_and_remove(s):
    short = disk(1000)
    said(s.alice.call("image", "add", s.put("short.img", short)), 0, "added image short", sha256(short))
    said(s.alice.call("image", "add", s.put("more.img", disk(9, 4))), 4, "images.max_per_user, 4MiB")
    for metric, value in {"aliquot_images": 1, "aliquot_image_bytes": len(short)}.items():
        wait_until(f"{metric} is {value}", lambda m=metric, v=value: s.live.metrics(m) == {"": v}, 20)
    image = s.live.ask("image", "list")["images"][0]
    assert image["image"] == "short" and image["format"] == "raw" and image["uid"] == VICTIM, image
    program = s.live.job(job := s.bob.submit("--image", "short"))["program"]
    assert program["image"] == "short" and program["image_sha256"] == sha256(short), program
    ended(s.live, job, "completed")
    held = s.bob.submit("--image", "short", "--hold")
    said(s.bob.call("image", "remove", "short"), 7, "only its owner, user id 1, or an operator")
    said(s.alice.call("image", "remove", "short"), 5, f"used by job {held}")
    assert s.live.ask("image", "show", "short")["used_by"] == [held]
    s.bob.call("cancel", held)
    wait_until("the job has ended", lambda: s.live.job(held)["ended_at"])
    said(s.alice.call("image", "remove", "short"), 0)
    wait_until("its content is removed", lambda: not s.stored(short).exists(), 20)
    said(s.bob.call("submit", *SMALL, "--image", "short"), 3, "there is no image short")
    print("an image is added, booted by another user, and removed when no job uses it")


def refuse(s):
    good = s.put("good.img", disk(1000))
    for path in [good, SHADOW, "../../etc/shadow"]:
        said(s.alice.call("submit", *SMALL, "--image", path), 2, "is a path", "aliquot image add")
    (s.folder / "link.img").symlink_to(SHADOW)
    said(s.alice.call("image", "add", s.folder / "link.img"), 4, "leads out of the directory")
    said(s.alice.call("image", "add", SHADOW), 4, "below none of the directories in files.roots")
    said(s.alice.call("image", "add", s.put("of-root.img", disk(9), 0, 0o600)), 7, "you may not read")
    said(s.alice.call("image", "add", s.put("large.img", disk(1, 5))), 4, "images.max_size")
    said(s.alice.call("image", "add", good, "--name", "../x"), 2, "is no image name")
    assert s.live.ask("image", "list")["images"] == []
    print("paths, links, files of others and large files are refused")


def exchange_during_the_copy(s):
    """The file is a link, now to a good image, now to one that only root may read."""
    good = disk(1000)
    over = threading.Event()

    def swap():
        while not over.is_set():
            for target in ["of-root.img", "good.img"]:
                (s.folder / "next").symlink_to(target)
                os.rename(s.folder / "next", s.folder / "swapped.img")

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        file = s.folder / "swapped.img"
        calls = [s.alice.call("image", "add", file, "--name", f"s{n}") for n in range(30)]
    finally:
        over.set()
        thread.join()
    images = s.live.ask("image", "list")["images"]
    assert images and all(image["sha256"] == sha256(good) for image in images), images
    assert {call.returncode for call in calls} <= {0, 3, 4, 7}, [call.stderr for call in calls]
    for image in images:
        said(s.alice.call("image", "remove", image["image"]), 0)
    print(f"{len(images)} of 30 were taken while the file was exchanged, with what the user may read")


def tamper(s):
    short = disk(2000)
    file = s.put("tampered.img", short)
    said(s.alice.call("image", "add", file), 0)
    damaged = s.tamper(short)
    note = ended(s.live, s.bob.submit("--image", "tampered"), "failed")["note"]
    for word in ["the image tampered has changed", damaged, sha256(short), "aliquot image add"]:
        assert word in note, note
    said(s.alice.call("image", "add", file), 0)
    ended(s.live, s.bob.submit("--image", "tampered"), "completed")
    print(f"a tampered image: {note}")


def lose_the_manager_and_its_store(s):
    """A job is saved; the store is lost and made anew; the image is tampered with; the job is to go on."""
    long, live = disk(LONG), s.live
    file = s.put("long.img", long)
    said(s.alice.call("image", "add", file), 0)
    job = s.bob.submit("--image", "long", "--name", "long")
    wait_until("the job runs", lambda: live.job(job)["state"] == "running", 60)
    said(s.bob.call("hold", job), 0)
    wait_until("it is saved", lambda: live.job(job)["vms"][0]["state"] == "saved", 60)
    live.kill()
    shutil.rmtree(live.state / "store")
    made = subprocess.run(
        [BIN / "aliquotd", "--config", live.state / "aliquot.yaml", "--rebuild-from-nodes"],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert made.returncode == 0, made.stdout + made.stderr
    damaged = s.tamper(long)
    live.start()  # a job that comes back is not held
    names = [image["image"] for image in live.ask("image", "list")["images"]]
    assert names == ["long", "tampered"], names
    assert live.ask("image", "show", "long")["used_by"] == [job]
    wait_until("it is not resumed", lambda: damaged in live.job(job)["note"], 60)
    assert "the image long has changed" in live.job(job)["note"], live.job(job)
    said(s.alice.call("image", "add", file), 0)
    live.call("release", job)
    ended(live, job, "completed")
    print("a saved job outlives the store, and is resumed only with the image that it had")


def go_back_to_a_checkpoint(s):
    """A job with a seed and input files loses its VM, and goes on with the disks that it had."""
    live = s.live
    words = ["--image", "long", "--checkpoint", "2s", "--stage-in", s.put("input", b"x" * 3000)]
    job = s.bob.submit(*words, "--", "true")
    wait_for_checkpoint(live, job, 1)
    (name,) = [name for name in live.domains(1) if name.startswith(f"aliquot-{job}.0-")]
    disks = live.virsh(1, "domblklist", name)
    for part in ["0.qcow2", "0.seed", "content/"]:
        assert part in disks, disks
    live.kill()
    kill_vm(live, job, 0)
    live.start()
    wait_until(
        f"job {job} has been restored",
        lambda: "rollback" in [entry["turn"] for entry in live.ask("why", job)["history"]],
        120,
    )
    wait_until(f"job {job} runs again", lambda: live.job(job)["state"] == "running", 120)
    assert [vm["incarnation"] for vm in live.job(job)["vms"]] == [1], live.job(job)
    live.call("cancel", job)
    wait_until("it has ended", lambda: live.job(job)["ended_at"])
    print("a job with a seed and input files goes back to its checkpoint")


def main():
    settings = {
        "api": ["  socket_mode: 0666"],
        "hypervisor": ['  qemu_group: ""'],  # the nodes' QEMU runs as root
        "roots": ["images"],
        "more": ["images:", "  max_size: 4MiB", "  max_per_user: 4MiB", "  max_total: 8MiB"],
    }
    with deployment(nodes=1, node_mib=512, policy="GREEDY", **settings) as live:
        scene = Scene(live)
        add_boot_and_remove(scene)
        refuse(scene)
        exchange_during_the_copy(scene)
        tamper(scene)
        lose_the_manager_and_its_store(scene)
        go_back_to_a_checkpoint(scene)
        print("ok: images are what they were, or are refused")


if __name__ == "__main__":
    sys.exit(main())
