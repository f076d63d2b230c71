#!/usr/bin/env python3
"""Managers on an etcd that speaks TLS and asks its clients for certificates. `aliquotd --check-config` says
of each thing that can be wrong with certificates what to do, in one line. Of two managers one leads, the
other takes over; certificates, and the authority that issues them, are renewed while both run. Needs
neither root nor a node that answers."""

import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from certificates import Authority, openssl
from deployment import BIN, wait_until
from etcd_members import etcd_cluster

ABSENT = (
    "nodes:\n  - {name: absent, cores: 4, memory: 8GiB, "
    'uri: "qemu+unix:///system?socket=/nonexistent"}\n'
)


class Manager:
    def __init__(self, folder, name, ha):
        self.name, self.folder, self.process = name, folder / name, None
        self.ha = ha
        self.folder.mkdir()
        self.configure(ha)

    def configure(self, ha):
        own, self.ha = self.folder, ha
        (own / "aliquot.yaml").write_text(
            f"state_dir: {own}/state\nspool_dir: {own.parent}/spool\n"
            f"api: {{socket: {own}/api.sock, events: {own}/events.sock}}\n"
            f"http: {{port: 0}}\npolicy: {{spec: FCFS}}\n{ABSENT}"
            f"ha: {json.dumps({'name': self.name, 'lease_ttl': '10s', **ha}, default=str)}\n"
        )

    def check(self):
        words = [BIN / "aliquotd", "--config", self.folder / "aliquot.yaml", "--check-config"]
        return subprocess.run(words, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)

    def start(self):
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(
                [BIN / "aliquotd", "--config", self.folder / "aliquot.yaml"],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def log(self):
        return (self.folder / "log").read_text(errors="replace")

    def status(self):
        """Of all managers, as this one knows; None: it does not answer."""
        assert self.process.poll() is None, f"manager {self.name} has ended:\n{self.log()[-2000:]}"
        words = [BIN / "aliquot", "--server", self.folder / "api.sock", "ha", "status", "-o", "json"]
        said = subprocess.run(words, capture_output=True, text=True, timeout=60)
        return json.loads(said.stdout) if said.returncode == 0 else None

    def roles(self):
        return {row["name"]: row["role"] for row in (self.status() or {"managers": []})["managers"]}

    def end(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def refusals(etcd, good, other, folder):
    """What is wrong, the settings, and what the one line of the error must say."""
    secret = folder / "secret.key"
    openssl("pkcs8", "-topk8", "-in", good["key"], "-out", secret, "-passout", "pass:x")
    other_cert, other_key = other.issue("other")
    garbage = folder / "garbage"
    garbage.write_text("no certificate\n")
    pair = "ha.cert and ha.key must be files"
    refused = "ha.cert must be in force, for clients"
    urls = etcd.urls
    return [
        ("no client certificate", {"cert": "", "key": ""}, refused),
        ("a certificate of another CA", {"cert": other_cert, "key": other_key}, refused),
        ("the key of another certificate", {"key": other_key}, pair),
        ("no key there", {"key": folder / "none.key"}, pair),
        ("a key that is none", {"key": garbage}, pair),
        ("a key with a passphrase", {"key": secret}, pair),
        ("no certificate there", {"cert": folder / "none.pem"}, pair),
        ("etcd of another CA", {"ca": other.pem}, "from a CA of ha.ca"),
        ("no CA there", {"ca": folder / "none.pem"}, "ha.ca must be a file of certificates"),
        ("a CA that is none", {"ca": garbage}, "ha.ca must be a file of certificates"),
        (
            "another host name",
            {"endpoints": [url.replace("127.0.0.1", "localhost") for url in urls]},
            "name the host as ha.endpoints does",
        ),
        (
            "no TLS",
            {"endpoints": [url.replace("https", "http") for url in urls]},
            "write https:// in ha.endpoints",
        ),
    ]


def is_refused(manager, what, ha, must_say):
    manager.configure(ha)
    done = manager.check()
    lines = done.stderr.splitlines()
    print(f"  {what}: {done.stderr.strip()}")
    assert done.returncode == 1, f"{what}: exit status {done.returncode}: {done.stdout}"
    assert len(lines) == 1 and must_say in lines[0], f"{what}: {done.stderr}"


def is_good(manager, ha, members):
    manager.configure(ha)
    done = manager.check()
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    assert done.stdout.count("\nha: etcd 3.") == members, done.stdout


def check_configurations(etcd, folder, good, authorities):
    manager = Manager(folder, "checked", good)
    is_good(manager, good, 3)
    for what, wrong, must_say in refusals(etcd, good, authorities[1], folder):
        is_refused(manager, what, good | wrong, must_say)
    # It can be reached, but its gateway cannot reach the member itself.
    own = {name: etcd.certificates[name] for name in ("cert", "key")}
    etcd.certificates |= show(authorities[0].issue("server", usage="serverAuth"))
    restart(etcd, 0)
    manager.configure(good | {"endpoints": etcd.urls[:1]})
    there = "does not let its own gateway in"
    wait_until("the member answers", lambda: there in manager.check().stderr, 60)
    is_refused(manager, "a member's certificate that is none for clients", manager.ha, there)
    etcd.certificates |= own
    restart(etcd, 0)
    wait_until("the member serves", lambda: is_served_by(etcd, 0), 60)


def show(files):
    return dict(zip(("cert", "key"), map(str, files), strict=True))


def restart(etcd, member):
    etcd.kill(member)
    etcd.start(member)


def is_served_by(etcd, member):
    with contextlib.suppress(OSError):
        return "version" in etcd.call_at(etcd.urls[member], "/v3/maintenance/status", {})
    return False


def restart_in_turn(etcd):
    for member in range(3):
        restart(etcd, member)
        wait_until(f"member {member} serves", lambda member=member: is_served_by(etcd, member), 60)


def renew(etcd, managers, good, authority):
    """Both authorities are trusted first; then all certificates are of the new one."""
    before = managers[0].status()
    both = pathlib.Path(good["ca"]).read_text() + authority.pem.read_text()
    for place in (good["ca"], etcd.certificates["ca"]):
        pathlib.Path(place).write_text(both)
    restart_in_turn(etcd)
    for name, file in show(authority.issue("renewed")).items():
        for place in (good[name], etcd.certificates[name]):
            shutil.copy(file, place)
    restart_in_turn(etcd)
    for manager in managers:
        after = wait_until(f"{manager.name} answers", manager.status, 60)
        said = [(after["leader"], after["epoch"])] + [member["fault"] for member in after["etcd"]]
        assert said == [(before["leader"], before["epoch"]), None, None, None], after


def lead_and_take_over(etcd, folder, good, authority):
    managers = [Manager(folder, name, good) for name in "ab"]
    first, second = managers
    try:
        first.start()
        wait_until("a leads", lambda: first.roles() == {"a": "leader"}, 60)
        second.start()
        wait_until("b stands by", lambda: second.roles() == {"a": "leader", "b": "standby"}, 60)
        renew(etcd, managers, good, authority)
        first.end()
        wait_until("b leads", lambda: second.roles() == {"b": "leader"}, 60)
    finally:
        for manager in managers:
            manager.end()


def main():
    with tempfile.TemporaryDirectory(prefix="aliquot-", dir="/var/tmp") as name:
        folder = pathlib.Path(name)
        authorities = [Authority(folder, name) for name in ("first", "second")]
        places = {}
        for owner in ("member", "manager"):
            cert, key = authorities[0].issue(owner)
            own = {"ca": authorities[0].pem, "cert": cert, "key": key}
            (folder / owner).mkdir()
            places[owner] = {name: str(shutil.copy(file, folder / owner)) for name, file in own.items()}
        with etcd_cluster(certificates=places["member"]) as etcd:
            good = places["manager"] | {"endpoints": etcd.urls}
            check_configurations(etcd, folder, good, authorities)
            lead_and_take_over(etcd, folder, good, authorities[1])
    print("ok: two managers and an etcd know each other by certificates, which were renewed")


if __name__ == "__main__":
    os.umask(0o077)
    sys.exit(main())
