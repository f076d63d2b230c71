#!/usr/bin/env python3
"""The demo behind tools/up: submits jobs that need more than the nodes have, watches them, verifies their
results.

Talks to the manager only through the command line, as a user does. Exit 0 only if every job completed with
the right result, and the run showed sharing below yield 1, a save with its restore, and a live migration.
"""

import argparse
import sys
import time

from batch_comparison import comparison_table
from cluster import Cluster
from display import draw, table
from guest_speed import measure
from jobs import probes, sized
from schedule import SHAPES, Schedule
from verification import verify

LIMIT_S = 3600  # of one round: for a guest that hangs, not for one that is slow
POLL_S = 1.0
LINE_EVERY_S = 5.0
ROUNDS = 3


class Round:
    """All jobs of the schedule, submitted and watched until all have ended."""

    def __init__(self, cluster, jobs):
        self.cluster, self.jobs, self.schedule = cluster, jobs, Schedule(jobs)
        self.numbers, self.rows = {}, []  # name -> number; the jobs as the manager lists them
        self.lowest_yield, self.explained = 1.0, False

    def run(self):
        start, drawn, next_line = time.monotonic(), 0, 0.0
        on_terminal = sys.stdout.isatty()
        while self.schedule.coming or not all(row["ended_at"] for row in self.rows):
            seconds = time.monotonic() - start
            if seconds > LIMIT_S:
                sys.exit(f"demo: not done after {LIMIT_S} s; see {self.cluster.state}/aliquotd.log")
            for job in self.schedule.due(self.rows):
                self.numbers[job.name] = self.cluster.submit(job.words(self.cluster.binaries))
            self.look()
            if self.explain_a_waiting_job():
                drawn = 0
            if on_terminal or seconds >= next_line:
                drawn, next_line = draw(self.rows, seconds, on_terminal, drawn), seconds + LINE_EVERY_S
            time.sleep(POLL_S)

    def look(self):
        numbers = self.numbers.values()
        self.rows = sorted(
            (row for row in self.cluster.jobs() if row["job"] in numbers), key=lambda row: row["job"]
        )
        running = [r["yield"] for r in self.rows if r["state"] == "running" and r["yield"] is not None]
        self.lowest_yield = min([self.lowest_yield, *running])

    def explain_a_waiting_job(self):
        """Once: what `aliquot why` answers for a job that waits."""
        waiting = [row["job"] for row in self.rows if row["state"] in ("pending", "paused")]
        if not waiting or self.explained:
            return False
        self.explained = True
        print(f"\n$ aliquot why {waiting[0]}\n{self.cluster.why(waiting[0])}\n", flush=True)
        return True

    def count(self, what):
        return sum(row[what] for row in self.rows)

    def missing(self):
        """What the demo is to show and this round did not."""
        wanted = {
            "no job ran below yield 1: no node was shared": self.lowest_yield < 1,
            "no job was saved and restored": self.count("preemptions") > 0,
            "no job was migrated": self.count("migrations") > 0,
        }
        return [fault for fault, seen in wanted.items() if not seen]

    def faults(self):
        unfinished = [row for row in self.rows if row["state"] != "completed"]
        return [f"job {row['name']} {row['state']}: {row['note']}" for row in unfinished]


def measure_guests(cluster, began):
    """The speeds of both kinds of guest, and the seconds from the end of the build to the first VM."""
    print("one VM on each node, to see how fast they are:", flush=True)
    start, vms = time.monotonic(), probes(cluster)
    chain, primes = measure(vms)
    print(
        f"  {chain.amount / chain.seconds:.0f} links of a hash chain a second; the primes below "
        f"{primes.amount:,} in {primes.seconds:.1f} s\n"
    )
    return (chain, primes), began + min(vm.first_line for vm in vms) - start


def run_rounds(cluster, speeds):
    """Rounds of more and more work until one shows everything: where the machine was busy while the guests
    were measured, the jobs of the first may end too soon."""
    for number in range(ROUNDS):
        print(f"{len(SHAPES)} jobs on two nodes of one core and 576 MiB each:\n", flush=True)
        played = Round(cluster, sized(SHAPES, *speeds, times=3**number))
        played.run()
        table(played.rows)
        missing = played.missing()
        if played.faults() or not missing:
            break
        print(f"\n{'; '.join(missing)}: the guests are faster than measured; again with more work\n")
    return played


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--bin", required=True, help="where the built programs are")
    options.add_argument("--state", required=True, help="the state directory of tools/up")
    options.add_argument("--began", type=float, default=0, help="seconds since the build ended")
    given = options.parse_args()
    cluster = Cluster(given.bin, given.state)
    speeds, first_vm_s = measure_guests(cluster, given.began)
    played = run_rounds(cluster, speeds)
    print(comparison_table(played.rows, cluster))
    lines, wrong = verify(cluster, played.numbers, played.jobs)
    print("\n" + "\n".join(lines))
    print(
        f"lowest yield {played.lowest_yield:.2f}; saves {played.count('preemptions')}, "
        f"migrations {played.count('migrations')}; first VM {first_vm_s:.0f} s after the build"
    )
    for fault in (faults := played.faults() + played.missing() + wrong):
        print(f"FAILED: {fault}")
    if faults:
        return 1
    print(
        "\nNext:  tools/up --keep     the same, and the cluster stays up for you to use\n"
        "       tools/try           what the policies do to a trace of 250 jobs, simulated\n"
        "       less README.md      what it is and how to run it on your own nodes"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
