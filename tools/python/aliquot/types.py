"""Answers of the manager, as docs/protocol.md describes them. What a later version adds is there too."""

from typing import Any, TypedDict


class Place(TypedDict):
    node: str
    tasks: int


_Yield = TypedDict("_Yield", {"yield": float | None})  # a keyword of Python, so no attribute below


class Job(_Yield):
    """A job of `list` and `show`. Times that end in _at are ISO 8601 in UTC, those that end in _s seconds;
    what is not known is None."""

    job: int
    name: str
    account: str
    uid: int
    state: str
    tasks: int
    tasks_left: int
    cpus: float
    memory_bytes: int
    min_yield: float
    network: Any
    nodes: list[Place]
    submitted_at: str
    age_s: float
    started_at: str | None
    wait_s: float | None
    ended_at: str | None
    turnaround_s: float | None
    virtual_s: float
    bounded_stretch: float | None
    preemptions: int
    migrations: int
    exit_code: int | None
    note: str


ENDED = frozenset({"completed", "failed", "cancelled", "timed_out"})


class Event(TypedDict):
    """`event` has the event itself; its `words` say it as a sentence."""

    sequence: int
    at: str
    at_s: float
    job: int | None
    event: dict[str, Any]


class Node(TypedDict):
    node: str
    hypervisor: str
    state: str
    service: str
    why: str
    power: str
    cores: int
    cpus: float
    cpus_given: float
    memory_bytes: int
    memory_used_bytes: int
    jobs: int
    tasks: int


class Status(TypedDict):
    version: str
    cluster: str
    epoch: int
    up_s: float
    last_event: int
    mode: str
    policy: str
    nodes: dict[str, int]
    jobs: dict[str, int]
