"""Client of Aliquot's job API (docs/protocol.md, ALIQUOT/1).

    from aliquot import Client, command

    with Client() as aliquot:
        job = aliquot.submit(command(["/bin/echo", "hello"], memory="128M"))
        print(aliquot.wait(job)["state"], aliquot.output(job))

AsyncClient has the same methods for asyncio. Errors are subclasses of AliquotError, one for each code of
the protocol."""

from aliquot.asynchronous import AsyncClient
from aliquot.client import Client
from aliquot.errors import (
    AliquotError,
    Conflict,
    Forbidden,
    Internal,
    InvalidArgument,
    NoAnswer,
    NoSpace,
    NotFound,
    NotLeader,
    Refused,
    TooLarge,
    Unavailable,
    Unsupported,
)
from aliquot.submission import Order, command
from aliquot.types import Event, Job, Node, Status

__all__ = [
    "AliquotError",
    "AsyncClient",
    "Client",
    "Conflict",
    "Event",
    "Forbidden",
    "Internal",
    "InvalidArgument",
    "Job",
    "NoAnswer",
    "NoSpace",
    "Node",
    "NotFound",
    "NotLeader",
    "Order",
    "Refused",
    "Status",
    "TooLarge",
    "Unavailable",
    "Unsupported",
    "command",
]
