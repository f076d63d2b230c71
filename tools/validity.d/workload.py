"""The jobs of a validity run, by seed: more of them than two small nodes hold at once, in memory and in
CPU, so that some are slowed, some paused and some moved.

They come in waves, each on empty nodes. A decision can turn on a tenth of a second, and from then on two
schedules that are both right have little in common: a wave bounds how far that reaches."""

import dataclasses
import random

TASKS = [1, 1, 1, 1, 1, 1, 2, 2, 2, 3]
CPUS = [0.2, 0.3, 0.4, 0.5, 0.6]
MIB = [16, 32, 64, 96, 144]
ALONE_S = (10.0, 26.0)
BETWEEN_S = 5.0  # from one submission of a wave to the next, on average
WAVE = 6  # jobs


@dataclasses.dataclass(frozen=True)
class Job:
    name: str
    wave: int
    at: float  # seconds after the first of its wave
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
        at = at + chance.expovariate(1 / BETWEEN_S) if number % WAVE else 0.0
        jobs.append(Job(f"v{number + 1}", number // WAVE, at, tasks, cpus, mib, work))
    return jobs
