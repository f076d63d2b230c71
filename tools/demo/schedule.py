"""Which job of the demo is submitted when: each waits for a state of the jobs before it, never for a time,
so the outcome does not depend on the speed of the machine.

Phase 1, share and migrate. `half` needs half a core and gets a node; `brief` needs a core and gets the
other; `long` needs a core too and shares one of them, so somewhere the yield is below 1. `brief` has a
fraction of the work of the others and ends first. The other two then share one node beside an empty one,
unless one of them has moved already: either way a VM is migrated.

Phase 2, save and restore. `wide` puts a task beside each of them. Then comes `large`: with it the jobs need
more memory than both nodes have, whatever the placement, so some VM is saved until `large` has ended.
"""

import dataclasses
from collections.abc import Callable

from jobs import JobShape

LONG_JOBS = ("half", "long")


def started(rows, name):
    return name in rows and (rows[name]["state"] == "running" or ended(rows, name))


def ended(rows, name):
    return name in rows and rows[name]["ended_at"] is not None


def migrated(rows):
    return any(row["migrations"] for row in rows.values())


def long_jobs_ended(rows):
    """The demo goes on without the state it waits for: the jobs that were to reach it are over."""
    return any(ended(rows, name) for name in LONG_JOBS)


@dataclasses.dataclass(frozen=True)
class Step:
    shape: JobShape
    is_due: Callable  # of the rows of the jobs submitted so far, by name


STEPS = [
    Step(JobShape("half", 1, 0.5, 160, primes_s=30), lambda rows: True),
    Step(JobShape("brief", 1, 1.0, 64, chain_s=5), lambda rows: started(rows, "half")),
    Step(JobShape("long", 1, 1.0, 160, primes_s=50), lambda rows: started(rows, "brief")),
    Step(
        JobShape("wide", 2, 0.75, 192, chain_s=16),
        lambda rows: ended(rows, "brief") and (migrated(rows) or long_jobs_ended(rows)),
    ),
    Step(JobShape("small", 1, 0.25, 32, chain_s=1), lambda rows: started(rows, "wide")),
    Step(JobShape("large", 1, 1.0, 400, primes_s=2), lambda rows: started(rows, "wide")),
]
SHAPES = [step.shape for step in STEPS]


class Schedule:
    """The jobs still to be submitted, in order."""

    def __init__(self, jobs):
        self.coming = list(zip(STEPS, jobs, strict=True))

    def due(self, rows):
        """Removes and returns the jobs to submit now, given the rows of those submitted so far."""
        by_name = {row["name"]: row for row in rows}
        ready = []
        while self.coming and self.coming[0][0].is_due(by_name):
            ready.append(self.coming.pop(0)[1])
        return ready
