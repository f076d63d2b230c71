"""How fast guests compute on these nodes. The demo wants jobs of so many seconds; the work that takes so
long differs thirtyfold between machines, and between emulated and accelerated VMs. Two VMs measure it."""

import dataclasses
import time

LONG_ENOUGH_S = 1.5
GROWTH = 6
PATIENCE_S = 1800  # a hanging VM ends the demo; a slow one does not
POLL_S = 0.02


@dataclasses.dataclass(frozen=True)
class GuestSpeed:
    """An amount of work, the seconds of a whole core it took, and how the time grows with the amount."""

    amount: int
    seconds: float
    exponent: float

    def amount_in(self, seconds):
        return max(1, round(self.amount * (seconds / self.seconds) ** (1 / self.exponent)))


class Probe:
    """One VM that works and prints lines: the time from its first line to its last measures its speed."""

    def __init__(self, cluster, words, amount, exponent, last_line):
        self.cluster, self.words, self.amount = cluster, words, amount
        self.exponent, self.last_line, self.first_line = exponent, last_line, None
        self.begin()

    def begin(self):
        self.job = self.cluster.submit(self.words(self.amount))
        self.console = self.cluster.console(self.job)
        self.began, self.deadline, self.speed = None, time.monotonic() + PATIENCE_S, None

    def look(self):
        """Work that ends too soon to be timed is followed by more work."""
        now = time.monotonic()
        lines = self.console.read_text(errors="replace").splitlines() if self.console.exists() else []
        if lines and self.began is None:
            self.began = now
            self.first_line = self.first_line or now
        if any(map(self.last_line, lines)):
            seconds = now - self.began
            if seconds >= LONG_ENOUGH_S:
                self.speed = GuestSpeed(self.amount, seconds, self.exponent)
                return
            self.amount *= GROWTH
            self.begin()
        elif now > self.deadline:
            raise SystemExit(f"demo: the VM of {self.console} did not end within {PATIENCE_S} s")


def measure(probes):
    """The speeds of all probes, which run side by side, each on its own node."""
    while waiting := [probe for probe in probes if probe.speed is None]:
        for probe in waiting:
            probe.look()
        time.sleep(POLL_S)
    return [probe.speed for probe in probes]
