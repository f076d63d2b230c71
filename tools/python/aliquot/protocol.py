"""ALIQUOT/1 without a socket: what is sent and what is awaited, for the clients to carry out.

A call is a generator of effects. The client performs each and sends its result back in; so the blocking
client and that of asyncio share all rules: the greeting, the tickets, what may be asked again and what may
not."""

import json
import time
from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any

from aliquot.errors import Forbidden, Internal, NoAnswer, Unavailable, error_of

VERSION = b"ALIQUOT/1"
_ATTEMPTS = 3
_BUSY_PAUSE_S = 1.0


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
    """A new connection; the result is None. Raises Unavailable or Forbidden."""


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
    """The state of a connection: its ticket and the number of its last request."""

    def __init__(self, timeout: float) -> None:
        self._timeout = timeout
        self._ticket = ""
        self._last_id = 0
        self._connected = False

    def ask(self, call: Call) -> Steps:
        """Its reply. Raises AliquotError."""
        until = time.monotonic() + self._timeout
        attempts = _ATTEMPTS if call.repeatable or call.key else 1
        was_connected = self._connected
        for attempt in range(1, attempts + 1):
            left = until - time.monotonic()
            share = until if attempt == attempts else time.monotonic() + left / (attempts - attempt + 1)
            try:
                return (yield from self._attempt(call, share))
            except Forbidden:
                # A manager that was started anew does not know the ticket of this connection, and has done
                # nothing.
                if not was_connected:
                    raise
                was_connected = self._connected = False
                return (yield from self._attempt(call, until))
            except NoAnswer:
                self._connected = False
                if attempt == attempts:
                    raise
            except Unavailable:
                # The manager itself says so if the connection stands: it is busy.
                if attempt == attempts or not self._connected or time.monotonic() >= until:
                    raise
                yield Sleep(_BUSY_PAUSE_S)
        raise AssertionError("the last attempt returns or raises")

    def _attempt(self, call: Call, until: float) -> Steps:
        if not self._connected:
            self._ticket = ""
            yield Connect()
            hello = yield from self._exchange(Call("hello"), until)
            self._ticket = hello.ticket
            self._connected = True
        return (yield from self._exchange(call, until))

    def _exchange(self, call: Call, until: float) -> Steps:
        self._last_id += 1
        number = str(self._last_id)
        left = until - time.monotonic()
        yield Send(self._frames(call, number, left))
        while (left := until - time.monotonic()) > 0:
            frames = yield Receive(left)
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
