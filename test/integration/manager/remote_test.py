#!/usr/bin/env python3
"""A user of another machine: over TCP with a key, without access to the local socket. It submits a program
with its files, reads and follows output, attaches to a task, cancels, and is out when its key is revoked,
while it is connected. A viewer's key changes nothing. All of it is in the audit log, in which a change is
found."""

import os
import pathlib
import re
import subprocess

from attach_test import LEAVE, Terminal, runs, start_a_shell
from deployment import BIN, deployment, wait_until

USER, FORBIDDEN, CONFLICT = 1, 7, 5  # the user `daemon`
ELSEWHERE = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups"]
SMALL = ["--mem", "96MiB", "--cpus", "0.5"]


class Elsewhere:
    """A machine that has the program and a key: no socket of the manager's, and another user."""

    def __init__(self, live, key):
        self.home = live.state / f"elsewhere-{key}"
        self.home.mkdir()
        live.call("key", "new", key, "--user", "daemon", "--role", key, "--to", self.home / "a.key")
        for path in [self.home, self.home / "a.key"]:
            os.chown(path, USER, USER)
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(self.home), "ALIQUOT_KEY": "a.key"}

    def start(self, *words, **more):
        program = [*ELSEWHERE, self.program, *map(str, words)]
        return subprocess.Popen(
            program, cwd=self.home, env=self.environment, text=True, stdout=-1, stderr=-1, **more
        )

    @property
    def program(self):
        return self.home / "aliquot"

    def call(self, *words, code=0):
        said, wrong = (running := self.start(*words)).communicate(timeout=90)
        assert running.returncode == code, f"{words}: {running.returncode} {said} {wrong}"
        return said if code == 0 else wrong


def place_program(live, *machines):
    for machine in machines:
        machine.program.write_bytes((BIN / "aliquot").read_bytes())
        machine.program.chmod(0o755)


def submit_and_read(live, laptop):
    (laptop.home / "words.txt").write_text("from elsewhere\n")
    (laptop.home / "words.txt").chmod(0o644)
    job = int(
        laptop.call("submit", "--parsable", *SMALL, "--stage-in", "words.txt", "--", "cat", "words.txt")
    )
    laptop.call("watch", job)
    assert "from elsewhere" in laptop.call("logs", job)
    assert live.job(job)["uid"] == USER
    print(f"job {job} has come, run and been read over TCP", flush=True)


def follow_and_attach(live, laptop):
    """Output while it is written, and a shell beside the command."""
    lines = "for i in 1 2 3 4 5 6; do echo line $i; sleep 2; done; sleep 900"
    job = int(laptop.call("submit", "--parsable", *SMALL, "--", "sh", "-c", lines))
    following = laptop.start("logs", "--follow", job)
    wait_until("it runs", lambda: runs(live, job), 180)
    command = [*ELSEWHERE, laptop.program, "attach", str(job)]
    terminal = Terminal.of(command, cwd=laptop.home, env=laptop.environment)
    try:
        start_a_shell(terminal)
        terminal.type(b"echo over $((40 + 2)) wires\r")
        terminal.says("over 42 wires")
        terminal.type(LEAVE)
        assert terminal.ended() == 0, terminal.said
    finally:
        terminal.close()
    wait_until("all is written", lambda: "line 6" in laptop.call("logs", job), 120)
    laptop.call("cancel", job)
    said, wrong = following.communicate(timeout=120)
    assert "".join(f"line {i}\n" for i in range(1, 7)) in said, f"{following.returncode} {said!r} {wrong}"
    print(f"job {job} was followed, and attached to, over TCP", flush=True)


def cancel(live, laptop, viewer):
    job = int(laptop.call("submit", "--parsable", *SMALL, "--hold", "--", "sleep", "900"))
    assert "viewer" in viewer.call("cancel", job, code=FORBIDDEN)
    viewer.call("show", job)
    laptop.call("cancel", job)
    wait_until("it is cancelled", lambda: live.job(job)["state"] == "cancelled", 30)
    return job


def revoke_while_connected(live, laptop):
    asked = lambda: live.metrics("aliquot_rpc_origin_total")['origin="remote"']
    before = asked()
    watching = laptop.start("watch")
    wait_until("it watches", lambda: asked() >= before + 4, 60)
    live.call("key", "revoke", "user")
    said, wrong = watching.communicate(timeout=60)
    assert watching.returncode == FORBIDDEN, f"{watching.returncode} {said} {wrong}"
    assert "revoked" in laptop.call("list", code=FORBIDDEN)
    wait_until(
        "it was counted",
        lambda: live.metrics("aliquot_rpc_remote_refused_total")['cause="key"'] >= 2,
        30,
    )
    print("a revoked key is out, while connected and afterwards", flush=True)


def check_audit(live, cancelled):
    directory = live.state / "store/audit"
    wait_until("all is written", lambda: "handshake" in newest_text(directory), 30)
    verified = live.call("audit", "verify", directory, "-o", "json").json()
    records = live.call("audit", "show", directory, "-o", "json").json()["records"]
    told = [(r["method"], r.get("object"), r.get("key"), r["code"]) for r in records]
    for expected in [
        ("key.add", "key user", None, "ok"),
        ("cancel", f"job {cancelled}", "viewer", "forbidden"),
        ("cancel", f"job {cancelled}", "user", "ok"),
        ("key.revoke", "key user", None, "ok"),
        ("handshake", None, None, "forbidden"),
    ]:
        assert expected in told, f"{expected} is not in {told}"
    live.stop()
    head = re.findall(r"audit_head (\S+)", live.log.read_text())[-1]
    assert live.call("audit", "verify", directory, "--head", head).code == 0
    cut_the_end(directory)
    assert live.call("audit", "verify", directory).code == 0
    assert live.call("audit", "verify", directory, "--head", head).code == CONFLICT
    live.start()
    wait_until("the manager says so", lambda: "audit_broken" in live.log.read_text(), 30)
    print(f"the audit log had {verified['last']} lines, and a cut end was found", flush=True)


def newest_text(directory):
    return sorted(pathlib.Path(directory).glob("*.jsonl"))[-1].read_text()


def cut_the_end(directory):
    file = sorted(pathlib.Path(directory).glob("*.jsonl"))[-1]
    file.write_text("".join(file.read_text().splitlines(keepends=True)[:-1]))


def main():
    remote = ["  socket_mode: 0600", "  remote: tcp://127.0.0.1:0"]
    with deployment(nodes=1, api=remote) as live:
        address = re.findall(r"remote=(tcp://\S+)", live.log.read_text())[-1]
        print(f"clients of other machines connect to {address}", flush=True)
        os.chmod(live.state, 0o755)
        laptop, viewer = Elsewhere(live, "user"), Elsewhere(live, "viewer")
        place_program(live, laptop, viewer)
        submit_and_read(live, laptop)
        follow_and_attach(live, laptop)
        cancelled = cancel(live, laptop, viewer)
        revoke_while_connected(live, laptop)
        check_audit(live, cancelled)


if __name__ == "__main__":
    main()
