"""The jobs of the demonstration: more memory and more CPU than two small nodes have, of different width,
need and memory, arriving while others run."""

import dataclasses
import pathlib

PRIMES_BELOW = 1_500_000
UNIT = 2_000_000  # hash-chain steps per link: about a fiftieth of a second of an emulated core


@dataclasses.dataclass(frozen=True)
class Job:
    name: str
    at: float  # seconds after the start
    tasks: int
    cpus: float
    mib: int
    links: int = 0  # of the hash chain; 0: the Linux guest runs `primes`

    def words(self, binaries):
        what = ["--tasks", str(self.tasks), "--cpus", str(self.cpus), "--mem", f"{self.mib}MiB", "--name", self.name]
        if self.links:
            return [*what, "--hash-chain", f"{self.links}:{UNIT}"]
        return [*what, "--", str(pathlib.Path(binaries) / "examples" / "primes"), str(PRIMES_BELOW)]


JOBS = [
    Job("wide", at=0, tasks=2, cpus=1.0, mib=256, links=900),
    Job("primes", at=2, tasks=2, cpus=1.0, mib=128),
    Job("half", at=6, tasks=1, cpus=0.5, mib=192, links=600),
    Job("small", at=12, tasks=1, cpus=0.25, mib=32, links=300),
    Job("big", at=18, tasks=1, cpus=1.0, mib=384, links=3000),
    Job("late", at=26, tasks=2, cpus=0.75, mib=160, links=400),
    Job("last", at=34, tasks=1, cpus=1.0, mib=64, links=300),
]


def primes_below(limit):
    """How many primes there are below the limit: the sieve of Eratosthenes, to check the guests' answer."""
    sieve = bytearray([1]) * limit
    sieve[0:2] = b"\0\0"
    for n in range(2, int(limit**0.5) + 1):
        if sieve[n]:
            sieve[n * n :: n] = bytes(len(range(n * n, limit, n)))
    return sum(sieve)
