"""The client for asyncio: the methods of Client, awaited."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from types import TracebackType
from typing import Any, cast

import zmq
import zmq.asyncio

from aliquot import requests
from aliquot.errors import AliquotError
from aliquot.place import places_of
from aliquot.protocol import Call, Connect, Conversation, Effect, Receive, Reply, Send, Sleep
from aliquot.submission import Order
from aliquot.types import Event, Job, Node, Status

_LOOK_S = 0.5


class AsyncClient:
    """One connection to the manager, for the tasks of one event loop: their calls are made one after
    another. Every method raises AliquotError."""

    def __init__(self, server: str | None = None, *, key: str | None = None, timeout: float = 20) -> None:
        """As Client."""
        self._places = places_of(server, key)
        self._place = self._places[0]
        self._context = zmq.asyncio.Context()
        self._socket: zmq.asyncio.Socket | None = None
        self._conversation = Conversation(timeout, len(self._places))
        self._in_use = asyncio.Lock()

    async def __aenter__(self) -> "AsyncClient":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close(linger=0)
            self._socket = None
        self._context.term()

    async def request(
        self, method: str, body: dict[str, Any] | None = None, *, repeatable: bool = False
    ) -> dict[str, Any]:
        """As Client.request."""
        return (await self._ask(Call(method, body or {}, repeatable=repeatable))).body

    async def hello(self) -> dict[str, Any]:
        return (await self._ask(Call("hello"))).body

    async def status(self) -> Status:
        return cast(Status, (await self._ask(Call("status"))).body)

    async def submit(self, order: Order, *, key: str | None = None) -> int:
        """As Client.submit."""
        return int((await self._ask(requests.submit(order, key=key))).body["job"])

    async def try_out(self, order: Order) -> dict[str, Any]:
        """As Client.try_out."""
        return (await self._ask(requests.submit(order, dry_run=True))).body

    async def jobs(self, *, ended: bool = False) -> AsyncIterator[Job]:
        """As Client.jobs."""
        async for row in self._rows(requests.pages(ended), None):
            yield cast(Job, row)

    async def show(self, job: int) -> Job:
        return cast(Job, (await self._ask(Call("show", {"job": job}))).body)

    async def why(self, job: int) -> dict[str, Any]:
        """As Client.why."""
        return (await self._ask(Call("why", {"job": job}))).body

    async def cancel(self, job: int) -> None:
        await self._ask(requests.order_of("cancel", job))

    async def hold(self, job: int) -> None:
        await self._ask(requests.order_of("hold", job))

    async def release(self, job: int) -> None:
        await self._ask(requests.order_of("release", job))

    async def wait(self, job: int, *, patience: float = 60) -> Job:
        """As Client.wait."""
        async with self._subscription(job) as wake:
            return cast(Job, await anext(self._rows(requests.until_ended(job, patience), wake)))

    async def events(
        self, job: int | None = None, *, after: int | None = 0, follow: bool = False, patience: float = 60
    ) -> AsyncIterator[Event]:
        """As Client.events."""
        async with self._subscription(job if follow else -1) as wake:
            async for row in self._rows(requests.follow(job, after, follow, patience), wake):
                yield cast(Event, row)

    async def output(self, job: int, task: int | None = None) -> bytes:
        """As Client.output."""
        return b"".join([part async for part in self._rows(requests.output(job, task, False, 0), None)])

    async def follow_output(
        self, job: int, task: int | None = None, *, patience: float = 60
    ) -> AsyncIterator[bytes]:
        """As Client.follow_output."""
        async for part in self._rows(requests.output(job, task, True, patience), None):
            yield part

    async def nodes(self) -> list[Node]:
        return cast(list[Node], (await self._ask(Call("node.list"))).body["nodes"])

    async def node(self, name: str) -> Node:
        return cast(Node, (await self._ask(Call("node.show", {"node": name}))).body)

    async def accounts(self) -> list[dict[str, Any]]:
        return cast(list[dict[str, Any]], (await self._ask(Call("accounts"))).body["accounts"])

    async def account_tree(self, account: str | None = None) -> dict[str, Any]:
        """Shares, limits and fair share of all accounts, or of one with those below it."""
        return (await self._ask(Call("account.show", {"account": account} if account else {}))).body

    async def account_usage(
        self, start: datetime, end: datetime, by: requests.UsageBy = "account"
    ) -> list[dict[str, Any]]:
        """Core-seconds granted to accounts, their users or their jobs, and used, between two whole hours of
        UTC."""
        rows: list[dict[str, Any]] = []
        after: int | None = 0
        while after is not None:  # jobs come in pages
            body = (await self._ask(requests.account_usage(start, end, by, after))).body
            rows += body["usage"]
            after = body["next_after_job"]
        return rows

    async def set_account(self, account: str, **terms: Any) -> dict[str, Any]:
        """For operators: `parent`, `shares`, `limits`, `each_user`, `min_yield_ppm`, `max_yield_ppm` of
        an account, until it is reset."""
        return (await self._ask(Call("account.set", {"account": account, **terms}))).body

    async def reset_account(self, account: str) -> dict[str, Any]:
        """For operators: the account as the configuration says."""
        return (await self._ask(Call("account.reset", {"account": account}))).body

    async def plan(self) -> dict[str, Any]:
        """As Client.plan."""
        return (await self._ask(Call("plan"))).body

    async def _ask(self, call: Call) -> Reply:
        async with self._in_use:
            steps = self._conversation.ask(call)
            answer: list[bytes] | None = None
            error: AliquotError | None = None
            try:
                while True:
                    effect = steps.throw(error) if error else steps.send(answer)
                    answer = error = None
                    try:
                        answer = await self._perform(effect)
                    except AliquotError as why:
                        error = why
            except StopIteration as done:
                return cast(Reply, done.value)

    async def _perform(self, effect: Effect) -> list[bytes] | None:
        match effect:
            case Connect(manager):
                self._place = self._places[manager]
                self._connect()
            case Send(frames):
                assert self._socket is not None
                try:
                    await self._socket.send_multipart(frames, zmq.NOBLOCK)
                except zmq.Again as why:
                    raise self._place.ended() from why
            case Receive(seconds):
                return await self._receive(seconds)
            case Sleep(seconds):
                await asyncio.sleep(seconds)
        return None

    def _connect(self) -> None:
        self._place.check(is_waiting=False)
        if self._socket is not None:
            self._socket.close(linger=0)
        self._socket = self._context.socket(zmq.DEALER)
        self._socket.setsockopt(zmq.LINGER, 0)
        self._place.connect(self._socket)

    async def _receive(self, seconds: float) -> list[bytes] | None:
        assert self._socket is not None
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if await self._socket.poll(int(min(left, _LOOK_S) * 1000) + 1):
                return await self._socket.recv_multipart()
            self._place.check(is_waiting=True)
        return None

    @asynccontextmanager
    async def _subscription(self, job: int | None) -> AsyncIterator[zmq.asyncio.Socket | None]:
        """Messages of that job, or of all; job -1: none. On another machine the events are asked for."""
        if job == -1 or self._place.is_remote:
            yield None
            return
        listener = self._context.socket(zmq.SUB)
        try:
            listener.setsockopt(zmq.LINGER, 0)
            listener.setsockopt_string(zmq.SUBSCRIBE, requests.topic_of(job))
            listener.connect(f"ipc://{(await self.hello())['events']}")
            yield listener
        finally:
            listener.close(linger=0)

    async def _rows(self, talk: requests.Talk, wake: zmq.asyncio.Socket | None) -> AsyncIterator[Any]:
        answer: requests.Answer = None
        while True:
            try:
                step = talk.send(answer)
            except StopIteration:
                return
            answer = None
            match step:
                case Call():
                    try:
                        answer = await self._ask(step)
                    except AliquotError as why:
                        answer = why
                case requests.Wake(seconds):
                    await _wait_for(wake, seconds)
                case _:
                    for row in step:
                        yield row


async def _wait_for(wake: zmq.asyncio.Socket | None, seconds: float) -> None:
    if wake is None:
        await asyncio.sleep(seconds)
    elif await wake.poll(int(seconds * 1000)):
        while await wake.poll(0):
            await wake.recv_multipart()
