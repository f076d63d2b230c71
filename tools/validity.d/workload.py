"""The jobs of a validity run, by seed: more of them than two small nodes hold at once, in memory and in
CPU, so that some are slowed, some paused and some moved."""

import dataclasses
import random

TASKS = [1, 1, 1, 1, 1, 1, 2, 2, 2, 3]
CPUS = [0.2, 0.3, 0.4, 0.5, 0.6]
MIB = [16, 32, 64, 96, 144]
ALONE_S = (15.0, 45.0)
BETWEEN_S = 12.5  # from one submission to the next, on average


@dataclasses.dataclass(frozen=True)
class Job:
    name: str
    at: float  # seconds after the first
    tasks: int
    cpus: float  # of each task, at full speed
    mib: int
    work: float  # seconds of a core, of each task


def workload(count, seed):
    """The same jobs for the same seed, on every machine."""
    chance = random.Random(seed)
    jobs, at = [], 0.0
    for number in range(count):
        tasks, cpus, mib = (chance.choice(of) for of in (TASKS, CPUS, MIB))
        work = cpus * chance.uniform(*ALONE_S)
        jobs.append(Job(f"v{number + 1}", at, tasks, cpus, mib, work))
        at += chance.expovariate(1 / BETWEEN_S)
    return jobs
