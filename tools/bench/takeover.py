#!/usr/bin/env python3
"""What a takeover costs beyond the lease while many jobs wait: two managers on an etcd of three members,
all on this machine, and nodes that do not exist.

    cmake --build --preset release --target aliquotd aliquot submit_flood
    tools/bench/takeover.py [--jobs 20000] [--together 500] [--kills 6] [--bin FOLDER]

The leader is killed (SIGKILL), the other one takes over, and the killed one starts again as its standby. Of
each takeover it prints the time from the kill to the first answer, and from the instant at which the new
leader had the lease and all of the log, and the processor time that it took meanwhile; of the standby its
processor time while the jobs came, beside the leader's, and its memory."""

import argparse
import contextlib
import datetime
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test/integration/manager"))
from deployment import wait_until  # noqa: E402
from etcd_members import etcd_cluster  # noqa: E402

LEASE_S, PATIENCE_S = 3, 600


class Manager:
    def __init__(self, binaries, folder, name, etcd):
        self.bin, self.folder, self.name = binaries, folder / name, name
        self.folder.mkdir()
        self.socket, self.log = self.folder / "api.sock", self.folder / "log"
        (self.folder / "aliquot.yaml").write_text(
            f"state_dir: {self.folder}/state\nspool_dir: {folder}/spool\nhttp: {{port: 0}}\n"
            f"api: {{socket: {self.socket}, events: {self.folder}/events.sock}}\n"
            f"policy: {{spec: EASY}}\nlimits: {{max_jobs: 1000000}}\n"
            "nodes:\n  - {name: absent, cores: 8, memory: 32GiB, "
            f'uri: "qemu+unix:///system?socket={folder}/none"}}\n'
            f"ha: {{endpoints: {etcd.urls}, name: {name}, prefix: /bench, lease_ttl: {LEASE_S}s}}\n"
        )
        self.start()

    def start(self):
        with open(self.log, "ab") as log:
            words = [self.bin / "aliquotd", "--config", self.folder / "aliquot.yaml"]
            self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def ask(self, *words):
        command = [self.bin / "aliquot", "--server", self.socket, "--timeout", "2", *words]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def leads(self):
        if self.process.poll() is not None:
            sys.exit(f"takeover: {self.name} ended: {self.log.read_text()[-1000:]}")
        return self.ask("status").returncode == 0

    def stands_by_level(self, other):
        """With nothing left to take: it uses no processor time any more."""
        rows = other.ask("ha", "status", "-o", "json").stdout
        level = re.search(rf'"batches_behind":\s*0,\s*"name":\s*"{self.name}"', rows)
        before = self.cpu_s()
        time.sleep(1)
        return level and self.cpu_s() - before < 0.1

    def took_the_lease(self):
        """When, as its log says."""
        line = [line for line in self.log.read_text().splitlines() if "leadership_taken" in line][-1]
        return datetime.datetime.fromisoformat(line.split()[0].replace("Z", "+00:00")).timestamp(), line

    def cpu_s(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory_mb(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s*(\d+)", status).group(1)) / 1e3

    def end(self):
        self.process.kill()
        self.process.wait()


def take_over(leader, standby):
    wait_until("the standby has all", lambda: standby.stands_by_level(leader), PATIENCE_S, every=0.5)
    memory, spent, killed = standby.memory_mb(), standby.cpu_s(), time.time()
    leader.end()
    wait_until("the standby leads", standby.leads, PATIENCE_S, every=0.01)
    answered, spent = time.time(), standby.cpu_s() - spent
    had_lease, line = standby.took_the_lease()
    from_kill, beyond = answered - killed, answered - had_lease
    state = re.search(r" state=\w+|$", line).group()
    print(
        f"  {leader.name} killed: {standby.name} answered after {from_kill:.2f} s, {beyond:.2f} s after it "
        f"had the lease{state}, with {spent:.2f} s of processor time; it had {memory:.0f} MB as a standby",
        flush=True,
    )
    return from_kill, beyond, spent


def submit(leader, standby, jobs, together):
    """Prints what it costs both."""
    wait_until("the standby follows", lambda: standby.stands_by_level(leader), PATIENCE_S, every=0.5)
    before = [manager.cpu_s() for manager in (leader, standby)]
    began = time.monotonic()
    words = [leader.bin / "submit_flood", leader.socket, str(jobs), str(together)]
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    took = time.monotonic() - began
    wait_until("the standby has all", lambda: standby.stands_by_level(leader), PATIENCE_S, every=0.5)
    spent = [manager.cpu_s() - then for manager, then in zip((leader, standby), before, strict=True)]
    print(
        f"{jobs} jobs in {took:.0f} s: processor time of the leader {spent[0]:.1f} s, of the standby "
        f"{spent[1]:.1f} s; the leader has {leader.memory_mb():.0f} MB",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=20_000)
    parser.add_argument("--together", type=int, default=500, help="so many jobs in one submission")
    parser.add_argument("--kills", type=int, default=6)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin")
    options = parser.parse_args()
    with contextlib.ExitStack() as running:
        etcd = running.enter_context(etcd_cluster())
        folder = pathlib.Path(running.enter_context(tempfile.TemporaryDirectory(dir="/var/tmp")))
        leader = Manager(options.bin, folder, "a", etcd)
        running.callback(leader.end)
        wait_until("a manager leads", leader.leads, 60)
        standby = Manager(options.bin, folder, "b", etcd)
        running.callback(standby.end)
        submit(leader, standby, options.jobs, options.together)
        took = []
        for _ in range(options.kills):
            took.append(take_over(leader, standby))
            leader.start()
            leader, standby = standby, leader
    names = ("from the kill", "beyond the lease", "processor time")
    for what, figures in zip(names, zip(*took, strict=True), strict=True):
        span = f"{min(figures):.2f} to {max(figures):.2f} s"
        print(f"{what}: median {statistics.median(figures):.2f} s, {span}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
