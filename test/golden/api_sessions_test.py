#!/usr/bin/env python3
"""Whole conversations with a real manager over its API: api_sessions_test.py BIN ROOT [--record].

Each file of test/golden/api is one session with a manager of its own, whose one node does not exist:

  # a remark
  -> submit {"cpu_microcores":1000000, ...}    what is asked: the method and the body
  <- ok {"job":1,"dry_run":false}              the code, and the body or the message

The answers are compared without what differs from run to run: times, spans, paths, keys. With --record they
are written anew. The unit tests hold each line to its schema in docs/api (request_forms_test.cpp), and
python_client_test.py plays the same sessions to the Python client."""

import contextlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

try:
    import zmq
except ImportError:
    print("skipped: python3-zmq is not installed (tools/deps check)")
    sys.exit(77)

BIN, ROOT = map(pathlib.Path, sys.argv[1:3])
RECORDS = sys.argv[3:] == ["--record"]
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
LIBVIRTS = re.compile(r"(cannot connect to \S+).*", re.S)  # its words differ by version
USER = re.compile(r"\buid \d+")
DECISION = re.compile(r"\bdecision \d+")  # a node may have been tried in between
SPAN = re.compile(r"\b\d+(\.\d+)?(us|ms|s|m\d\ds)\b")
# By key: they depend on the machine, on the run, or on when it is asked.
OF_THE_RUN = {
    "version": "VERSION",
    "uid": 0,
    "by_uid": 0,
    "server_key": "KEY",
    "address": "ADDRESS",
    "events_address": "ADDRESS",
    "resident_bytes": 0,
    "sequence": 0,
    "last": 0,
    "last_event": 0,
    "steps": 0,
    "epoch": 1,
    "bounded_stretch": 1.0,
    "energy_joules": 0.0,
    "decision": 1,
    "submitted": 0,
    "ended": 0,
}
EVER = "2026-01-01T00:00:00.000Z"
WORDS_OF_THE_RUN = [
    (LIBVIRTS, r"\1"),
    (USER, "uid 0"),
    (DECISION, "decision 1"),
    (TIME, EVER),
    (SPAN, "1s"),
]


def settings(folder):
    return f"""cluster: golden
state_dir: {folder}/state
spool_dir: {folder}/spool
policy:
  spec: FCFS
api:
  socket: {folder}/api.sock
  events: {folder}/events.sock
  remote: tcp://127.0.0.1:0
http:
  port: 0
nodes:
  - {{name: n1, uri: 'qemu+unix:///system?socket={folder}/no-libvirtd', cores: 8, memory: 32GiB}}
"""


class Manager:
    def __init__(self, folder):
        self.folder, self.asked, self.ticket = folder, 0, None
        self.context = zmq.Context()
        self.socket = self.context.socket(zmq.DEALER)
        self.socket.setsockopt(zmq.LINGER, 0)

    @contextlib.contextmanager
    def running(self):
        (self.folder / "aliquot.yaml").write_text(settings(self.folder))
        with open(self.folder / "log", "wb") as log:
            process = subprocess.Popen(
                [BIN / "aliquotd", "--config", self.folder / "aliquot.yaml"], stdout=log, stderr=log
            )
        try:
            deadline = time.monotonic() + 60
            while not (self.folder / "api.sock").exists():
                assert process.poll() is None, (self.folder / "log").read_text()
                assert time.monotonic() < deadline, "the manager does not listen"
                time.sleep(0.05)
            self.socket.connect(f"ipc://{self.folder}/api.sock")
            self.ticket = self.exchange("hello", {})[0]["ticket"]
            self.await_silent_node()
            yield self
        finally:
            self.socket.close()
            self.context.term()
            process.terminate()
            process.wait(60)

    def await_silent_node(self):
        """What is said of the node does not depend on when it is asked."""
        deadline = time.monotonic() + 60
        while self.exchange("node.show", {"node": "n1"})[1]["state"] == "up":
            assert time.monotonic() < deadline, "the node is up"
            time.sleep(0.1)

    def exchange(self, method, body):
        self.asked += 1
        header = {"id": str(self.asked), "method": method}
        if self.ticket:
            header["ticket"] = self.ticket
        self.socket.send_multipart([b"ALIQUOT/1", json.dumps(header).encode(), json.dumps(body).encode()])
        assert self.socket.poll(60_000), f"no answer to {method}"
        frames = self.socket.recv_multipart()
        return json.loads(frames[1]), json.loads(frames[2])

    def answer(self, method, body):
        header, answer = self.exchange(method, body)
        code = header["code"]
        return code, steady(answer if code == "ok" else header["message"], str(self.folder))


def steady(value, folder, key=""):
    if isinstance(value, dict):
        return {name: steady(inner, folder, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [steady(inner, folder, key) for inner in value]
    if value is None or isinstance(value, bool):
        return value
    if key in OF_THE_RUN:
        return OF_THE_RUN[key]
    if isinstance(value, str):
        return in_words(value.replace(folder, "/run/golden"))
    return 0.0 if isinstance(value, float) and key.endswith("_s") else value


def in_words(text):
    for pattern, word in WORDS_OF_THE_RUN:
        text = pattern.sub(word, text)
    return text


def steps(path):
    """The number of each line, its mark, its first word and the rest."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line and not line.startswith("#"):
            mark, word, rest = line.split(" ", 2)
            assert mark in ("->", "<-"), f"{path}:{number}: neither ->, <- nor #"
            yield number, mark, word, json.loads(rest)


def play(path):
    """The session as it is played now."""
    with tempfile.TemporaryDirectory(prefix="aliquot-golden-") as name:
        with Manager(pathlib.Path(name)).running() as manager:
            for _, mark, method, body in list(steps(path)):
                if mark == "->":
                    code, answer = manager.answer(method, body)
                    yield f"<- {code} {json.dumps(answer, sort_keys=True)}"


def check(path):
    wanted = [line for line in path.read_text().splitlines() if line.startswith("<- ")]
    got = list(play(path))
    if RECORDS:
        answers = iter(got)
        kept = [line for line in path.read_text().splitlines() if not line.startswith("<- ")]
        lines = [[line, next(answers)] if line.startswith("-> ") else [line] for line in kept]
        path.write_text("".join(f"{line}\n" for pair in lines for line in pair))
        return True
    for was, now in zip(wanted, got, strict=False):
        if was != now:
            print(f"{path.name}: wanted {was}\n{path.name}: got    {now}")
    if len(wanted) != len(got):
        print(f"{path.name}: {len(wanted)} answers wanted, {len(got)} came")
    return wanted == got


def main():
    sessions = sorted((ROOT / "test/golden/api").glob("*.session"))
    assert sessions, "there are no sessions"
    bad = [path.name for path in sessions if not check(path)]
    print(f"{len(sessions)} sessions, {len(bad)} with other answers")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
