"""The jobs of the demonstration: more memory and more CPU than two small nodes have, of different width,
need and memory; short ones arrive while long ones run."""

import dataclasses
import pathlib

from pace import Probe

UNIT = 20_000_000  # hash-chain steps per link
LINKS_AT_FIRST, PRIMES_AT_FIRST = 60, 4_000_000
MOST_PRIMES = 400_000_000  # this machine sieves them
TRIAL_DIVISION = 1.4  # a prime costs its square root, most numbers far less


@dataclasses.dataclass(frozen=True)
class Part:
    """What is to be played."""

    name: str
    act: int  # of the play: each begins when the one before has shown what it is for
    at: float  # seconds after the beginning of its act
    tasks: int
    cpus: float
    mib: int
    chain_s: float = 0  # seconds of a whole core, each task: of the guest without operating system, or
    primes_s: float = 0  # of a Linux guest that counts the primes of its range


# Act 1: two long jobs meet on the first node, two brief ones on the second; when those are done, one of the
# long ones moves over. Act 2: a wide job comes beside them. Act 3: a large one comes while these still have
# far to go, and memory runs short: something is saved.
PARTS = [
    Part("long", act=1, at=0, tasks=1, cpus=1.0, mib=160, primes_s=40),
    Part("brief", act=1, at=1, tasks=1, cpus=1.0, mib=64, chain_s=4),
    Part("steady", act=1, at=2, tasks=1, cpus=1.0, mib=128, primes_s=36),
    Part("quick", act=1, at=3, tasks=1, cpus=1.0, mib=32, chain_s=3),
    Part("wide", act=2, at=0, tasks=2, cpus=0.75, mib=192, chain_s=16),
    Part("small", act=3, at=0, tasks=1, cpus=0.25, mib=32, chain_s=1),
    Part("large", act=3, at=1, tasks=1, cpus=1.0, mib=400, primes_s=2),
]


@dataclasses.dataclass(frozen=True)
class Job:
    """A part with as much to do as takes its time on this machine."""

    part: Part
    links: int = 0
    primes: int = 0

    @property
    def name(self):
        return self.part.name

    def words(self, binaries):
        what = [
            *("--tasks", str(self.part.tasks), "--cpus", str(self.part.cpus)),
            *("--mem", f"{self.part.mib}MiB", "--name", self.part.name),
        ]
        return [*what, *(chain(self.links) if self.links else primes(binaries, self.primes))]


def chain(links):
    return ["--hash-chain", f"{links}:{UNIT}"]


def primes(binaries, below):
    return ["--", str(pathlib.Path(binaries) / "examples" / "primes"), str(below)]


def probes(cluster):
    """One VM of either kind, to be timed."""
    alone = ["--name", "pace", "--cpus", "1", "--mem"]
    return [
        Probe(
            cluster,
            lambda links: [*alone, "32MiB", *chain(links)],
            LINKS_AT_FIRST,
            1,
            lambda line: line == "MICRO done",
        ),
        Probe(
            cluster,
            lambda below: [*alone, "128MiB", *primes(cluster.binaries, below)],
            PRIMES_AT_FIRST,
            TRIAL_DIVISION,
            lambda line: "range=" in line and "count=" in line,
        ),
    ]


def jobs_at(chain_pace, primes_pace, times=1):
    """The parts, with their work as these VMs do it, or so many times as much."""
    return [
        Job(part, links=chain_pace.amount_in(times * part.chain_s))
        if part.chain_s
        else Job(part, primes=even(min(MOST_PRIMES, primes_pace.amount_in(times * part.primes_s))))
        for part in PARTS
    ]


def even(limit):
    """No prime itself: those below it and those up to it are the same."""
    return max(1000, limit // 1000 * 1000)


def primes_below(limit):
    """How many primes there are below the limit: the sieve of Eratosthenes, to check the guests' answer."""
    sieve = bytearray([1]) * limit
    sieve[0:2] = b"\0\0"
    for n in range(2, int(limit**0.5) + 1):
        if sieve[n]:
            sieve[n * n :: n] = bytes(len(range(n * n, limit, n)))
    return sum(sieve)
