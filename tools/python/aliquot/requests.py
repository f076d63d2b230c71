"""The calls of both clients, and longer conversations: pages, events with catch-up, the end of a job."""

import secrets
import time
from collections.abc import Generator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from aliquot.errors import AliquotError, InvalidArgument, NoAnswer, NotLeader, Unavailable
from aliquot.protocol import Call, Reply
from aliquot.submission import Order
from aliquot.types import ENDED

_LOOK_AGAIN_S = 2.0  # a wake-up may be lost: subscribers that do not keep up miss some
_RETRY_S = 0.5
PAGE = 200
UsageBy = Literal["account", "user", "job"]


@dataclass(frozen=True)
class Wake:
    """Wait for a message to subscribers, for at most so many seconds."""

    seconds: float


# Yields a call, which is answered by its reply or its error; a Wake; or rows for the caller.
Answer = Reply | AliquotError | None
Rows = list[Any]
Talk = Generator[Call | Wake | Rows, Answer, None]


def submit(order: Order, *, dry_run: bool = False, key: str | None = None) -> Call:
    body = dict(order.body) | ({"dry_run": True} if dry_run else {})
    return Call(
        "submit",
        body,
        order.archive,
        repeatable=dry_run,
        key="" if dry_run else key or secrets.token_hex(16),
    )


def order_of(method: Literal["cancel", "hold", "release"], job: int) -> Call:
    return Call(method, {"job": job}, repeatable=False)


def logs(job: int, task: int | None, offset: int) -> Call:
    body = {"job": job, "offset": offset} | ({} if task is None else {"task": task})
    return Call("logs", body)


def account_usage(start: datetime, end: datetime, by: UsageBy, after_job: int = 0) -> Call:
    """A time without a zone is local. By job: those with larger numbers than `after_job`."""
    first, last = (moment.timestamp() / 3600 for moment in (start, end))
    if not (first.is_integer() and last.is_integer()):
        raise InvalidArgument("use is kept by hours of UTC: a span begins and ends at a whole one")
    span = {"first_hour": int(first), "hours": int(last - first)}
    after = {"after_job": after_job} if after_job else {}
    return Call("account.usage", span | {"by": by} | after)


def _known(reply: Answer) -> Reply:
    if isinstance(reply, AliquotError):
        raise reply
    assert reply is not None
    return reply


def pages(all_jobs: bool) -> Talk:
    """The jobs of `list`, page by page."""
    body: dict[str, Any] = {"limit": PAGE} | ({"all": True} if all_jobs else {})
    while True:
        answer = _known((yield Call("list", body))).body
        yield answer["jobs"]
        if not answer.get("next"):
            return
        body = {key: value for key, value in body.items() if key in ("limit", "all")} | answer["next"]


class _Patience:
    """How long a manager may be away."""

    def __init__(self, seconds: float) -> None:
        self._seconds, self._since = seconds, time.monotonic()

    def reply(self, answer: Answer) -> Reply | None:
        """None while the manager is away and may be. Raises what else is wrong."""
        is_away = isinstance(answer, Unavailable | NoAnswer | NotLeader)
        if is_away and time.monotonic() - self._since < self._seconds:
            return None
        known = _known(answer)
        self._since = time.monotonic()
        return known

    def read(self, answer: Answer) -> dict[str, Any] | None:
        """The body, as reply()."""
        reply = self.reply(answer)
        return None if reply is None else reply.body


def follow(job: int | None, after: int | None, endless: bool, patience: float) -> Talk:
    """Events after one number, each once and in order, also over a restart of the manager: the messages to
    subscribers only say that there are some. `after` None: from now on."""
    patient = _Patience(patience)
    last = after
    while last is None:
        status = patient.read((yield Call("status")))
        last = status["last_event"] if status else None
        if status is None:
            yield Wake(_RETRY_S)
    while True:
        body = {"after": last, "limit": 500} | ({} if job is None else {"job": job})
        answer = patient.read((yield Call("events", body)))
        if answer is None:
            yield Wake(_RETRY_S)
            continue
        last = answer["last"]
        yield answer["events"]
        if answer["more"]:
            continue
        if not endless:
            return
        yield Wake(_LOOK_AGAIN_S)


def until_ended(job: int, patience: float) -> Talk:
    """One row: the job when it has ended."""
    patient = _Patience(patience)
    while True:
        answer = patient.read((yield Call("show", {"job": job})))
        if answer is not None and answer["state"] in ENDED:
            yield [answer]
            return
        yield Wake(_RETRY_S if answer is None else _LOOK_AGAIN_S)


def output(job: int, task: int | None, follow: bool, patience: float) -> Talk:
    """What a task has written, in parts; with `follow` until it has ended."""
    patient, offset = _Patience(patience), 0
    while True:
        reply = patient.reply((yield logs(job, task, offset)))
        if reply is not None and reply.blob:
            yield [reply.blob]
            offset = reply.body["next"]
        elif reply is not None and (reply.body["ended"] or not follow):
            return
        else:
            yield Wake(_RETRY_S)


def topic_of(job: int | None) -> str:
    return "" if job is None else f"job.{job}."
