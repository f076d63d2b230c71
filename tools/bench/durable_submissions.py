#!/usr/bin/env python3
"""How many durable submissions of one client, and of four at once, a manager acknowledges in a second: with
its store alone, and as the leader on an etcd of three members on this machine.

    cmake --build --preset release --target aliquotd submit_flood
    tools/bench/durable_submissions.py [JOBS [ROUNDS]]

JOBS (default 400) are submitted by each client, one after another; the rounds (3) alternate, and the median
is printed. All stores are on one disk and share the processors with etcd: a site gives them their own. The
manager's one node does not exist."""

import contextlib
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = ROOT / "build/release/bin"
sys.path.insert(0, str(ROOT / "test/integration/manager"))
from etcd_members import etcd_cluster  # noqa: E402

CLIENTS = (1, 4)


@contextlib.contextmanager
def manager(ha):
    """The socket of one that answers."""
    with tempfile.TemporaryDirectory(prefix="aliquot-bench-", dir="/var/tmp") as folder:
        socket, settings = f"{folder}/api.sock", pathlib.Path(folder, "aliquot.yaml")
        settings.write_text(
            f"state_dir: {folder}/state\nspool_dir: {folder}/spool\nhttp: {{port: 0}}\n"
            "policy: {spec: FCFS}\n"
            f"api: {{socket: {socket}, events: {folder}/events.sock}}\nlog: {{level: error}}\n"
            "nodes:\n  - {name: absent, cores: 4, memory: 8GiB, "
            f'uri: "qemu+unix:///system?socket={folder}/none"}}\n{ha}'
        )
        process = subprocess.Popen([BIN / "aliquotd", "--config", settings], stdin=subprocess.DEVNULL)
        try:
            wait_for(socket, process)
            yield socket
        finally:
            process.terminate()
            process.wait()


def wait_for(socket, process):
    for _ in range(300):
        asked = [BIN / "aliquot", "--server", socket, "status"]
        if subprocess.run(asked, capture_output=True, check=False).returncode == 0:
            return
        if process.poll() is not None:
            break
        time.sleep(0.1)
    sys.exit("durable_submissions: the manager does not answer")


def flood(socket, clients, jobs):
    """Submissions a second, of all clients together."""
    began = time.monotonic()
    flooding = [
        subprocess.Popen([BIN / "submit_flood", socket, str(jobs)], stdout=subprocess.DEVNULL)
        for _ in range(clients)
    ]
    if any(one.wait() != 0 for one in flooding):
        sys.exit("durable_submissions: a client failed")
    return clients * jobs / (time.monotonic() - began)


def one_round(jobs, ha):
    figures = {}
    for clients in CLIENTS:
        with manager(ha) as socket:
            flood(socket, 1, 20)  # what is made at the first use
            figures[clients] = flood(socket, clients, jobs)
    return figures


def with_etcd(jobs):
    with etcd_cluster() as etcd:
        figures = {}
        for clients in CLIENTS:
            ha = f"ha: {{endpoints: {etcd.urls}, name: a, prefix: /of{clients}, lease_ttl: 10s}}\n"
            with manager(ha) as socket:
                flood(socket, 1, 20)
                figures[clients] = flood(socket, clients, jobs)
        return figures


def main():
    jobs = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    alone, replicated = [], []
    for _ in range(rounds):
        alone.append(one_round(jobs, ""))
        replicated.append(with_etcd(jobs))
    print(f"durable submissions a second, median of {rounds} rounds of {jobs} for each client:")
    for clients in CLIENTS:
        one = statistics.median(row[clients] for row in alone)
        two = statistics.median(row[clients] for row in replicated)
        who = "one client" if clients == 1 else f"{clients} clients"
        share = f"{100 * two / one:.0f} %"
        print(f"  {who:<12}  its store alone {one:5.0f}   etcd of three members {two:5.0f}   {share}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
