"""The jobs of the demo and the work they do: hash chains in a guest without operating system, and primes
in a Linux guest. Both can be computed again on the host."""

import dataclasses
import pathlib

from guest_speed import Probe

UNIT = 20_000_000  # hash-chain steps per link
LINKS_AT_FIRST, PRIMES_AT_FIRST = 60, 4_000_000
MOST_PRIMES = 400_000_000  # the host sieves them
TRIAL_DIVISION = 1.4  # a prime costs its square root, most numbers far less


@dataclasses.dataclass(frozen=True)
class JobShape:
    """What a job asks for, and the seconds of a whole core that each task works."""

    name: str
    tasks: int
    cpus: float
    mib: int
    chain_s: float = 0  # of hash chain, or
    primes_s: float = 0  # of counting primes


@dataclasses.dataclass(frozen=True)
class DemoJob:
    """A job with as much work as takes its time on these nodes."""

    shape: JobShape
    links: int = 0
    primes: int = 0

    @property
    def name(self):
        return self.shape.name

    def words(self, binaries):
        """The arguments of `aliquot submit`."""
        what = [
            *("--tasks", str(self.shape.tasks), "--cpus", str(self.shape.cpus)),
            *("--mem", f"{self.shape.mib}MiB", "--name", self.shape.name),
        ]
        return [*what, *(chain(self.links) if self.links else primes(binaries, self.primes))]


def chain(links):
    return ["--hash-chain", f"{links}:{UNIT}"]


def primes(binaries, below):
    return ["--", str(pathlib.Path(binaries) / "examples" / "primes"), str(below)]


def probes(cluster):
    """One VM of either kind, to be timed."""
    alone = ["--name", "speed", "--cpus", "1", "--mem"]
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


def sized(shapes, chain_speed, primes_speed, times=1):
    """The jobs of these shapes, with so many times the work that takes their time on these nodes."""
    return [
        DemoJob(shape, links=chain_speed.amount_in(times * shape.chain_s))
        if shape.chain_s
        else DemoJob(shape, primes=even(min(MOST_PRIMES, primes_speed.amount_in(times * shape.primes_s))))
        for shape in shapes
    ]


def even(limit):
    """An even limit is no prime: the primes below it and those up to it are the same."""
    return max(1000, limit // 1000 * 1000)


def primes_below(limit):
    """How many primes there are below the limit: the sieve of Eratosthenes, to check the guests' answer."""
    sieve = bytearray([1]) * limit
    sieve[0:2] = b"\0\0"
    for n in range(2, int(limit**0.5) + 1):
        if sieve[n]:
            sieve[n * n :: n] = bytes(len(range(n * n, limit, n)))
    return sum(sieve)
