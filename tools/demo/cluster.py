"""The manager through its command line, as a user talks to it."""

import json
import pathlib
import subprocess
import sys

PATIENCE_S = 600  # for one answer, also of a machine that is very busy


class Cluster:
    def __init__(self, binaries, state):
        self.binaries, self.state = pathlib.Path(binaries), pathlib.Path(state)

    def call(self, *words):
        """`aliquot WORDS`; exit codes 0 and 1 are answers, anything else ends the program."""
        done = subprocess.run(
            [self.binaries / "aliquot", "--timeout", str(PATIENCE_S), *words],
            capture_output=True,
            text=True,
            timeout=PATIENCE_S + 10,
        )
        if done.returncode not in (0, 1):
            sys.exit(f"demo: aliquot {' '.join(words)}: {done.stderr.strip()}")
        return done.stdout

    def submit(self, words):
        number = self.call("submit", "--parsable", *words)
        if not number:
            sys.exit(f"demo: aliquot submit {' '.join(words)} was refused")
        return int(number)

    def console(self, job, task=0):
        return self.state / "cluster" / "spool" / str(job) / f"{task}.log"

    def jobs(self):
        return json.loads(self.call("list", "--all", "-o", "json"))["jobs"]

    def why(self, job):
        return self.call("why", str(job)).strip()

    def logs(self, job, task):
        return self.call("logs", f"{job}.{task}")
