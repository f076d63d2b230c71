"""The blocking client."""

import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from datetime import datetime
from types import TracebackType
from typing import Any, cast

import zmq

from aliquot import requests
from aliquot.errors import AliquotError
from aliquot.place import places_of
from aliquot.protocol import Call, Connect, Conversation, Effect, Receive, Reply, Send, Sleep
from aliquot.submission import Order
from aliquot.types import Event, Job, Node, Status

_LOOK_S = 0.5


class Client:
    """One connection to the manager, for one thread. Every method raises AliquotError."""

    def __init__(self, server: str | None = None, *, key: str | None = None, timeout: float = 20) -> None:
        """`server` is the path of the manager's socket, or those of several managers, separated by commas;
        without it that of ALIQUOT_SERVER, or the default.
        `key`: the file of a key (ALIQUOT_KEY), with which the manager may be on another machine: at the
        address in the file, or at `server`, tcp://HOST:PORT. `timeout`: seconds for an answer, repetitions
        included."""
        self._places = places_of(server, key)
        self._place = self._places[0]
        self._context = zmq.Context()
        self._socket: zmq.Socket[bytes] | None = None
        self._conversation = Conversation(timeout, len(self._places))

    def __enter__(self) -> "Client":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close(linger=0)
            self._socket = None
        self._context.term()

    def request(
        self, method: str, body: dict[str, Any] | None = None, *, repeatable: bool = False
    ) -> dict[str, Any]:
        """Any method of the protocol. `repeatable`: it changes nothing, and may be asked again."""
        return self._ask(Call(method, body or {}, repeatable=repeatable)).body

    def hello(self) -> dict[str, Any]:
        return self._ask(Call("hello")).body

    def status(self) -> Status:
        return cast(Status, self._ask(Call("status")).body)

    def submit(self, order: Order, *, key: str | None = None) -> int:
        """The number of the new job. With the same `key` the same order makes one job, however often it is
        submitted; without one, the client makes a key for its own repetitions."""
        return int(self._ask(requests.submit(order, key=key)).body["job"])

    def try_out(self, order: Order) -> dict[str, Any]:
        """What would happen if it were submitted."""
        return self._ask(requests.submit(order, dry_run=True)).body

    def jobs(self, *, ended: bool = False) -> Iterator[Job]:
        """The jobs that have not ended, by number; with `ended` then the others, newest first."""
        return cast(Iterator[Job], self._rows(requests.pages(ended), None))

    def show(self, job: int) -> Job:
        return cast(Job, self._ask(Call("show", {"job": job})).body)

    def why(self, job: int) -> dict[str, Any]:
        """Why it is in its state, and what would change that."""
        return self._ask(Call("why", {"job": job})).body

    def cancel(self, job: int) -> None:
        self._ask(requests.order_of("cancel", job))

    def hold(self, job: int) -> None:
        self._ask(requests.order_of("hold", job))

    def release(self, job: int) -> None:
        self._ask(requests.order_of("release", job))

    def wait(self, job: int, *, patience: float = 60) -> Job:
        """The job when it has ended. The manager may be away for `patience` seconds meanwhile."""
        with self._subscription(job) as wake:
            return cast(Job, next(self._rows(requests.until_ended(job, patience), wake)))

    def events(
        self, job: int | None = None, *, after: int | None = 0, follow: bool = False, patience: float = 60
    ) -> Iterator[Event]:
        """Events after the one of that number (None: from now on), of one job or of all, each once and in
        order. With `follow` without an end: it waits for new ones."""
        with self._subscription(job if follow else -1) as wake:
            yield from cast(
                Iterator[Event], self._rows(requests.follow(job, after, follow, patience), wake)
            )

    def output(self, job: int, task: int | None = None) -> bytes:
        """What it has written so far."""
        return b"".join(self._rows(requests.output(job, task, False, 0), None))

    def follow_output(self, job: int, task: int | None = None, *, patience: float = 60) -> Iterator[bytes]:
        """What it has written and writes, in parts, until it has ended."""
        return self._rows(requests.output(job, task, True, patience), None)

    def nodes(self) -> list[Node]:
        return cast(list[Node], self._ask(Call("node.list")).body["nodes"])

    def node(self, name: str) -> Node:
        return cast(Node, self._ask(Call("node.show", {"node": name})).body)

    def accounts(self) -> list[dict[str, Any]]:
        return cast(list[dict[str, Any]], self._ask(Call("accounts")).body["accounts"])

    def account_tree(self, account: str | None = None) -> dict[str, Any]:
        """Shares, limits and fair share of all accounts, or of one with those below it."""
        return self._ask(Call("account.show", {"account": account} if account else {})).body

    def account_usage(
        self, start: datetime, end: datetime, by: requests.UsageBy = "account"
    ) -> list[dict[str, Any]]:
        """Core-seconds granted to accounts, their users or their jobs, and used, between two whole hours of
        UTC."""
        rows: list[dict[str, Any]] = []
        after: int | None = 0
        while after is not None:  # jobs come in pages
            body = self._ask(requests.account_usage(start, end, by, after)).body
            rows += body["usage"]
            after = body["next_after_job"]
        return rows

    def set_account(self, account: str, **terms: Any) -> dict[str, Any]:
        """For operators: `parent`, `shares`, `limits`, `each_user`, `min_yield_ppm`, `max_yield_ppm` of
        an account, until it is reset."""
        return self._ask(Call("account.set", {"account": account, **terms})).body

    def reset_account(self, account: str) -> dict[str, Any]:
        """For operators: the account as the configuration says."""
        return self._ask(Call("account.reset", {"account": account})).body

    def plan(self) -> dict[str, Any]:
        """What the policy would do now."""
        return self._ask(Call("plan")).body

    def _ask(self, call: Call) -> Reply:
        steps = self._conversation.ask(call)
        answer: list[bytes] | None = None
        error: AliquotError | None = None
        try:
            while True:
                effect = steps.throw(error) if error else steps.send(answer)
                answer = error = None
                try:
                    answer = self._perform(effect)
                except AliquotError as why:
                    error = why
        except StopIteration as done:
            return cast(Reply, done.value)

    def _perform(self, effect: Effect) -> list[bytes] | None:
        match effect:
            case Connect(manager):
                self._place = self._places[manager]
                self._connect()
            case Send(frames):
                assert self._socket is not None
                try:
                    self._socket.send_multipart(frames, zmq.NOBLOCK)
                except zmq.Again as why:
                    raise self._place.ended() from why
            case Receive(seconds):
                return self._receive(seconds)
            case Sleep(seconds):
                time.sleep(seconds)
        return None

    def _connect(self) -> None:
        self._place.check(is_waiting=False)
        if self._socket is not None:
            self._socket.close(linger=0)
        self._socket = self._context.socket(zmq.DEALER)
        self._socket.setsockopt(zmq.LINGER, 0)
        self._place.connect(self._socket)

    def _receive(self, seconds: float) -> list[bytes] | None:
        assert self._socket is not None
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if self._socket.poll(int(min(left, _LOOK_S) * 1000) + 1):
                return self._socket.recv_multipart()
            self._place.check(is_waiting=True)
        return None

    @contextmanager
    def _subscription(self, job: int | None) -> Iterator["zmq.Socket[bytes] | None"]:
        """Messages of that job, or of all; job -1: none. On another machine the events are asked for."""
        if job == -1 or self._place.is_remote:
            yield None
            return
        listener = self._context.socket(zmq.SUB)
        try:
            listener.setsockopt(zmq.LINGER, 0)
            listener.setsockopt_string(zmq.SUBSCRIBE, requests.topic_of(job))
            listener.connect(f"ipc://{self.hello()['events']}")
            yield listener
        finally:
            listener.close(linger=0)

    def _rows(self, talk: requests.Talk, wake: "zmq.Socket[bytes] | None") -> Generator[Any, None, None]:
        answer: requests.Answer = None
        try:
            while True:
                step = talk.send(answer)
                answer = None
                match step:
                    case Call():
                        try:
                            answer = self._ask(step)
                        except AliquotError as why:
                            answer = why
                    case requests.Wake(seconds):
                        _wait_for(wake, seconds)
                    case _:
                        yield from step
        except StopIteration:
            return


def _wait_for(wake: "zmq.Socket[bytes] | None", seconds: float) -> None:
    if wake is None:
        time.sleep(seconds)
    elif wake.poll(int(seconds * 1000)):
        while wake.poll(0):
            wake.recv_multipart()
