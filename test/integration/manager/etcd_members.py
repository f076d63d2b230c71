"""Three members of an etcd on free ports of loopback, for tests, and what its keys say."""

import base64
import contextlib
import json
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

from deployment import skip


def free_ports(count):
    """Of loopback, all different."""
    with contextlib.ExitStack() as open_ones:
        sockets = [open_ones.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


class Etcd:
    def __init__(self, state, members):
        ports = free_ports(2 * members)
        self.state = state
        self.urls = [f"http://127.0.0.1:{port}" for port in ports[:members]]
        peers = [f"http://127.0.0.1:{port}" for port in ports[members:]]
        cluster = ",".join(f"m{i}={peer}" for i, peer in enumerate(peers))
        self.members = [self.begin(i, peers[i], cluster) for i in range(members)]
        deadline = time.monotonic() + 60
        while not self.answers():
            assert time.monotonic() < deadline, "etcd does not answer"
            time.sleep(0.1)

    def begin(self, member, peer, cluster):
        words = ["etcd", "--name", f"m{member}", "--data-dir", self.state / f"m{member}"]
        words += ["--listen-client-urls", self.urls[member], "--advertise-client-urls", self.urls[member]]
        words += ["--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer]
        words += ["--initial-cluster", cluster, "--initial-cluster-state", "new"]
        log = open(self.state / f"m{member}.log", "ab")
        return subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def call(self, path, body):
        """Of the first member that answers."""
        for url in self.urls:
            request = urllib.request.Request(url + path, json.dumps(body).encode())
            with contextlib.suppress(OSError, urllib.error.URLError):
                return json.load(urllib.request.urlopen(request, timeout=3))
        return None

    def value(self, key):
        """None: there is no such key, or no answer."""
        answer = self.call("/v3/kv/range", {"key": base64.b64encode(key.encode()).decode()})
        found = (answer or {}).get("kvs", [])
        return base64.b64decode(found[0]["value"]).decode(errors="replace") if found else None

    def answers(self):
        return self.call("/v3/kv/range", {"key": base64.b64encode(b"x").decode()}) is not None

    def end(self):
        for member in self.members:
            member.send_signal(signal.SIGKILL)
            member.wait()


@contextlib.contextmanager
def etcd_cluster(members=3):
    if not shutil.which("etcd"):
        skip("etcd is not installed")
    state = pathlib.Path(tempfile.mkdtemp(prefix="aliquot-etcd-", dir="/var/tmp"))
    etcd = None
    try:
        etcd = Etcd(state, members)
        yield etcd
    finally:
        if etcd:
            etcd.end()
        shutil.rmtree(state, ignore_errors=True)
