#!/usr/bin/env python3
"""A terminal on a running task, as an ordinary user: `aliquot attach` starts a shell in the guest, as large
as the terminal, which has what the command has. The shell outlives a pause, after which the terminal
comes back by itself. Another user gets none, and a task that does not run has none. All of it on nodes that
the manager reaches itself, and on nodes that it reaches through agents."""

import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys

from access_scene import ATTACKER, VICTIM, User
from agents import Agents
from deployment import BIN, deployment, wait_until

NOT_FOUND, CONFLICT, FORBIDDEN, LEAVE = 3, 5, 7, b"\x1d"
ROWS, COLUMNS = 41, 97
ASKS = "\x1b[6n"


class Terminal:
    """`aliquot attach` on a pseudo-terminal, which answers as a terminal of ROWS times COLUMNS does."""

    def __init__(self, live, job, uid=VICTIM):
        self.begin(
            [*User(live, uid).prefix, live.state / "aliquot", "attach", str(job)], env=live.environment
        )

    @classmethod
    def of(cls, command, **more):
        terminal = cls.__new__(cls)
        terminal.begin(command, **more)
        return terminal

    def begin(self, command, **more):
        self.ours, theirs = pty.openpty()
        self.process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, **more)
        os.close(theirs)
        self.said = ""

    def look(self):
        while select.select([self.ours], [], [], 0)[0]:
            try:
                got = os.read(self.ours, 65536)
            except OSError:  # the program has ended
                return
            self.said += got.decode(errors="replace")
            self.tell_where_the_cursor_is()

    def tell_where_the_cursor_is(self):
        """As often as it is asked: in the corner where it was sent, or behind a prompt."""
        while (asked := self.said.find(ASKS)) >= 0:
            corner = "999;999" in self.said[:asked]
            self.type(b"\x1b[%d;%dR" % ((ROWS, COLUMNS) if corner else (1, 9)))
            self.said = (self.said[:asked] + self.said[asked + len(ASKS) :]).replace("999;999", "")

    def type(self, keys):
        os.write(self.ours, keys)

    def says(self, pattern, seconds=120):
        """Waits for it, and forgets what was said before."""

        def found():
            self.look()
            return re.search(pattern, self.said)

        try:
            match = wait_until(f"the terminal says {pattern}", found, seconds)
        except AssertionError:
            print(f"it has said: {self.said!r}", flush=True)
            raise
        self.said = self.said[match.end() :]
        return match

    def soon_says(self, pattern):
        try:
            wait_until("", lambda: (self.look(), re.search(pattern, self.said))[1], 3)
        except AssertionError:
            return False
        self.said = ""
        return True

    def ended(self):
        wait_until("attach has ended", lambda: (self.look(), self.process.poll() is not None)[1], 60)
        self.look()
        return self.process.returncode

    def close(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait()
        os.close(self.ours)


def runs(live, job):
    vm = live.job(job)["vms"][0]
    return vm["state"] == "running" and vm["doing"] is None


def start_a_shell(terminal):
    """The guest learns of its terminal some time after its start."""
    terminal.says("attached to task 0 of job")
    for _ in range(60):
        terminal.type(b"\r")
        if terminal.soon_says(r"[$#] $"):
            return
    raise AssertionError(f"there is no shell: {terminal.said!r}")


def use_a_shell(terminal):
    """What the shell has of the command and of the terminal; it keeps a variable for later."""
    start_a_shell(terminal)
    terminal.type(b'echo "at $PWD: $GREETING, task $ALIQUOT_TASK"\r')
    terminal.says(r"at /job: hello, task 0")
    terminal.type(b"stty size\r")
    terminal.says(rf"{ROWS} {COLUMNS}")
    terminal.type(b"kept=$((40 + 2)); ps | grep -q '[s]leep 900' && echo beside it\r")
    terminal.says(r"\nbeside it")
    terminal.type(b"seq 20000 | tail -n 2; seq 3000 5999\r")  # much at once, in order
    lines = [str(n) for n in (19999, 20000, *range(3000, 6000))]
    terminal.says(r"\s+".join(lines))


def survive_a_pause(live, job, terminal):
    live.call("hold", job)
    terminal.says("attaching again when it runs")
    wait_until("it is saved", lambda: live.job(job)["vms"][0]["state"] == "saved", 120)
    done = User(live, VICTIM).call("attach", job)
    assert done.returncode == CONFLICT and "does not run" in done.stderr, done.stderr
    live.call("release", job)
    terminal.says("attached again", 180)
    terminal.type(b'\recho "kept $kept"\r')
    terminal.says("kept 42")


def on_nodes_reached(**how):
    with deployment(nodes=2, node_mib=576, api=["  socket_mode: 0666"], **how) as live:
        os.chmod(live.state, 0o755)
        shutil.copy(BIN / "aliquot", live.state)
        alice, bob = User(live, VICTIM), User(live, ATTACKER)
        job = alice.submit(
            "--env", "GREETING=hello", "--workdir", "/job", "--", "sh", "-c", "sleep 900; echo over"
        )
        wait_until("it runs", lambda: runs(live, job), 120)
        refused = bob.call("attach", job)
        assert refused.returncode == FORBIDDEN, refused.stderr
        terminal = Terminal(live, job)
        try:
            use_a_shell(terminal)
            survive_a_pause(live, job, terminal)
            terminal.type(LEAVE)
            assert terminal.ended() == 0, terminal.said
            assert runs(live, job), "the task ended with its terminal"
            terminal.close()
            terminal = Terminal(live, job)
            terminal.says("attached to")
            terminal.type(b'\recho "still $kept"\r')
            terminal.says("still 42")
            terminal.type(b"killall sleep\r")  # the command ends, and with it the task
            terminal.says("is not there any more|has ended", 120)
            assert terminal.ended() == 0, terminal.said
        finally:
            terminal.close()
        wait_until("the job has ended", lambda: live.job(job)["ended_at"], 120)
        assert "over" in live.call("logs", job).out
        done = alice.call("attach", job)
        assert done.returncode == NOT_FOUND, done.stderr


def main():
    on_nodes_reached()
    agents = Agents()
    try:
        on_nodes_reached(reach=agents.reach)
    finally:
        agents.stop()
    said = "a shell with the command's variables, 3002 lines in order, the same after a pause"
    print(f"ok: {said}; also through agents")


if __name__ == "__main__":
    sys.exit(main())
