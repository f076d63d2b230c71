"""Three members of an etcd on free ports of loopback, for tests, and what its keys say. With certificates
each member shows its own, and asks clients for theirs."""

import base64
import contextlib
import json
import pathlib
import shutil
import socket
import ssl
import subprocess
import tempfile
import urllib.error
import urllib.request

from deployment import skip, wait_until


def free_ports(count):
    """Of loopback, all different."""
    with contextlib.ExitStack() as open_ones:
        sockets = [open_ones.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


class Etcd:
    """`certificates`: paths of `ca`, `cert` and `key`, of the members and of this client alike."""

    def __init__(self, state, members, address="127.0.0.1", certificates=None):
        ports = free_ports(2 * members)
        self.state, self.certificates = state, certificates
        scheme = "https" if certificates else "http"
        self.urls = [f"{scheme}://{address}:{port}" for port in ports[:members]]
        self.peers = [f"http://{address}:{port}" for port in ports[members:]]
        self.members = [self.begin(member) for member in range(members)]
        wait_until("etcd answers", self.answers, 60)

    def begin(self, member):
        cluster = ",".join(f"m{i}={peer}" for i, peer in enumerate(self.peers))
        url, peer = self.urls[member], self.peers[member]
        words = ["etcd", "--name", f"m{member}", "--data-dir", self.state / f"m{member}"]
        words += ["--listen-client-urls", url, "--advertise-client-urls", url]
        words += ["--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer]
        words += ["--initial-cluster", cluster, "--initial-cluster-state", "new"]
        if its := self.certificates:
            words += ["--client-cert-auth", "--trusted-ca-file", its["ca"]]
            words += ["--cert-file", its["cert"], "--key-file", its["key"]]
        with open(self.state / f"m{member}.log", "ab") as log:
            return subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def kill(self, member):
        self.members[member].kill()
        self.members[member].wait()

    def start(self, member):
        self.members[member] = self.begin(member)

    def call(self, path, body):
        """Of the first member that answers."""
        for url in self.urls:
            with contextlib.suppress(OSError, urllib.error.URLError):
                return self.call_at(url, path, body)
        return None

    def call_at(self, url, path, body, timeout=3):
        context = None
        if its := self.certificates:
            context = ssl.create_default_context(cafile=its["ca"])
            context.load_cert_chain(its["cert"], its["key"])
        request = urllib.request.Request(url + path, json.dumps(body).encode())
        return json.load(urllib.request.urlopen(request, timeout=timeout, context=context))

    def value(self, key):
        """None: there is no such key, or no answer."""
        answer = self.call("/v3/kv/range", {"key": base64.b64encode(key.encode()).decode()})
        found = (answer or {}).get("kvs", [])
        return base64.b64decode(found[0]["value"]).decode(errors="replace") if found else None

    def keys(self, prefix):
        """How many begin so."""
        end = prefix[:-1] + chr(ord(prefix[-1]) + 1)
        first, end = (base64.b64encode(text.encode()).decode() for text in (prefix, end))
        asked = {"key": first, "range_end": end, "count_only": True}
        return int(self.call("/v3/kv/range", asked).get("count", 0))

    def sizes(self):
        """Of the database of each member, in bytes."""
        path = "/v3/maintenance/status"
        return [int(self.call_at(url, path, {})["dbSize"]) for url in self.urls]

    def leave_free(self, mib):
        """Writes so much and removes it again: the databases have it, and do not use it."""
        half = base64.b64encode(bytes(1 << 19)).decode()
        names = [base64.b64encode(f"/free/{i:06}".encode()).decode() for i in range(2 * mib)]
        for name in names:
            assert self.call("/v3/kv/put", {"key": name, "value": half}), "etcd takes nothing"
        end = base64.b64encode(b"/free0").decode()
        erased = self.call("/v3/kv/deleterange", {"key": names[0], "range_end": end})
        self.call("/v3/kv/compaction", {"revision": erased["header"]["revision"]})

    def answers(self):
        return self.call("/v3/kv/range", {"key": base64.b64encode(b"x").decode()}) is not None

    def end(self):
        for member in range(len(self.members)):
            self.kill(member)


@contextlib.contextmanager
def etcd_cluster(members=3, address="127.0.0.1", certificates=None):
    if not shutil.which("etcd"):
        skip("etcd is not installed")
    state = pathlib.Path(tempfile.mkdtemp(prefix="aliquot-etcd-", dir="/var/tmp"))
    etcd = None
    try:
        etcd = Etcd(state, members, address, certificates)
        yield etcd
    finally:
        if etcd:
            etcd.end()
        shutil.rmtree(state, ignore_errors=True)
