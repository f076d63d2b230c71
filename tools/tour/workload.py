"""The jobs of the demonstration: more memory and more CPU than two small nodes have, of different width,
need and memory; short ones arrive while long ones run."""

import dataclasses
import pathlib

UNIT = 20_000_000  # hash-chain steps per link: about an eighth of a second of an emulated core


@dataclasses.dataclass(frozen=True)
class Job:
    name: str
    act: int  # of the play: the second begins when the first has shown what it is for
    at: float  # seconds after the beginning of its act
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


# Act 1: two long jobs meet on the first node, two brief ones on the second; when those are done, one of the
# long ones moves over. Act 2: a wide job and a large one come, and memory runs short: something is saved.
JOBS = [
    Job("long", act=1, at=0, tasks=1, cpus=1.0, mib=160, primes=32_000_000),
    Job("brief", act=1, at=1, tasks=1, cpus=1.0, mib=64, links=60),
    Job("steady", act=1, at=2, tasks=1, cpus=1.0, mib=128, primes=30_000_000),
    Job("quick", act=1, at=3, tasks=1, cpus=1.0, mib=32, links=45),
    Job("wide", act=2, at=0, tasks=2, cpus=0.75, mib=192, links=200),
    Job("small", act=2, at=3, tasks=1, cpus=0.25, mib=32, links=15),
    Job("large", act=2, at=6, tasks=1, cpus=1.0, mib=400, primes=5_000_000),
]


def primes_below(limit):
    """How many primes there are below the limit: the sieve of Eratosthenes, to check the guests' answer."""
    sieve = bytearray([1]) * limit
    sieve[0:2] = b"\0\0"
    for n in range(2, int(limit**0.5) + 1):
        if sieve[n]:
            sieve[n * n :: n] = bytes(len(range(n * n, limit, n)))
    return sum(sieve)
