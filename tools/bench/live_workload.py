"""The jobs of live_policies: seven fixed ones, or jobs drawn as in the DFRS paper and shortened to minutes;
and what the simulator expects of the latter."""

import csv
import dataclasses
import io
import json
import subprocess
import sys
import tempfile

from batch_comparison import NODE_MIB, NODES, OVERHEAD_MIB
from jobs import JobShape, chain, sized

# Seconds after the beginning, and the job.
FIXED_JOBS = [
    (0, JobShape("long", 1, 1.0, 160, primes_s=40)),
    (1, JobShape("brief", 1, 1.0, 64, chain_s=4)),
    (2, JobShape("steady", 1, 1.0, 128, primes_s=36)),
    (3, JobShape("quick", 1, 1.0, 32, chain_s=3)),
    (14, JobShape("wide", 2, 0.75, 192, chain_s=16)),
    (17, JobShape("small", 1, 0.25, 32, chain_s=1)),
    (18, JobShape("large", 1, 1.0, 400, primes_s=2)),
]
DRAWN_LOAD = "3"  # of the jobs before short ones are made longer and long ones shorter
SHORTEST_S, LONGEST_S = 3, 120
# What these nodes take for an action, roughly.
DELAYS = "create=1,release=0.5,save=1,restore=0.7,migrate=1,cap=0.1"


@dataclasses.dataclass(frozen=True)
class LiveJob:
    name: str
    at: float  # seconds after the beginning
    words: list  # of `aliquot submit`


@dataclasses.dataclass(frozen=True)
class DrawnJob:
    number: int
    at: float
    tasks: int
    cpus: float  # of the one core of a node
    mib: int
    seconds: float  # with all the CPU it asks for

    @property
    def row(self):
        memory = (self.mib + OVERHEAD_MIB) / NODE_MIB
        return f"{self.number},{self.at:.3f},{self.tasks},{self.cpus},{memory:.6f},{self.seconds:.3f}"

    def live(self, chain_speed):
        name = f"drawn{self.number}"
        what = ["--tasks", str(self.tasks), "--cpus", str(self.cpus), "--mem", f"{self.mib}MiB"]
        work = chain(chain_speed.amount_in(self.seconds * self.cpus))
        return LiveJob(name, self.at, [*what, "--name", name, *work])


def fixed_jobs(speeds, times, binaries):
    jobs = sized([shape for _, shape in FIXED_JOBS], *speeds, times)
    return [
        LiveJob(job.name, times * at, job.words(binaries))
        for (at, _), job in zip(FIXED_JOBS, jobs, strict=True)
    ]


def drawn(binaries, seed, count, span):
    """So many jobs for two nodes, the last of which comes after `span` seconds."""
    options = {"--nodes": NODES, "--jobs": count, "--seed": seed, "--load": DRAWN_LOAD}
    words = [str(word) for option in options.items() for word in option]
    done = subprocess.run(
        [binaries / "aliquot-sim", "generate", "dfrs", *words], capture_output=True, text=True, timeout=60
    )
    if done.returncode != 0:
        sys.exit(f"live_policies: {done.stderr.strip()}")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    first, last = float(rows[0]["submit"]), float(rows[-1]["submit"])
    shrink = span / (last - first)
    return [
        DrawnJob(
            number=int(row["job"]),
            at=(float(row["submit"]) - first) * shrink,
            tasks=int(row["tasks"]),
            cpus=float(row["cpu_need"]),
            mib=round(float(row["memory"]) * (NODE_MIB - OVERHEAD_MIB)),
            seconds=min(LONGEST_S, max(SHORTEST_S, float(row["runtime"]) * shrink)),
        )
        for row in rows
    ]


def simulated(binaries, jobs, policy):
    """(largest bounded stretch, mean, saves, moves) under a policy."""
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as workload:
        workload.write("job,submit,tasks,cpu_need,memory,runtime\n")
        workload.writelines(f"{job.row}\n" for job in jobs)
        workload.flush()
        done = subprocess.run(
            [
                *(binaries / "aliquot-sim", "run", "--workload", workload.name, "--json"),
                *("--nodes", str(NODES), "--cores-per-node", "1"),
                *("--policy", policy, "--delay", DELAYS),
            ],
            capture_output=True,
            text=True,
            timeout=60,
        )
    if done.returncode != 0:
        sys.exit(f"live_policies: {done.stderr.strip()}")
    seen = json.loads(done.stdout)
    return tuple(
        seen[key] for key in ("max_bounded_stretch", "avg_bounded_stretch", "preemptions", "migrations")
    )
