#!/usr/bin/env python3
"""An ordinary user tries to read /etc/shadow through a virtual machine, to get at another user's program,
output or state, and to charge another's account. Prints each attempt with what came of it; fails if one
works."""

import hashlib
import json
import os
import re
import signal
import sys
import threading
import time
import urllib.request

from access_scene import ARGUMENT, ATTACKER, NAME, OUTPUT, SHADOW, SMALL, VICTIM, Scene, Worked, sha256_of
from deployment import deployment, wait_until

ATTEMPTS = []


def attempt(title):
    return lambda function: ATTEMPTS.append((title, function))


# --- /etc/shadow, through the hypervisor


@attempt("boot /etc/shadow as a kernel")
def _(s):
    return s.attacker.submits("--kernel", SHADOW)


@attempt("boot a good kernel with /etc/shadow as its initrd")
def _(s):
    return s.attacker.submits("--kernel", s.kernel, "--initrd", SHADOW)


@attempt("boot /etc/shadow as a disk")
def _(s):
    return s.attacker.boots(SHADOW)


@attempt("go up from a root with ..")
def _(s):
    return s.attacker.boots(f"{s.root}/../../../../../../etc/shadow")


@attempt("write the path with // and /.")
def _(s):
    return s.attacker.boots("//etc/./shadow")


@attempt("a symbolic link to it below a root")
def _(s):
    return s.attacker.boots(s.place("link", f"ln -s {SHADOW} link"))


@attempt("a relative symbolic link to it")
def _(s):
    return s.attacker.boots(s.place("up", f"ln -s ../../../../../..{SHADOW} up"))


@attempt("a symbolic link to its folder")
def _(s):
    return s.attacker.boots(s.place("folder", "ln -s /etc folder") / "shadow")


@attempt("a symbolic link through /proc/1/root")
def _(s):
    return s.attacker.boots(s.place("proc", f"ln -s /proc/1/root{SHADOW} proc"))


@attempt("a hard link to it below a root")
def _(s):
    done = s.attacker.run("ln", SHADOW, s.drop / "hard")
    return done.stderr if done.returncode else s.attacker.boots(s.drop / "hard")


@attempt("the environment of the manager as an initrd")
def _(s):
    return s.attacker.submits("--kernel", s.kernel, "--initrd", "/proc/self/environ")


@attempt("a pipe as a disk, which would stop the manager")
def _(s):
    return s.attacker.boots(s.place("pipe", "mkfifo pipe"))


@attempt("a qcow2 image whose backing file it is")
def _(s):
    head = b"QFI\xfb" + bytes([0, 0, 0, 3]) + (104).to_bytes(8, "big") + len(SHADOW).to_bytes(4, "big")
    (s.drop / "layer").write_bytes((head + bytes(84) + SHADOW.encode()).ljust(1 << 16, b"\0"))
    return s.attacker.boots(s.drop / "layer")


@attempt("a kernel that only root may read")
def _(s):
    return s.attacker.submits("--kernel", s.root / "of-root")


@attempt("exchange the kernel between submission and start")
def _(s):
    own = s.place("own", f"cp {s.kernel} own")
    words = ["--kernel", own, "--cmdline", "total=3 unit=1000"]
    job = s.attacker.submit("--hold", *words)
    own.unlink()
    own.symlink_to(SHADOW)
    assert s.attacker.call("release", job).returncode == 0
    wait_until("it has ended or failed", lambda: console_of(s, job) or s.live.job(job)["note"], 120)
    if "MICRO start" not in console_of(s, job):
        raise Worked(f"the VM was started with the new file: {s.live.job(job)['note']}")
    return "the VM booted what was submitted"


def console_of(s, job):
    return s.live.call("logs", job).out


@attempt("exchange it while the manager takes it, 40 times")
def _(s):
    good = hashlib.sha256(s.kernel.read_bytes()).hexdigest()
    swapping = threading.Event()

    def swap():
        while not swapping.is_set():
            for target in ["../of-root", "../kernel"]:
                (s.drop / "next").symlink_to(target)
                os.rename(s.drop / "next", s.drop / "swapped")

    thread = threading.Thread(target=swap)
    thread.start()
    taken = 0
    try:
        for _ in range(40):
            words = ["--hold", "--parsable", *SMALL, "--kernel", s.drop / "swapped"]
            done = s.attacker.call("submit", *words)
            if done.returncode == 0:
                taken += 1
                job = int(done.stdout)
                sha256 = s.live.job(job)["program"].get("kernel_sha256")
                s.attacker.call("cancel", job)
                if sha256 != good:
                    raise Worked(f"job {job} has another content")
    finally:
        swapping.set()
        thread.join()
    assert taken, "the race was never run"
    return f"{taken} of 40 were taken, with the content that the user may read"


