"""ALIQUOT/1 without a socket: what is sent and what is awaited, for the clients to carry out.

A call is a generator of effects. The client performs each and sends its result back in; so the blocking
client and that of asyncio share all rules: the greeting, the tickets, what may be asked again and what may
not."""

import json
import time
from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any

from aliquot.errors import AliquotError, Forbidden, Internal, NoAnswer, NotLeader, Unavailable, error_of

VERSION = b"ALIQUOT/1"
_ATTEMPTS = 3
_BUSY_PAUSE_S = 1.0
_GREETING_S = 2.0  # of several managers one that is silent is left for the next
_NONE_LEADS_S = 0.2


@dataclass(frozen=True)
class Call:
    """`repeatable`: asked twice it does the same as asked once."""

    method: str
    body: dict[str, Any] = field(default_factory=dict)
    blob: bytes = field(default=b"", repr=False)
    repeatable: bool = True
    key: str = ""  # by which the manager knows a submission again


@dataclass(frozen=True)
class Reply:
    body: dict[str, Any]
    blob: bytes = field(default=b"", repr=False)
    ticket: str = field(default="", repr=False)  # of the connection, in the reply to `hello`


@dataclass(frozen=True)
class Connect:
    """A new connection, to this one of the managers; the result is None. Raises Unavailable or
    Forbidden."""

    manager: int = 0


@dataclass(frozen=True)
class Send:
    frames: list[bytes]


@dataclass(frozen=True)
class Receive:
    """The frames of the next message, or None if there is none within `seconds`."""

    seconds: float


@dataclass(frozen=True)
class Sleep:
    seconds: float


Effect = Connect | Send | Receive | Sleep
Steps = Generator[Effect, list[bytes] | None, Reply]


class Conversation:
    """The state of a connection: its ticket, the number of its last request, and which of the managers is
    at its other end."""

    def __init__(self, timeout: float, managers: int = 1) -> None:
        self._timeout = timeout
        self._managers = managers
        self._asked = 0
        self._was_sent = False  # what is asked, not just the greeting
        self._is_gone = False  # the manager, though the connection stands
        self._ticket = ""
        self._last_id = 0
        self._connected = False

    def ask(self, call: Call) -> Steps:
        """Its reply. Raises AliquotError."""
        until = time.monotonic() + self._timeout
        attempts = _ATTEMPTS if call.repeatable or call.key else 1
        was_connected = self._connected
        attempt = 1
        while True:
            left = until - time.monotonic()
            share = until if attempt == attempts else time.monotonic() + left / (attempts - attempt + 1)
            try:
                return (yield from self._attempt(call, share))
            except AliquotError as why:
                if self._may_move_on(why, attempts > 1) and time.monotonic() < until:
                    yield from self._move_on()
                    was_connected = False
                    continue
                if isinstance(why, Forbidden) and was_connected:
                    # A manager that was started anew does not know the ticket of this connection, and has
                    # done nothing.
                    was_connected = self._connected = False
                    continue
                is_last = attempt == attempts
                # The manager itself says that it is unavailable if the connection stands: it is busy.
                is_busy = isinstance(why, Unavailable) and self._connected and time.monotonic() < until
                if is_last or not (isinstance(why, NoAnswer) or is_busy):
                    raise
                if is_busy:
                    yield Sleep(_BUSY_PAUSE_S)
                else:
                    self._connected = False
            attempt += 1

    def _may_move_on(self, why: AliquotError, repeats: bool) -> bool:
        """To another manager, if this one is not there or does not lead, and asking twice does no harm."""
        if self._managers == 1:
            return False
        if isinstance(why, NotLeader):
            return True
        is_away = isinstance(why, Unavailable) and (self._is_gone or not self._connected)
        return (is_away or isinstance(why, NoAnswer)) and (repeats or not self._was_sent)

    def _move_on(self) -> Generator[Effect, list[bytes] | None, None]:
        self._connected = False
        self._asked = (self._asked + 1) % self._managers
        if self._asked == 0:
            yield Sleep(_NONE_LEADS_S)

    def _attempt(self, call: Call, until: float) -> Steps:
        self._was_sent = self._is_gone = False
        if not self._connected:
            self._ticket = ""
            yield Connect(self._asked)
            greeted = until if self._managers == 1 else min(until, time.monotonic() + _GREETING_S)
            hello = yield from self._exchange(Call("hello"), greeted)
            self._ticket = hello.ticket
            self._connected = True
        self._was_sent = True
        return (yield from self._exchange(call, until))

    def _exchange(self, call: Call, until: float) -> Steps:
        self._last_id += 1
        number = str(self._last_id)
        left = until - time.monotonic()
        yield Send(self._frames(call, number, left))
        while (left := until - time.monotonic()) > 0:
            try:
                frames = yield Receive(left)
            except Unavailable:
                self._is_gone = True
                raise
            if frames is None:
                break
            reply = _decode(frames, number)
            if reply is not None:
                return reply
        raise NoAnswer(f"the manager gave no answer to `{call.method}` in time; is aliquotd running?")

    def _frames(self, call: Call, number: str, seconds: float) -> list[bytes]:
        header: dict[str, Any] = {
            "id": number,
            "method": call.method,
            "deadline_ms": max(1, min(86_400_000, int(seconds * 1000))),
            "sent_us": time.time_ns() // 1000,
        }
        if self._ticket:
            header["ticket"] = self._ticket
        if call.key:
            header["idem"] = call.key
        frames = [VERSION, _json(header), _json(call.body)]
        return [*frames, call.blob] if call.blob else frames


def _json(what: dict[str, Any]) -> bytes:
    return json.dumps(what, ensure_ascii=False, separators=(",", ":")).encode()


def _decode(frames: list[bytes], number: str) -> Reply | None:
    """None: the reply to another request, which came too late."""
    try:
        version, header, body = frames[0], json.loads(frames[1]), json.loads(frames[2])
    except (IndexError, ValueError) as why:
        raise Internal(f"the answer is not of ALIQUOT/1: {why}") from why
    if version != VERSION or not isinstance(header, dict) or not isinstance(body, dict):
        raise Internal(f"the answer is not of ALIQUOT/1, but of {version[:32]!r}")
    if header.get("id") != number:
        return None
    if header.get("code") != "ok":
        raise error_of(str(header.get("code")), str(header.get("message", "")))
    return Reply(body, frames[3] if len(frames) > 3 else b"", str(header.get("ticket", "")))
