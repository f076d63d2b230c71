"""The jobs of the demonstration: more memory and more CPU than two small nodes have, of different width,
need and memory; short ones arrive while long ones run."""

import dataclasses
import pathlib

UNIT = 20_000_000  # hash-chain steps per link: about a twentieth of a second of an emulated core


@dataclasses.dataclass(frozen=True)
class Job:
    name: str
    at: float  # seconds after the start
    tasks: int
    cpus: float
    mib: int
    links: int = 0  # of the hash chain in the guest without an operating system, or
    primes: int = 0  # Linux guests count the primes below this, each in its own range

    def words(self, binaries):
        what = [
            "--tasks",
            str(self.tasks),
            "--cpus",
            str(self.cpus),
            "--mem",
            f"{self.mib}MiB",
            "--name",
            self.name,
        ]
        if self.links:
            return [*what, "--hash-chain", f"{self.links}:{UNIT}"]
        return [*what, "--", str(pathlib.Path(binaries) / "examples" / "primes"), str(self.primes)]


JOBS = [
    Job("wide", at=0, tasks=2, cpus=1.0, mib=256, primes=6_000_000),
    Job("primes", at=2, tasks=2, cpus=1.0, mib=128, primes=3_000_000),
    Job("half", at=6, tasks=1, cpus=0.5, mib=192, links=120),
    Job("small", at=12, tasks=1, cpus=0.25, mib=32, links=30),
    Job("big", at=18, tasks=1, cpus=1.0, mib=384, primes=2_000_000),
    Job("late", at=26, tasks=2, cpus=0.75, mib=160, links=80),
    Job("last", at=34, tasks=1, cpus=1.0, mib=64, links=60),
]


def primes_below(limit):
    """How many primes there are below the limit: the sieve of Eratosthenes, to check the guests' answer."""
    sieve = bytearray([1]) * limit
    sieve[0:2] = b"\0\0"
    for n in range(2, int(limit**0.5) + 1):
        if sieve[n]:
            sieve[n * n :: n] = bytes(len(range(n * n, limit, n)))
    return sum(sieve)