# --- another user's program, output and state


@attempt("boot a kernel that only its owner may read")
def _(s):
    return s.attacker.submits("--kernel", s.root / "of-the-victim")


@attempt("list the spool")
def _(s):
    done = s.attacker.run("ls", "-R", s.live.spool)
    if done.stdout.strip().count("\n"):
        raise Worked(f"{len(done.stdout.split())} names")
    return done.stderr


@attempt("read the programs in the spool")
def _(s):
    return s.attacker.reads(*[p for f in ["archives", "content"] for p in (s.live.spool / f).glob("*")])


@attempt("read the program as its VM unpacks it")
def _(s):
    folder = s.live.spool / str(s.ended)
    return s.attacker.reads(*[path for path in folder.iterdir()], folder / "initrd.img")


@attempt("read its output on disk")
def _(s):
    return s.attacker.reads(s.live.spool / f"{s.ended}/0.log")


@attempt("read its status channel on disk")
def _(s):
    return s.attacker.reads(s.live.spool / f"{s.ended}/0.status")


@attempt("read the store of the manager")
def _(s):
    return s.attacker.reads(*(s.live.state / "store").glob("*"))


@attempt("read the journal of the manager")
def _(s):
    return s.attacker.reads(s.live.state / "journal.jsonl")


@attempt("aliquot logs")
def _(s):
    return s.attacker.learns("logs", s.ended)


@attempt("aliquot show, of a job that has ended")
def _(s):
    return s.attacker.learns("show", s.ended, "-o", "json")


@attempt("aliquot show, of a job that waits")
def _(s):
    return s.attacker.learns("show", s.waiting, "-o", "json")


@attempt("aliquot list")
def _(s):
    return s.attacker.learns("list", "--all", "-o", "json")


@attempt("aliquot why")
def _(s):
    return s.attacker.learns("why", s.waiting, "-o", "json")


@attempt("aliquot events")
def _(s):
    return s.attacker.learns("events", "-o", "json")


@attempt("aliquot plan")
def _(s):
    return s.attacker.learns("plan", "-o", "json")


@attempt("aliquot node show")
def _(s):
    return s.attacker.learns("node", "show", "node1", "-o", "json")


@attempt("listen to all events")
def _(s):
    heard = []
    wire = ["python3", s.live.state / "wire.py", "listen", s.live.state / "run/events.sock", "4"]
    thread = threading.Thread(target=lambda: heard.append(s.attacker.run(*wire)))
    thread.start()
    time.sleep(1)
    s.victim.submit("--hold", "--name", NAME, "--", "sh", "-c", "true", ARGUMENT)
    thread.join()
    return s.attacker.learns(of=heard[0])


@attempt("the status page")
def _(s):
    page = f"http://127.0.0.1:{s.live.settings['port']}"
    for path in ["/api/v1/status", f"/api/v1/why?job={s.waiting}", "/api/v1/node?name=node1", "/metrics"]:
        text = urllib.request.urlopen(page + path, timeout=20).read().decode()
        for secret in [ARGUMENT, OUTPUT, NAME]:
            if secret in text:
                raise Worked(f"{path} has {secret}")
    return "no secret in it"


@attempt("submit the victim's program by its hash")
def _(s):
    return s.attacker.submits_archive(s.live.job(s.waiting)["program"]["archive_sha256"])


@attempt("submit files of others as the archive of a program")
def _(s):
    paths = [SHADOW, s.root / "of-the-victim", s.root / "of-root"]
    return " ".join(s.attacker.submits_archive(sha256_of(path), path) for path in paths)


@attempt("ask for the output without a ticket")
def _(s):
    return s.attacker.asks("logs", f'{{"job":{s.ended}}}', '{"ticket":""}')


@attempt("ask for the output with a ticket that was guessed")
def _(s):
    return s.attacker.asks("logs", f'{{"job":{s.ended}}}', f'{{"ticket":"{"0" * 32}"}}')


@attempt("ask for the output under a routing id of one's own")
def _(s):
    return s.attacker.asks("logs", f'{{"job":{s.ended}}}', '{"routing_id":"victim"}')


@attempt("cancel the victim's job")
def _(s):
    return s.attacker.succeeds("cancel", s.waiting)


