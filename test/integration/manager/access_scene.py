"""A victim with jobs, and an attacker: two ordinary users of a live manager."""

import hashlib
import json
import os
import shutil
import subprocess
from pathlib import Path

from deployment import BIN, GUEST, wait_until

VICTIM, ATTACKER = 1, 65534
SHADOW = "/etc/shadow"
ARGUMENT, OUTPUT, NAME = "argument-7f3a91", "output-5c20de", "name-b81e44"
SMALL = ["--mem", "96MiB", "--cpus", "0.5"]

class Worked(Exception):
    """What the attempt got."""


def sha256_of(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


class User:
    def __init__(self, live, uid):
        self.live, self.uid = live, uid
        self.prefix = ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups"]

    def run(self, *words, **more):
        return subprocess.run(
            [*self.prefix, *map(str, words)],
            env=self.live.environment,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=60,
            **more,
        )

    def call(self, *words):
        return self.run(self.live.state / "aliquot", *words)

    def submit(self, *words):
        done = self.call("submit", "--parsable", *SMALL, *words)
        assert done.returncode == 0, f"uid {self.uid}: {words}: {done.stderr}"
        return int(done.stdout)


class Attacker(User):
    """Each method is an attempt: it returns what was said, or raises Worked."""

    def submits(self, *words):
        done = self.call("submit", "--hold", "--parsable", *SMALL, *words)
        if done.returncode == 0:
            self.call("cancel", done.stdout.strip())
            raise Worked(f"job {done.stdout.strip()} was accepted")
        return done.stderr

    def boots(self, path):
        """The file as a disk: named in a submission, and by way of the image store."""
        self.submits("--image", path)
        done = self.call("image", "add", path, "--name", "stolen")
        if done.returncode == 0:
            self.call("image", "remove", "stolen")
            raise Worked("an image was added")
        return done.stderr

    def learns(self, *words, secrets=(ARGUMENT, OUTPUT, NAME), of=None):
        done = of or self.call(*words)
        for secret in secrets:
            if secret in done.stdout:
                raise Worked(f"its answer has {secret}")
        return done.stderr or f"{len(done.stdout)} bytes without a secret"

    def reads(self, *paths):
        for path in paths:
            done = self.run("cat", path)
            if done.returncode == 0:
                raise Worked(f"read {len(done.stdout)} characters of {path}")
        return done.stderr

    def succeeds(self, *words):
        done = self.call(*words)
        if done.returncode == 0:
            raise Worked(done.stdout.strip() or "done")
        return done.stderr

    def submits_archive(self, sha256, path=None):
        """On the wire: content of the manager's, or a file, as the archive of a program."""
        program = {"kind": "command", "argv": ["sh"], "archive_sha256": sha256}
        body = {"cpu_microcores": 100_000, "memory_bytes": 96 << 20, "hold": True, "program": program}
        if path:
            body |= {"archive_file": str(path), "archive_bytes": Path(path).stat().st_size}
        return self.asks("submit", json.dumps(body))

    def asks(self, method, body, header="{}"):
        """On the wire; what an error says, or Worked."""
        wire = ["python3", self.live.state / "wire.py", "ask", self.live.socket]
        done = self.run(*wire, method, body, header)
        if '"code":"ok"' in done.stdout:
            raise Worked(done.stdout.splitlines()[1][:200])
        return done.stdout.splitlines()[0] if done.stdout else done.stderr


class Scene:
    """A victim with a job that has ended and a job that waits; an attacker with a folder below a root."""

    def __init__(self, live):
        self.live = live
        os.chmod(live.state, 0o755)
        shutil.copy(BIN / "aliquot", live.state)
        shutil.copy(Path(__file__).parent / "wire.py", live.state)
        self.victim, self.attacker = User(live, VICTIM), Attacker(live, ATTACKER)
        self.root = live.state / "images"
        self.drop = self.root / "drop"
        for folder, uid in [(self.root, 0), (self.drop, ATTACKER)]:
            folder.mkdir()
            os.chown(folder, uid, uid)
            folder.chmod(0o755)
        self.kernel = self.root / "kernel"
        shutil.copy(GUEST / "hashchain.elf", self.kernel)
        self.kernel.chmod(0o644)
        for name, uid in [("of-root", 0), ("of-the-victim", VICTIM)]:
            (self.root / name).write_bytes(self.kernel.read_bytes() + name.encode())
            os.chown(self.root / name, uid, uid)
            (self.root / name).chmod(0o600)
        program = live.state / "program"
        program.write_text(f"#!/bin/sh\necho {OUTPUT}\n")
        program.chmod(0o755)
        words = ["--name", NAME, "--account", "lab"]
        self.ended = self.victim.submit(*words, "--", "sh", "-c", f"echo {OUTPUT}", ARGUMENT)
        wait_until("the victim's job has ended", lambda: live.job(self.ended)["ended_at"], 180)
        assert OUTPUT in live.call("logs", self.ended).out, "the victim's job has no output"
        (self.root / "broken").write_bytes(b"\x7fELF and nothing that boots".ljust(4096, b"\0"))
        self.broken = self.victim.submit("--kernel", self.root / "broken")
        self.waiting = self.victim.submit("--hold", *words, "--", program, ARGUMENT)

    def place(self, name, make):
        """A file that the attacker makes in its folder."""
        done = self.attacker.run("sh", "-c", make, cwd=self.drop)
        assert done.returncode == 0, done.stderr
        return self.drop / name