@attempt("release the victim's job")
def _(s):
    return s.attacker.succeeds("release", s.waiting)


@attempt("change the policy")
def _(s):
    return s.attacker.succeeds("policy", "set", "FCFS")


# --- another's account

WIRE_JOB = (
    '"cpu_microcores":100000,"memory_bytes":33554432,"hold":true,'
    '"program":{"kind":"hash_chain","blocks":1,"unit":1}'
)


@attempt("charge the victim's account")
def _(s):
    return s.attacker.submits("--hash-chain", "1:1", "--account", "lab")


@attempt("charge an account that nobody has")
def _(s):
    return s.attacker.submits("--hash-chain", "1:1", "--account", "nobody-s")


@attempt("charge it from a job file")
def _(s):
    file = s.place("job.yaml", 'printf "hash-chain: 1:1\\naccount: lab\\n" > job.yaml')
    return s.attacker.submits("--file", file)


@attempt("charge it on the wire")
def _(s):
    return s.attacker.asks("submit", f'{{{WIRE_JOB},"account":"lab"}}')


@attempt("submit as the victim")
def _(s):
    return s.attacker.asks("submit", f'{{{WIRE_JOB},"account":"lab","uid":{VICTIM}}}')


def page_of(s):
    url = f"http://127.0.0.1:{s.live.settings['port']}/api/v1/status"
    return json.load(urllib.request.urlopen(url, timeout=20))


def reload_with(s, privacy):
    file = s.live.state / "aliquot.yaml"
    file.write_text(re.sub(r"privacy: \w+", f"privacy: {privacy}", file.read_text()))
    s.live.manager.send_signal(signal.SIGHUP)
    wait_until(
        f"jobs are {privacy}",
        lambda: s.attacker.call("show", s.waiting).returncode == (3 if privacy == "private" else 0),
    )


def privacy_is_live(s):
    """The other settings of privacy, by SIGHUP: with `private` the victim's jobs are not there, with `open`
    only their output is secret."""
    reload_with(s, "private")
    seen = json.loads(s.attacker.call("list", "--all", "-o", "json").stdout)["jobs"]
    assert all(job["uid"] == ATTACKER for job in seen), seen
    for words in [["why", s.waiting], ["events", s.waiting], ["show", s.ended], ["show", 999999]]:
        assert s.attacker.call(*words).returncode == 3, words
    assert "lab" not in s.attacker.call("accounts", "-o", "json").stdout
    assert not page_of(s)["jobs"], "the page lists jobs"
    assert ARGUMENT in s.victim.call("show", s.waiting, "-o", "json").stdout, "its own job"
    assert ARGUMENT in s.live.call("show", s.waiting, "-o", "json").out, "an operator"
    reload_with(s, "open")
    assert ARGUMENT in s.attacker.call("show", s.waiting, "-o", "json").stdout
    assert NAME in s.attacker.call("list", "-o", "json").stdout
    assert s.attacker.call("logs", s.ended).returncode == 7, "the output of another"
    print("privacy: private and open hold as queue does")


def main():
    access = {
        "api": ["  socket_mode: 0666", "  privacy: queue", '  accounts: ["lab=daemon", "other=nobody"]'],
        "hypervisor": ['  qemu_group: ""'],  # the nodes' QEMU runs as root
        "roots": ["images"],
        "port": 9763,
    }
    with deployment(nodes=1, node_mib=512, **access) as live:
        scene, worked = Scene(live), []
        for number, (title, function) in enumerate(ATTEMPTS, 1):
            try:
                verdict = "no: " + " ".join((function(scene) or "").split())[:110]
            except (Worked, AssertionError) as got:
                verdict = f"WORKED: {got}"
                worked.append(title)
            print(f"{number:3} {title:55} {verdict}", flush=True)
        # A kernel that QEMU cannot load: held capacity and was tried for ever.
        wait_until("the broken job has ended", lambda: live.job(scene.broken)["ended_at"], 120)
        broken = live.job(scene.broken)
        assert broken["state"] == "failed" and "create failed" in broken["note"], broken
        privacy_is_live(scene)
        live.call("cancel", scene.waiting)
        for path in [live.spool, *live.spool.rglob("*")]:
            assert path.stat().st_mode & 0o077 == 0, f"{path} is open to other users"
        assert not worked, f"{len(worked)} of {len(ATTEMPTS)} attempts worked: {', '.join(worked)}"
        print(f"ok: none of {len(ATTEMPTS)} attempts worked")


if __name__ == "__main__":
    sys.exit(main())
